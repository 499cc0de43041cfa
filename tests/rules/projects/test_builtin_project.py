"""The built-in docs project, created at the first start."""

from threading import Barrier, Thread

import pytest

from models.projects.members.rows import MemberRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.projects import DocsSlugTaken, ensure_docs_project
from models.projects.projects.rows import ProjectRow
from models.settings import NIL_UUID
from models.storage.database import database
from tests.factories.projects import make_project

DOCS = {"slug": "docs", "owner_id": NIL_UUID}


def test_first_start(store, clock):
    """The project has an owner, who is a member, and a record without a request."""
    project = ensure_docs_project(clock.now, **DOCS)

    assert (project.slug, project.name, project.builtin) == (
        "docs",
        "Documentation",
        True,
    )
    [member] = MemberRow.select()
    assert (member.account_id, member.role) == (NIL_UUID, "owner")
    [record] = ActivityRow.select()
    assert (record.action, record.metadata) == ("project.created", {"builtin": True})


def test_later_start(store, clock):
    """A later start changes nothing, even with other settings."""
    first = ensure_docs_project(clock.now, **DOCS)
    clock.pass_(days=1)

    second = ensure_docs_project(clock.now, slug="manual", owner_id=NIL_UUID)

    assert second == first
    assert second.slug == "docs"
    assert (ProjectRow.select().count(), ActivityRow.select().count()) == (1, 1)


def test_slug_of_an_ordinary_project(store, clock):
    """
    An ordinary project is never converted: the start is rejected, naming the slug.
    """
    make_project("docs", clock.now)

    with pytest.raises(DocsSlugTaken, match=r"'docs'.*MASTHEAD_DOCS_SLUG"):
        ensure_docs_project(clock.now, **DOCS)

    assert not ProjectRow.get().builtin


def test_two_starts_together(store, clock):
    """
    Concurrent starts create one project: the second waits for the lock, then finds it.
    """
    together, ids = Barrier(2), []

    def start():
        together.wait()
        ids.append(ensure_docs_project(clock.now, **DOCS).id)
        database.close()

    threads = [Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(ids) == 2
    assert len(set(ids)) == ProjectRow.select().count() == 1
