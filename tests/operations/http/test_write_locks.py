"""The locks of mutations: those that declare locks share, all others write alone."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from api.operation import OPERATIONS, Caller
from models.platform.rate_limits import Rate
from models.projects.planning.labels import CreateLabel
from models.projects.work.bulk_create import BulkCreateWorkItems
from models.storage.database import dry_run, writing
from models.storage.engines import postgresql_locks
from models.storage.write_locks import ALONE, SHARED

ID = "00000000-0000-7000-8000-000000000001"
CALLER = Caller(
    *(ID, "Key", "mh_1", ("*",), "ada@example.com", ID, None, "secret"), Rate(1, 1)
)
ITEM = {"type": "task", "title": "Do it"}
EDGE = {"source": ID, "target": "00000000-0000-7000-8000-000000000002"}


def locks_of(name, request, caller=CALLER):
    """Return the locks of the operation with this name."""
    (operation,) = [each for each in OPERATIONS if each.name == name]
    return operation.write_locks(request, caller)


def test_only_mutations_lock(app):
    """An operation that only reads declares no locks."""
    assert [o.name for o in OPERATIONS if o.locks != ALONE and not o.is_mutation] == []


def test_every_invariant_has_its_test():
    """Every invariant that is declared as tested with two writers has its test."""
    named = set(re.findall(r"test_\w+", postgresql_locks.__doc__))
    files = Path("tests/servers").glob("test_overlap*.py")

    defined = {
        name
        for file in files
        for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
    }

    assert named == defined


def test_keys_of_an_account(app):
    """Requests that create keys for one account wait for each other, in any portal."""
    portal = replace(CALLER, acts_as_account=EDGE["target"])
    name = "platform:developer:keys:create"

    locks = locks_of(name, None, portal)

    assert locks == locks_of(name, None, replace(portal, lineage="other"))
    assert locks.names != locks_of(name, None).names


def test_mutation_without_locks(app):
    """A mutation that declares no locks writes alone."""
    assert locks_of("projects:admin:projects:purge", None) == ALONE


def test_global_label(app):
    """
    A global label is created alone, because its name must be free in all projects.
    """
    name = "projects:labels:create"

    assert locks_of(name, CreateLabel(name="bug")) == ALONE
    assert locks_of(name, CreateLabel(name="bug", project_id=ID)).ids == (ID,)


def test_relationships_of_new_items(app):
    """
    New items with relationships are created alone, because these may span projects.
    """
    name, body = "projects:work-items:bulk-create", {"projectId": ID, "items": [ITEM]}
    related = body | {"relationships": [EDGE | {"relationship": "blocks"}]}

    assert locks_of(name, BulkCreateWorkItems(**body)).ids == (ID,)
    assert locks_of(name, BulkCreateWorkItems(**related)) == ALONE


@pytest.mark.postgresql
@pytest.mark.parametrize("begin", [writing, dry_run])
def test_alone_within_shared(store, begin):
    """
    A write that shares cannot contain one that is alone, because others may be running.
    """
    with begin(SHARED), pytest.raises(RuntimeError, match="shares"), writing():
        pass

    with begin(ALONE), begin(SHARED), begin(ALONE):
        pass
