"""What mutations lock: those that are named share, all others write alone."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from api.http.write_locks import KEY_LOCKS, LOCKS, write_locks
from api.operation import OPERATIONS, Caller
from models.projects.planning.labels import CreateLabel
from models.projects.work.bulk_create import BulkCreateWorkItems
from models.storage.database import dry_run, writing
from models.storage.engines import postgresql_locks
from models.storage.write_locks import ALONE, SHARED

ID = "00000000-0000-7000-8000-000000000001"
CALLER = Caller(ID, "Key", "mh_1", ("*",), "ada@example.com", ID, None, "secret")
ITEM = {"type": "task", "title": "Do it"}
EDGE = {"source": ID, "target": "00000000-0000-7000-8000-000000000002"}


def test_every_lock_is_of_a_mutation(app):
    """No lock is left behind by an operation that is gone or has another name."""
    mutations = {operation.name for operation in OPERATIONS if operation.is_mutation}

    assert LOCKS.keys() | KEY_LOCKS.keys() <= mutations


def test_every_invariant_has_its_test():
    """What is said to be tested with two writers is."""
    named = set(re.findall(r"test_\w+", postgresql_locks.__doc__))
    files = Path("tests/servers").glob("test_overlap*.py")

    defined = {
        name
        for file in files
        for name in re.findall(r"^def (test_\w+)", file.read_text(), re.MULTILINE)
    }

    assert named == defined


def test_keys_of_an_account():
    """Who creates keys for one account waits for who else does, in any portal."""
    portal = replace(CALLER, acts_as_account=EDGE["target"])
    name = "platform:developer:keys:create"

    locks = write_locks(name, None, portal)

    assert locks == write_locks(name, None, replace(portal, lineage="other"))
    assert locks.names != write_locks(name, None, CALLER).names


def test_mutation_without_locks():
    """A mutation that nobody checked writes alone."""
    assert write_locks("projects:admin:projects:purge", None, CALLER) == ALONE
    assert write_locks("projects:something:new", None, CALLER) == ALONE


def test_global_label():
    """A global label, whose name must be free in all projects, is created alone."""
    name = "projects:labels:create"

    assert write_locks(name, CreateLabel(name="bug"), CALLER) == ALONE
    assert write_locks(name, CreateLabel(name="bug", project_id=ID), CALLER).ids == (
        ID,
    )


def test_relationships_of_new_items():
    """New items whose relationships may be with any project are created alone."""
    name, body = "projects:work-items:bulk-create", {"projectId": ID, "items": [ITEM]}
    related = body | {"relationships": [EDGE | {"relationship": "blocks"}]}

    assert write_locks(name, BulkCreateWorkItems(**body), CALLER).ids == (ID,)
    assert write_locks(name, BulkCreateWorkItems(**related), CALLER) == ALONE


@pytest.mark.postgresql
@pytest.mark.parametrize("begin", [writing, dry_run])
def test_alone_within_shared(store, begin):
    """A write that shares cannot begin one that is alone: others may be under way."""
    with begin(SHARED), pytest.raises(RuntimeError, match="shares"), writing():
        pass

    with begin(ALONE), begin(SHARED), begin(ALONE):
        pass
