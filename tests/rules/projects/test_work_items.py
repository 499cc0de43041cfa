"""Work items: numbers, transitions, relations, and the activity."""

from datetime import timedelta

import pytest

from models.errors import (
    Archived,
    ProjectArchived,
    ReferenceNotFound,
    VersionConflict,
)
from models.projects.members.rows import MemberRow
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.work.items import (
    RemoveWorkItem,
    RestoreWorkItem,
    archive_work_item,
    restore_work_item,
)
from models.projects.work.links import SpecificationLink, load_links
from models.projects.work.rows import work_item_with
from models.storage.database import dry_run
from tests.factories.projects import KEY, MAINTAINER, READER, STRANGER, make_project
from tests.factories.work import change, label, milestone, relate, specification, work


@pytest.fixture
def project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def other(store, clock):
    return make_project("other", clock.now)


def records(item):
    rows = ActivityRow.select().where(ActivityRow.entity_id == item.id)
    return [(row.action, row.metadata) for row in rows.order_by(ActivityRow.number)]


def archive(item, clock):
    return archive_work_item(RemoveWorkItem(id=item.id), clock.now, KEY)


def test_numbers(project, other, clock):
    """Each project counts for itself; a rollback uses no number."""
    first = work(project, clock)
    with dry_run():
        work(project, clock)
    second, foreign = work(project, clock), work(other, clock)

    assert (first.number, second.number, foreign.number) == (1, 2, 1)


def test_number_is_not_given_again(project, clock):
    """The highest number is not reused when its item is deleted."""
    work(project, clock).delete_instance()

    assert work(project, clock).number == 2


@pytest.mark.parametrize(
    ("steps", "completed"),
    [
        (["done"], [0]),
        (["planned", "done"], [None, 1]),
        (["done", "done"], [0, 0]),
        (["done", "review", "done"], [0, None, 2]),
        (["done", "cancelled"], [0, None]),
        (["blocked", "backlog"], [None, None]),
    ],
)
def test_completion(project, clock, steps, completed):
    """Entering done sets the time, staying keeps it, leaving clears it."""
    start, times = clock.now, []
    item = work(project, clock, status=steps[0])
    times.append(item.completed_at)
    for status in steps[1:]:
        clock.pass_(minutes=1)
        changed = change(item, clock, status=status, title=f"T{clock.now}")
        times.append(changed.completed_at)

    minutes = [None if n is None else start + timedelta(minutes=n) for n in completed]
    assert times == minutes


def test_ties(project, clock):
    """Duplicates are stored once, in the given order."""
    red, blue = label(project, clock.now, "red"), label(None, clock.now, "blue")
    spec = specification(project, clock.now)
    links = [
        SpecificationLink(specification_id=spec.id, relationship=relationship)
        for relationship in ("implements", "references", "implements")
    ]

    item = work(
        project,
        clock,
        label_ids=[red.id, blue.id, red.id],
        assignee_ids=[READER],
        specifications=links,
    )

    for row in (item, load_links([work_item_with(item.id)])[0]):
        assert row.label_ids == [red.id, blue.id]
        assert row.assignee_ids == [READER]
        assert row.specifications == links[:2]


def test_changed_ties(project, clock):
    """The activity has additions and removals; a new order alone is no change."""
    red, blue = label(project, clock.now, "red"), label(None, clock.now, "blue")
    item = work(project, clock, label_ids=[red.id], assignee_ids=[READER, MAINTAINER])
    before = item.updated_at

    changed = change(
        item, clock, label_ids=[blue.id], assignee_ids=[MAINTAINER, READER]
    )

    assert changed.updated_at > before
    action, metadata = records(item)[-1]
    assert action == "work.updated"
    assert metadata["changes"] == {
        "labelIds": {"added": [blue.id], "removed": [red.id]}
    }
    assert load_links([work_item_with(item.id)])[0].label_ids == [blue.id]


def test_changes_told(project, clock):
    """A transition has its own record; of a description only lengths are recorded."""
    item = work(project, clock)

    change(item, clock, status="review", title="New", description="Secret")

    created, updated, status_changed = records(item)
    assert created[1]["title"] == "Build"
    assert updated[1]["changes"] == {
        "title": {"from": "Build", "to": "New"},
        "description": {"fromLength": 0, "toLength": 6},
    }
    assert status_changed[0] == "work.status-changed"
    assert (status_changed[1]["from"], status_changed[1]["to"]) == ("backlog", "review")
    assert "Secret" not in str(updated)


def test_status_alone(project, clock):
    """A change of only the status is one record."""
    item = change(work(project, clock), clock, status="done")

    actions = [action for action, _ in records(item)]
    assert actions == ["work.created", "work.status-changed"]


