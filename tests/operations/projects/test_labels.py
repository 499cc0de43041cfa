"""Labels through HTTP: those of a project, and the global ones."""

import pytest

from models.base import new_id
from models.projects.planning.labels import MAX_PROJECT_LABELS
from models.projects.planning.rows import LabelRow
from models.projects.projects.activity import ActivityRow
from models.projects.work.rows import WorkItemRow, WorkLabelRow
from tests.worlds.projects import make_project

LIST = "GET /projects/v1/labels/list"
CREATE = "POST /projects/v1/labels/create"
UPDATE = "POST /projects/v1/labels/update"
REMOVE = "POST /projects/v1/labels/remove"
ADMIN_LIST = "GET /projects/v1/admin/labels/list"
ADMIN_ADD = "POST /projects/v1/admin/labels/add"
ADMIN_UPDATE = "POST /projects/v1/admin/labels/update"
ADMIN_REMOVE = "POST /projects/v1/admin/labels/remove"


def recorded():
    rows = ActivityRow.select().order_by(ActivityRow.number)
    return [(row.action, row.metadata) for row in rows]


def names(response):
    return [label["name"] for label in response.json["data"]]


def test_life_of_a_project_label(ask, atlas, make_label, wear, clock, audited):
    """Added, renamed, removed from its items, and told in the feed alone."""
    label = make_label("bug")
    item = wear(atlas, label, archived_at=clock.now)
    renamed = ask(UPDATE, {"id": label["id"], "name": "defect"}).json["data"]
    clock.pass_(minutes=1)

    gone = ask(REMOVE, {"id": label["id"]}).json["data"]

    assert renamed == label | {"name": "defect"}
    told_of = {"id": label["id"], "projectId": atlas.id}
    assert gone == told_of | {"name": "defect", "detached": 1}
    assert WorkItemRow.get_by_id(item.id).updated_at == clock.now
    assert (LabelRow.select().count(), WorkLabelRow.select().count()) == (0, 0)
    for _, metadata in (feed := recorded()):
        assert metadata.pop("requestId")
        assert metadata.pop("labelId") == label["id"]
    change = {"name": {"from": "bug", "to": "defect"}}
    assert feed == [
        ("project.label-added", {"name": "bug"}),
        ("project.label-updated", {"name": "defect", "changes": change}),
        ("project.label-removed", {"name": "defect", "detached": 1}),
    ]
    assert audited() == []


def test_time_of_items_grows_in_the_same_instant(ask, atlas, make_label, wear, clock):
    """Removal without time passing still moves the items on."""
    item = wear(atlas, label := make_label("bug"))

    ask(REMOVE, {"id": label["id"]})

    assert WorkItemRow.get_by_id(item.id).updated_at > clock.now


def test_rename_to_the_same(ask, make_label):
    """What changes nothing leaves no record."""
    label = make_label("bug")

    response = ask(UPDATE, {"id": label["id"], "name": "bug"})

    assert response.json["data"] == label
    assert len(recorded()) == 1


def test_names_are_told_apart(ask, atlas, make_label, clock, refusal):
    """No picker shows one name twice: in a project, globally, or both."""
    borealis = make_project("borealis", clock.now)
    make_label("bug")
    make_label("bug", borealis)
    ask(ADMIN_ADD, {"name": "idea"})
    other = ask(ADMIN_ADD, {"name": "other"}).json["data"]["id"]
    mine = {"projectId": atlas.id}

    refusal(ask(CREATE, mine | {"name": "bug"}), "name-taken")
    refusal(ask(CREATE, mine | {"name": "idea"}), "name-taken")
    refusal(ask(UPDATE, {"id": make_label("x")["id"], "name": "idea"}), "name-taken")
    refusal(ask(UPDATE, {"id": make_label("y")["id"], "name": "bug"}), "name-taken")
    refusal(ask(ADMIN_ADD, {"name": "idea"}), "name-taken")
    merging = {"name": "idea", "mergeProjectLabels": True}
    refusal(ask(ADMIN_ADD, merging), "name-taken")
    for route, extra in ((ADMIN_ADD, {}), (ADMIN_UPDATE, {"id": other})):
        problem = refusal(ask(route, {"name": "bug"} | extra), "name-taken")
        assert problem["projects"] == 2


