"""Random histories of work items and relationships."""

from datetime import timedelta

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.errors import Refusal
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.work.items import (
    RemoveWorkItem,
    RestoreWorkItem,
    archive_work_item,
    restore_work_item,
)
from models.projects.work.relationships import shortest_path
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow, work_item_with
from models.storage.database import database, writing
from tests.conftest import Clock
from tests.factories.projects import KEY, OWNER, READER, make_project
from tests.factories.work import change, part, relate, work

PLACES = st.integers(0, 5)
WAYS = ("blocks", "depends_on", "supersedes", "related_to", "duplicates")
CHANGES = st.fixed_dictionaries(
    {},
    optional={
        "title": st.sampled_from(["Build", "Test"]),
        "status": st.sampled_from(["backlog", "review", "done"]),
        "assignee_ids": st.lists(st.sampled_from([OWNER, READER]), max_size=2),
    },
).filter(bool)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), st.booleans()),
        st.tuples(st.just("update"), PLACES, CHANGES),
        st.tuples(st.sampled_from(["remove", "restore"]), PLACES),
        st.tuples(
            st.sampled_from(["relate", "part"]), PLACES, PLACES, st.sampled_from(WAYS)
        ),
    ),
    max_size=30,
)


class Undone(Exception):
    """Rolls the whole history back, so that the next one starts empty."""


def did(step, projects, clock):
    """Make the step; return how many records it must have made, and for which items."""
    name, *arguments = step
    if name == "create":
        return {work(projects[arguments[0]], clock).id: 1}
    items = list(WorkItemRow.select().order_by(WorkItemRow.id))
    if not items:
        return {}
    item = items[arguments[0] % len(items)]
    if name == "update":
        return updated(item, arguments[1], clock)
    if name in ("relate", "part"):
        other = items[arguments[1] % len(items)]
        return related(name, item, other, arguments[2], clock)
    request = {"remove": RemoveWorkItem, "restore": RestoreWorkItem}[name](id=item.id)
    make = {"remove": archive_work_item, "restore": restore_work_item}[name]
    return {item.id: 1} if make(request, clock.now, KEY)[1] else {}


def updated(item, changes, clock):
    before = item.updated_at, item.status
    after = change(item, clock, **changes)
    is_moved = after.status != before[1]
    if after.updated_at == before[0]:
        assert not is_moved
        return {}
    stored = work_item_with(item.id)
    assert stored.updated_at > before[0]
    last = ActivityRow.select().order_by(ActivityRow.number.desc()).limit(2)
    changed = any(
        row.action == "work.updated" and row.created_at == clock.now
        for row in last
        if row.entity_id == item.id
    )
    return {item.id: is_moved + changed}


def related(name, item, other, relationship, clock):
    if item.id == other.id:
        return {}
    if name == "relate":
        changed = relate(item, other, relationship, clock)[1]
    else:
        changed = part(item, other, relationship, clock).removed
    return {item.id: 1, other.id: 1} if changed else {}


def records():
    rows = ActivityRow.select(ActivityRow.entity_id).tuples()
    counts = {}
    for (id,) in rows:
        counts[id] = counts.get(id, 0) + 1
    return counts


def hold():
    """Assert what is true of every history."""
    for project in ProjectRow:
        items = WorkItemRow.select(WorkItemRow.number).where(
            WorkItemRow.project == project.id
        )
        numbers = sorted(number for (number,) in items.tuples())
        assert numbers == list(range(1, project.last_number + 1))
    for row in WorkRelationshipRow:
        if row.relationship in ("blocks", "supersedes"):
            assert shortest_path(row.relationship, row.target_id, row.source_id) == []
        else:
            assert row.source_id < row.target_id
    for item in WorkItemRow:
        assert (item.completed_at is not None) == (item.status == "done")


@given(steps=STEPS)
@settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_histories(store, steps):
    """
    Numbers have no gap, relationships no ring, times increase, and the activity has a
    record for every change and for nothing else.
    """
    clock = Clock()
    try:
        with writing():
            projects = [make_project(slug, clock.now) for slug in ("atlas", "other")]
            for step in steps:
                clock.now += timedelta(milliseconds=10)
                before = records()
                try:
                    with database.atomic():
                        counts = did(step, projects, clock)
                except Refusal:
                    counts = {}
                for id, count in counts.items():
                    before[id] = before.get(id, 0) + count
                assert records() == before
            hold()
            raise Undone
    except Undone:
        pass
