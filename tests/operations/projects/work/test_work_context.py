"""The context of a work item over HTTP."""

import pytest

from models.projects.discussion.comments import AddComment, add_comment
from models.projects.discussion.references import AddReference, add_reference
from models.projects.specifications.specifications import (
    CreateSpecification,
    create_specification,
)
from models.projects.work.links import SpecificationLink
from tests.factories.projects import KEY, make_project
from tests.factories.work import change, label, milestone, relate, work

GET = "GET /projects/v1/work-items/context"
UNKNOWN_ID = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def item(store, clock):
    """An item with one of each kind of context, blocked by another item."""
    sample_project = make_project("atlas", clock.now)
    spec = create_specification(
        CreateSpecification(
            project_id=sample_project.id,
            title="Cursors",
            slug="cursors",
            content="Words.",
        ),
        clock.now,
        KEY,
    )
    links = [
        SpecificationLink(specification_id=spec.id, relationship=relationship)
        for relationship in ("implements", "references")
    ]
    item = work(
        sample_project,
        clock,
        label_ids=[
            label(sample_project, clock.now).id,
            label(None, clock.now, "blue").id,
        ],
        milestone_id=milestone(sample_project, clock.now).id,
        specifications=links,
    )
    relate(work(sample_project, clock, title="First"), item, "blocks", clock)
    entity = {"entity_type": "work", "entity_id": item.id}
    add_reference(AddReference(**entity, url="https://example.com/1"), clock.now, KEY)
    for number in range(25):
        clock.pass_(seconds=1)
        add_comment(AddComment(**entity, content=f"Say {number}"), clock.now, KEY)
    return item


def test_context(api, item):
    """All context in one response, with the latest comments."""
    response = api(GET, {"id": item.id})

    assert response.status_code == 200, response.json
    context = response.json["data"]
    assert context["work"]["id"] == item.id
    assert context["project"]["slug"] == "atlas"
    assert context["milestone"]["name"] == "One"
    assert [label["name"] for label in context["labels"]] == ["urgent", "blue"]
    links = [
        (link["relationship"], link["specification"]["slug"])
        for link in context["specifications"]
    ]
    assert links == [("implements", "cursors"), ("references", "cursors")]
    contents = {link["specification"]["content"] for link in context["specifications"]}
    assert contents == {""}
    assert [edge["relationship"] for edge in context["relationships"]] == ["blocks"]
    assert [blocker["title"] for blocker in context["openBlockers"]] == ["First"]
    assert context["ready"] is False
    assert len(context["references"]) == 1
    comments = [comment["content"] for comment in context["comments"]]
    assert comments == [f"Say {number}" for number in range(5, 25)]
    assert len(context["activity"]) <= 20


def test_context_with_content(api, item):
    """The texts of the specifications are returned on request."""
    context = api(GET, {"id": item.id, "withContent": "true"}).json["data"]

    texts = [link["specification"]["content"] for link in context["specifications"]]
    assert texts == ["Words."] * 2


def test_context_of_what_is_ready(api, store, clock):
    """An item is ready if it has no open blocker and was not started."""
    item = work(make_project("atlas", clock.now), clock)

    context = api(GET, {"id": item.id}).json["data"]

    assert (context["ready"], context["milestone"], context["openBlockers"]) == (
        True,
        None,
        [],
    )
    change(item, clock, status="in_progress")
    assert api(GET, {"id": item.id}).json["data"]["ready"] is False


def test_context_of_nothing(api, store):
    """An unknown id is a 404."""
    assert api(GET, {"id": UNKNOWN_ID}).status_code == 404