def test_archived_project(ask, atlas, make_label, clock, refusal):
    """An archived project's labels stay as they are."""
    label = make_label("bug")
    atlas.change({"archived_at": clock.now}, clock.now)

    for route, body in (
        (CREATE, {"projectId": atlas.id, "name": "x"}),
        (UPDATE, {"id": label["id"], "name": "x"}),
        (REMOVE, {"id": label["id"]}),
    ):
        refusal(ask(route, body), "project-archived")


def test_limit(ask, atlas, clock, refusal):
    """A project has at most 500 labels of its own."""
    for n in range(MAX_PROJECT_LABELS):
        LabelRow.create(
            id=new_id(clock.now), project=atlas, name=f"l{n}", created_at=clock.now
        )

    refused = ask(CREATE, {"projectId": atlas.id, "name": "one-more"})

    refusal(refused, "limit-exceeded")


def test_list(ask, atlas, make_label, clock):
    """A project's picker: its own and the global ones, by name, narrowed by scope."""
    borealis = make_project("borealis", clock.now)
    make_label("zoo", borealis)
    make_label("bug")
    ask(ADMIN_ADD, {"name": "about"})
    ours = {"projectSlug": "atlas"}

    assert names(ask(LIST, ours)) == ["about", "bug"]
    assert names(ask(LIST, ours | {"scope": "project"})) == ["bug"]
    assert names(ask(LIST, ours | {"scope": "global"})) == ["about"]
    assert names(ask(LIST)) == ["about", "bug", "zoo"]
    assert names(ask(LIST, {"q": "B"})) == ["bug"]
    assert names(ask(LIST, {"q": "%"})) == []
    borealis.change({"archived_at": clock.now}, clock.now)
    assert names(ask(LIST, {"scope": "project"})) == ["bug"]
    assert names(ask(LIST, {"projectSlug": "borealis"})) == ["about", "zoo"]


def test_list_in_pages(ask, make_label, refusal):
    """Pages neither skip nor repeat; a cursor is bound to its filters."""
    for name in ("c", "a", "b"):
        make_label(name)

    first = ask(LIST, {"limit": 2})
    cursor = first.json["meta"]["cursor"]
    second = ask(LIST, {"limit": 2, "cursor": cursor})

    assert names(first) + names(second) == ["a", "b", "c"]
    assert second.json["meta"]["cursor"] is None
    refusal(ask(LIST, {"q": "a", "cursor": cursor}), "invalid-cursor")


@pytest.mark.parametrize(
    "name", ["", "a" * 49, "A", "a--b", "a ", "-a", "a\n", "ä", 5, None]
)
def test_name_in_a_wrong_shape(ask, atlas, name):
    """A label's name is of the pattern, wherever it is said."""
    id = "00000000-0000-7000-8000-000000000000"
    body = {"name": name}

    assert ask(CREATE, body | {"projectId": atlas.id}).status_code == 422
    assert ask(ADMIN_ADD, body).status_code == 422
    assert ask(UPDATE, body | {"id": id}).status_code == 422


def test_nothing_there(ask, refusal):
    """Who names what is not there is told so."""
    id = "00000000-0000-7000-8000-000000000000"

    refusal(ask(CREATE, {"projectId": id, "name": "x"}), "project-not-found")
    refusal(ask(UPDATE, {"id": id, "name": "x"}), "label-not-found")
    refusal(ask(REMOVE, {"id": id}), "label-not-found")
    refusal(ask(LIST, {"projectId": id}), "project-not-found")


def test_create_again(ask, atlas):
    """The repeat of an adding is answered as the first was."""
    body, repeat = {"projectId": atlas.id, "name": "x"}, {"Idempotency-Key": "one"}
    first = ask(CREATE, body, headers=repeat)

    assert ask(CREATE, body, headers=repeat).data == first.data
    assert LabelRow.select().count() == 1