def test_change_that_changes_nothing(project, clock):
    """A change that changes nothing keeps the time and leaves no record."""
    item = work(project, clock, assignee_ids=[READER], description="")
    clock.pass_(minutes=1)

    same = change(item, clock, title="Build", assignee_ids=[READER], description=None)

    assert same.updated_at == item.updated_at
    assert len(records(item)) == 1


def test_done_with_open_blockers(project, clock):
    """An item with open blockers may be done; the record names the blockers."""
    item, open_, over = (work(project, clock) for _ in range(3))
    for blocker in (open_, over):
        relate(blocker, item, "blocks", clock)
    change(over, clock, status="cancelled")

    change(item, clock, status="done")

    assert records(item)[-1][1]["openBlockers"] == [open_.id]


def test_words_are_found(project, clock):
    """Search has the text of the newest title and description."""
    item = work(project, clock, description="Old words")

    change(item, clock, title="New", description=None)

    texts = IndexedTextRow.get(IndexedTextRow.entity_id == item.id)
    assert (texts.title, texts.body) == ("New", "")


@pytest.mark.parametrize("builtin", [True, False])
def test_new_assignees_are_members(store, clock, builtin):
    """New assignees must be members, except in the docs project."""
    project = make_project("p", clock.now, builtin=builtin)

    if builtin:
        assert work(project, clock, assignee_ids=[STRANGER]).assignee_ids == [STRANGER]
    else:
        with pytest.raises(ReferenceNotFound, match=f"/assigneeIds/0: .*{STRANGER}"):
            work(project, clock, assignee_ids=[STRANGER])


def test_assignee_who_left(project, clock):
    """An existing assignee is not checked again."""
    item = work(project, clock, assignee_ids=[READER])
    MemberRow.delete().where(MemberRow.account_id == READER).execute()

    updated = change(item, clock, assignee_ids=[READER, MAINTAINER])

    assert updated.assignee_ids == [READER, MAINTAINER]
    change(item, clock, assignee_ids=[])
    with pytest.raises(ReferenceNotFound):
        change(item, clock, assignee_ids=[READER])


def test_references_elsewhere(project, other, clock):
    """Labels and milestones must be of the project; every failing id is named."""
    foreign = label(other, clock.now)
    old = milestone(project, clock.now, archived_at=clock.now)
    archived = specification(other, clock.now, archived_at=clock.now)
    link = SpecificationLink(specification_id=archived.id, relationship="references")

    with pytest.raises(ReferenceNotFound) as refused:
        work(
            project,
            clock,
            label_ids=[foreign.id],
            milestone_id=old.id,
            specifications=[link],
        )

    assert [error["pointer"] for error in refused.value.members["errors"]] == [
        "/labelIds/0",
        "/milestoneId",
        "/specifications/0/specificationId",
    ]
    assert ProjectRow.get_by_id(project.id).last_number == 0


def test_specification_of_another_project(project, other, clock):
    """A specification may be of any project."""
    spec = specification(other, clock.now)
    link = SpecificationLink(specification_id=spec.id, relationship="governed_by")

    assert work(project, clock, specifications=[link]).specifications == [link]


def test_milestone_archived_meanwhile(project, clock):
    """An item keeps a milestone that was archived since, and can be saved with it."""
    one = milestone(project, clock.now)
    item = work(project, clock, milestone_id=one.id)
    one.archived_at = clock.now
    one.save()

    assert change(item, clock, milestone_id=one.id, title="N").milestone_id == one.id
    assert change(item, clock, milestone_id=None).milestone_id is None


def test_archive_and_restore(project, clock):
    """Archiving and restoring are idempotent."""
    item = work(project, clock)

    assert [archive(item, clock)[1] for _ in range(2)] == [True, False]
    with pytest.raises(Archived, match="atlas#1 is archived"):
        change(item, clock, title="No")
    request = RestoreWorkItem(id=item.id)
    changed = [restore_work_item(request, clock.now, KEY)[1] for _ in range(2)]

    assert changed == [True, False]
    assert [action for action, _ in records(item)] == [
        "work.created",
        "work.archived",
        "work.restored",
    ]


def test_archived_project(project, clock):
    """An archived project is read-only."""
    item = work(project, clock)
    project.change({"archived_at": clock.now}, clock.now)

    for call in (work, lambda *_: change(item, clock, title="N")):
        with pytest.raises(ProjectArchived):
            call(project, clock)
    with pytest.raises(ProjectArchived):
        archive(item, clock)


def test_expected_time(project, clock):
    """A stale expected time is reported before the archive."""
    item = work(project, clock)
    updated_at = item.updated_at
    newest = change(item, clock, title="New").updated_at
    archive(item, clock)

    with pytest.raises(VersionConflict) as refused:
        change(item, clock, title="Mine", expected_updated_at=updated_at)

    assert newest > updated_at
    assert refused.value.members["current"].endswith("002Z")
