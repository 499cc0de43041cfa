"""Supersession: which successors are possible, and the resulting lineage."""

import pytest

from models.errors import (
    ReferenceNotFound,
    RoleRequired,
    SpecificationSuperseded,
    SuccessorUnusable,
    VersionConflict,
)
from models.projects.projects.activity import ActivityRow
from models.projects.specifications.rows import SPECIFICATIONS
from models.projects.specifications.supersession import (
    GetLineage,
    SupersedeSpecification,
    specification_lineage,
    supersede_specification,
)
from tests.factories.projects import CONTRIBUTOR, KEY, account, make_project
from tests.factories.specifications import revise, specify, supersede


@pytest.fixture
def project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def line(project, clock):
    """
    Four specifications; the first was superseded by the second, and that by the third.
    """
    found = []
    for slug in ("a", "b", "c", "d"):
        found.append(specify(project, clock, slug=slug))
        clock.pass_(milliseconds=1)
    supersede(found[0], found[1], clock)
    supersede(found[1], found[2], clock)
    return found


def test_supersede(project, clock):
    """Superseding adds a version with the same text and the successor."""
    old, new = specify(project, clock), specify(project, clock, slug="sso")
    clock.pass_(minutes=1)

    retired = supersede(old, new, clock, summary="Moved")

    assert (retired.status, retired.version) == ("superseded", 2)
    assert (retired.superseded_at, retired.superseded_by) == (clock.now, new.id)
    revision = SPECIFICATIONS.revision_of(retired, 2)
    assert (revision.content, revision.status) == ("One.\n", "superseded")
    assert revision.summary == "Moved"
    record = ActivityRow.select().order_by(ActivityRow.number.desc()).get()
    assert record.action == "specification.superseded"
    assert record.metadata == {
        "version": 2,
        "from": "draft",
        "supersededBy": new.id,
        "summary": "Moved",
        "requestId": "r1",
    }


def test_terminal(line, clock):
    """Repeating it changes nothing; any other change is rejected."""
    a, b, _, d = line
    before = ActivityRow.select().count()

    assert supersede(a, b, clock).version == 2
    assert ActivityRow.select().count() == before
    with pytest.raises(SpecificationSuperseded, match=b.id):
        supersede(a, d, clock)
    with pytest.raises(SpecificationSuperseded):
        revise(a, clock, status="draft")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("itself", "cannot supersede itself"),
        ("other", "belongs to another project"),
        ("archived", "is archived"),
        ("superseded", "is superseded itself; its current successor is 'c'"),
    ],
)
def test_unusable_successor(line, clock, name, why):
    """
    The successor must be another specification, not archived, of the same project.
    """
    archived = specify(line[0].project, clock, slug="e")
    archived.change({"archived_at": clock.now}, clock.now)
    candidates = {
        "itself": line[3],
        "other": specify(make_project("zoo", clock.now), clock),
        "archived": archived,
        "superseded": line[0],
    }

    with pytest.raises(SuccessorUnusable, match=why):
        supersede(line[3], candidates[name], clock)


def test_no_ring(line, clock):
    """
    The end of a lineage cannot be superseded by its start, and the message does not
    suggest it.
    """
    with pytest.raises(SuccessorUnusable) as refused:
        supersede(line[2], line[0], clock)

    assert refused.value.detail == "The specification 'a' is superseded itself."


def test_unknown_successor(project, clock):
    """The successor must exist; the message has the unknown id."""
    request = SupersedeSpecification(
        id=specify(project, clock).id, superseded_by=project.id
    )

    with pytest.raises(ReferenceNotFound, match=project.id):
        supersede_specification(request, clock.now, KEY)


def test_version_comes_before_state(line, clock):
    """A stale version is reported before the state of the specification."""
    with pytest.raises(VersionConflict):
        supersede(line[0], line[1], clock, expected_version=1)


def test_needs_a_maintainer(project, clock):
    """Superseding requires a maintainer, even for a new specification."""
    with pytest.raises(RoleRequired, match="needs the role maintainer"):
        supersede(
            specify(project, clock),
            specify(project, clock, slug="b"),
            clock,
            actor=account(CONTRIBUTOR),
        )


@pytest.mark.parametrize(
    ("at", "before", "after", "head"),
    [
        (0, "", "bc", "c"),
        (1, "ad", "c", "c"),
        (2, "bad", "", "c"),
    ],
)
def test_lineage(line, clock, at, before, after, head):
    """Nearest first, then oldest, in both directions; one may supersede several."""
    supersede(line[3], specify(line[0].project, clock, slug="e"), clock)
    line[3].change({"superseded_by": line[1].id}, clock.now)

    result = specification_lineage(GetLineage(id=line[at].id))

    assert [each.slug for each in result.predecessors] == list(before)
    assert [each.slug for each in result.successors] == list(after)
    assert result.head_id == next(each.id for each in line if each.slug == head)


def test_lineage_of_one_alone(line):
    """A single specification is its own head, without others."""
    result = specification_lineage(GetLineage(id=line[3].id))

    assert result.head_id == line[3].id
    assert (result.predecessors, result.successors) == ([], [])


def test_lineage_of_a_ring(line, clock):
    """A ring, which the rules prevent, is still returned without an endless loop."""
    line[2].change({"superseded_by": line[0].id}, clock.now)

    result = specification_lineage(GetLineage(id=line[0].id))

    assert [each.slug for each in result.successors] == ["b", "c", "a"]
