"""Coverage: which work counts, and what drift is."""

import pytest

from models.projects.coverage import GetCoverage, coverage
from tests.projects import make_project
from tests.specifications import revise, specify, supersede, tied


@pytest.fixture
def project(store, clock):
    return make_project("atlas", clock.now)


@pytest.fixture
def specification(project, clock):
    return specify(project, clock)


def told(specification):
    (found,) = coverage(GetCoverage(id=specification.id)).items
    return found


def test_counts(specification, clock):
    """By tie: all, open, done and cancelled; archived work counts nowhere."""
    for status in ("backlog", "blocked", "done", "cancelled"):
        tied(specification, clock, status)
    tied(specification, clock, tie="references")
    tied(specification, clock, archived_at=clock.now)

    work = told(specification).told()["work"]

    assert work == {
        "governed_by": {"total": 0, "open": 0, "done": 0, "cancelled": 0},
        "implements": {"total": 4, "open": 2, "done": 1, "cancelled": 1},
        "references": {"total": 1, "open": 1, "done": 0, "cancelled": 0},
    }


@pytest.mark.parametrize(
    ("status", "work", "drift"),
    [
        ("draft", [], []),
        ("draft", [("planned", "implements")], []),
        ("approved", [], ["approved-without-implementing-work"]),
        ("approved", [("planned", "implements")], []),
        ("approved", [("done", "implements")], []),
        (
            "approved",
            [("cancelled", "implements"), ("planned", "governed_by")],
            ["approved-without-implementing-work"],
        ),
        ("implemented", [], []),
        ("implemented", [("done", "implements"), ("cancelled", "implements")], []),
        ("implemented", [("review", "implements")], ["implemented-with-open-work"]),
        ("implemented", [("review", "governed_by")], []),
    ],
)
def test_drift_in_force(specification, clock, status, work, drift):
    """Approved wants work that implements it; implemented wants it closed."""
    revise(specification, clock, status=status)
    for of, tie in work:
        tied(specification, clock, of, tie)

    assert told(specification).drift == drift


@pytest.mark.parametrize("how", ["archived", "superseded"])
@pytest.mark.parametrize(
    ("status", "tie", "drifts"),
    [
        ("planned", "implements", True),
        ("planned", "governed_by", True),
        ("planned", "references", False),
        ("done", "implements", False),
    ],
)
def test_drift_out_of_force(project, specification, clock, how, status, tie, drifts):
    """Nobody should work any more on what is retired."""
    tied(specification, clock, status, tie)
    revise(specification, clock, status="approved")
    if how == "archived":
        specification.change({"archived_at": clock.now}, clock.now)
    else:
        supersede(specification, specify(project, clock, slug="new"), clock)

    assert told(specification).drift == ["retired-with-open-work"] * drifts


def test_of_a_project(project, specification, clock):
    """By slug, in pages; with drift only those with a finding."""
    for slug in ("c", "a", "b"):
        specify(project, clock, slug=slug, status="approved")
    specify(make_project("zoo", clock.now), clock)

    first = coverage(GetCoverage(project_id=project.id, limit=3))
    more = {"cursor": first.meta["cursor"], "project_id": project.id}
    second = coverage(GetCoverage(**more))
    drifted = coverage(GetCoverage(project_slug="atlas", drift=True))

    assert [each.slug for each in first.items] == ["a", "b", "c"]
    assert [each.slug for each in second.items] == ["login"]
    assert second.meta["cursor"] is None
    assert [each.slug for each in drifted.items] == ["a", "b", "c"]
