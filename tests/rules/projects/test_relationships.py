"""Relationships: one stored form, no rings, a record at each end."""

from itertools import pairwise

import pytest
from pydantic import ValidationError

from models.errors import (
    Archived,
    LimitExceeded,
    ProjectArchived,
    RelationshipCycle,
    RoleRequired,
)
from models.projects.members.rows import MemberRow
from models.projects.projects.activity import ActivityRow
from models.projects.work import relationships
from models.projects.work.blockers import open_blockers
from models.projects.work.rows import WorkRelationshipRow
from tests.factories.projects import CONTRIBUTOR, KEY, READER, account, make_project
from tests.factories.work import change, part, relate, work


@pytest.fixture
def project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def items(project, clock):
    """Four items, in the order of their ids."""
    return sorted((work(project, clock) for _ in range(4)), key=lambda item: item.id)


def stored():
    return [
        (row.source_id, row.target_id, row.relationship) for row in WorkRelationshipRow
    ]


@pytest.mark.parametrize(
    ("relationship", "turned", "stored_as"),
    [
        ("blocks", False, "blocks"),
        ("supersedes", False, "supersedes"),
        ("depends_on", True, "blocks"),
        ("related_to", False, "related_to"),
        ("duplicates", False, "duplicates"),
    ],
)
def test_stored_form(items, clock, relationship, turned, stored_as):
    """
    depends_on is stored as the reverse of blocks; symmetric ones start with the lower
    id.
    """
    a, b, *_ = items

    row, added = relate(a, b, relationship, clock)
    _, again = relate(a, b, relationship, clock)

    assert (added, again) == (True, False)
    assert stored() == [(b.id, a.id, stored_as) if turned else (a.id, b.id, stored_as)]
    assert row.created_by == KEY.id


@pytest.mark.parametrize("relationship", ["related_to", "duplicates"])
def test_symmetric_either_way(items, clock, relationship):
    """A symmetric relationship is the same from either side."""
    a, b, *_ = items
    relate(b, a, relationship, clock)

    assert stored() == [(a.id, b.id, relationship)]
    assert relate(a, b, relationship, clock)[1] is False
    assert part(a, b, relationship, clock).removed
    assert stored() == []


def test_several_kinds(items, clock):
    """Two items may have several relationships, in both directions where possible."""
    a, b, *_ = items
    for relationship in ("blocks", "related_to", "duplicates"):
        relate(a, b, relationship, clock)
    relate(b, a, "supersedes", clock)

    assert len(stored()) == 4


def test_of_one(items):
    """An item has no relationship to itself."""
    id = items[0].id
    with pytest.raises(ValidationError, match="two work items"):
        relationships.AddWorkRelationship(
            source_id=id, target_id=id, relationship="related_to"
        )


@pytest.mark.parametrize("relationship", ["blocks", "supersedes"])
def test_ring(items, clock, relationship):
    """A ring is rejected, and the problem has its path."""
    for a, b in pairwise(items):
        relate(a, b, relationship, clock)
    first, *_, last = items

    with pytest.raises(RelationshipCycle) as refused:
        relate(last, first, relationship, clock)

    names = [item.name for item in (last, *items)]
    assert refused.value.detail.endswith(": " + " → ".join(names) + ".")
    assert len(stored()) == 3


def test_ring_by_depends_on(items, clock):
    """A ring through depends_on is rejected too."""
    a, b, *_ = items
    relate(a, b, "blocks", clock)

    with pytest.raises(RelationshipCycle):
        relate(a, b, "depends_on", clock)
    assert relate(b, a, "supersedes", clock)[1]


def test_long_ring(project, clock):
    """Only the ends of a long ring are in the message."""
    items = [work(project, clock) for _ in range(30)]
    for a, b in pairwise(items):
        relate(a, b, "blocks", clock)

    with pytest.raises(RelationshipCycle, match=r"→ \(21 more\) →") as refused:
        relate(items[-1], items[0], "blocks", clock)

    assert refused.value.detail.count("atlas#") == 10


def test_records(items, clock):
    """Each end has a record from its side; repeats have none."""
    a, b, *_ = items
    relate(a, b, "depends_on", clock)
    relate(b, a, "blocks", clock)
    assert [part(a, b, "depends_on", clock).removed for _ in range(2)] == [True, False]

    rows = list(ActivityRow.select().where(ActivityRow.action != "work.created"))
    described = [
        (row.action.partition("-")[2], row.entity_id, row.metadata["direction"])
        for row in rows
    ]
    assert described == [
        ("added", b.id, "outgoing"),
        ("added", a.id, "incoming"),
        ("removed", b.id, "outgoing"),
        ("removed", a.id, "incoming"),
    ]
    assert rows[0].metadata["otherNumber"] == a.number
    assert rows[0].metadata["relationship"] == "blocks"


def test_times_of_the_ends(items, clock):
    """A relationship does not change its ends."""
    a, b, *_ = items
    clock.pass_(minutes=1)
    relate(a, b, "blocks", clock)

    assert change(a, clock, type="task").updated_at == a.updated_at


def test_either_role(project, clock):
    """A contributor of either project may relate; a reader of both may not."""
    other = make_project("other", clock.now)
    MemberRow.delete().where(
        MemberRow.project == other.id, MemberRow.account_id == CONTRIBUTOR
    ).execute()
    a, b = work(project, clock), work(other, clock)

    assert relate(a, b, "blocks", clock, account(CONTRIBUTOR))[1]
    assert part(b, a, "depends_on", clock, account(CONTRIBUTOR)).removed
    with pytest.raises(RoleRequired):
        relate(a, b, "blocks", clock, account(READER))


def test_archived_item(items, clock):
    """An archived item gets no new relationship; existing ones may be removed."""
    a, b, c, _ = items
    relate(a, b, "blocks", clock)
    b.change({"archived_at": clock.now}, clock.now)

    with pytest.raises(Archived):
        relate(c, b, "blocks", clock)
    assert part(a, b, "blocks", clock).removed


def test_archived_project(project, items, clock):
    """An archived project at either end prevents adding and removing."""
    foreign = work(make_project("other", clock.now), clock)
    relate(items[0], foreign, "blocks", clock)
    project.change({"archived_at": clock.now}, clock.now)

    for act in (relate, part):
        with pytest.raises(ProjectArchived, match="'atlas'"):
            act(foreign, items[0], "related_to", clock)


def test_most(project, items, clock, monkeypatch):
    """The number of an item's relationships is limited, at both ends."""
    monkeypatch.setattr(relationships, "MAX_RELATIONSHIPS", 2)
    a, b, c, d = items
    relate(a, b, "blocks", clock)
    relate(c, a, "blocks", clock)

    with pytest.raises(LimitExceeded, match=f"{a.name} has 2 relationships"):
        relate(a, d, "related_to", clock)
    with pytest.raises(LimitExceeded):
        relate(d, a, "blocks", clock)
    assert relate(a, b, "blocks", clock)[1] is False


def test_open_blockers(project, items, clock):
    """
    An item that is done, cancelled or archived, or whose project is, no longer blocks.
    """
    other = make_project("other", clock.now)
    target, done, archived, open_ = items
    foreign, cancelled = work(other, clock), work(project, clock, status="cancelled")
    for blocker in (done, archived, open_, foreign, cancelled):
        relate(blocker, target, "blocks", clock)
    assert len(open_blockers(target)) == 4

    change(done, clock, status="done")
    archived.change({"archived_at": clock.now}, clock.now)
    other.change({"archived_at": clock.now}, clock.now)

    assert open_blockers(target) == [open_]
    assert open_blockers(open_) == []
