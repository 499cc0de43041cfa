"""Specifications: what a save stores, and who may change their status."""

import pytest

from models.errors import RoleRequired
from models.projects.projects.activity import ActivityRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.specifications.rows import SpecificationRevisionRow
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, account, make_project
from tests.factories.specifications import revise, specify


@pytest.fixture
def project(store, clock):
    return make_project("atlas", clock.now)


def records():
    """Return the activity, oldest first: the verbs and their metadata."""
    rows = ActivityRow.select().order_by(ActivityRow.number)
    return [(row.action.partition(".")[2], row.metadata) for row in rows]


def test_each_save_is_a_revision(project, clock):
    """Each save is a revision, even of the status or the summary alone."""
    specification = specify(project, clock, summary="First")

    revise(specification, clock, content="Two.\n")
    revise(specification, clock, status="review")
    revise(specification, clock, summary="Read\nagain")

    revisions = SpecificationRevisionRow.select().order_by(
        SpecificationRevisionRow.version
    )
    assert [(e.version, e.content, e.status, e.summary) for e in revisions] == [
        (1, "One.\n", "draft", "First"),
        (2, "Two.\n", "draft", None),
        (3, "Two.\n", "review", None),
        (4, "Two.\n", "review", "Read\nagain"),
    ]
    moments = [each.created_at for each in revisions]
    assert moments == sorted(set(moments))


def test_activity(project, clock):
    """A status has its own record; a save without a change is an update."""
    specification = specify(project, clock)

    revise(specification, clock, status="review")
    revise(specification, clock, status="draft", content="Secret", summary="Back")
    revise(specification, clock, summary="Nothing")

    about = {"requestId": "r1"}
    content = {"content": {"fromLength": 5, "toLength": 6}}
    assert records()[1:] == [
        ("status-changed", about | {"version": 2, "from": "draft", "to": "review"}),
        ("updated", about | {"version": 3, "changes": content, "summary": "Back"}),
        ("status-changed", about | {"version": 3, "from": "review", "to": "draft"}),
        ("updated", about | {"version": 4, "changes": {}, "summary": "Nothing"}),
    ]


def test_search_finds_the_newest_words(project, clock):
    """The index has one entry, of the last save."""
    specification = specify(project, clock)

    revise(specification, clock, title="Sign in", content="Two.\n")

    (entry,) = IndexedTextRow.select()
    assert (entry.entity_type, entry.entity_id) == ("specification", specification.id)
    assert (entry.title, entry.body) == ("Sign in", "Two.\n")


@pytest.mark.parametrize("status", ["approved", "implemented"])
def test_who_may_settle(project, clock, status):
    """Approving requires a maintainer, when creating and when saving."""
    actor = account(CONTRIBUTOR)
    specification = specify(project, clock, actor=actor)

    for refused in (
        lambda: specify(project, clock, slug="other", actor=actor, status=status),
        lambda: revise(specification, clock, actor=actor, status=status),
    ):
        with pytest.raises(RoleRequired, match="needs the role maintainer"):
            refused()
    revised = revise(specification, clock, actor=account(MAINTAINER), status=status)
    assert revised.status == status


def test_settled_words(project, clock):
    """
    A contributor changes an approved text only by returning it to review or draft.
    """
    actor = account(CONTRIBUTOR)
    specification = specify(project, clock, status="approved")

    with pytest.raises(RoleRequired, match="needs the role maintainer"):
        revise(specification, clock, actor=actor, content="Slipped in.\n")
    revised = revise(
        specification, clock, actor=actor, content="New.\n", status="review"
    )

    assert (revised.version, revised.status) == (2, "review")
