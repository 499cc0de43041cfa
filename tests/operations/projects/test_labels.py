"""Labels over HTTP: those of a project, and the global ones."""

import pytest

from models.audit import AuditRow
from models.base import new_id
from models.projects.planning.labels import MAX_PROJECT_LABELS
from models.projects.planning.rows import LabelRow
from models.projects.projects.activity import ActivityRow
from models.projects.work.rows import WorkItemRow, WorkLabelRow
from tests.factories.projects import MAINTAINER, make_project

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


def test_life_of_a_project_label(
    api, sample_project, make_label, make_labelled_item, clock, audited
):
    """
    A label is added, renamed and removed from its items, recorded only in the activity.
    """
    label = make_label("bug")
    item = make_labelled_item(sample_project, label, archived_at=clock.now)
    renamed = api(UPDATE, {"id": label["id"], "name": "defect"}).json["data"]
    clock.pass_(minutes=1)

    removed = api(REMOVE, {"id": label["id"]}).json["data"]

    assert renamed == label | {"name": "defect"}
    expected = {"id": label["id"], "projectId": sample_project.id}
    assert removed == expected | {"name": "defect", "detached": 1}
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


def test_time_of_items_grows_in_the_same_instant(
    api, sample_project, make_label, make_labelled_item, clock
):
    """A removal in the same instant still increases the updatedAt of items."""
    item = make_labelled_item(sample_project, label := make_label("bug"))

    api(REMOVE, {"id": label["id"]})

    assert WorkItemRow.get_by_id(item.id).updated_at > clock.now


def test_rename_to_the_same(api, make_label):
    """A rename to the same name leaves no record."""
    label = make_label("bug")

    response = api(UPDATE, {"id": label["id"], "name": "bug"})

    assert response.json["data"] == label
    assert len(recorded()) == 1


def test_names_are_told_apart(api, sample_project, make_label, clock, refusal):
    """No list has one name twice: within a project, globally, or in both."""
    borealis = make_project("borealis", clock.now)
    make_label("bug")
    make_label("bug", borealis)
    api(ADMIN_ADD, {"name": "idea"})
    other = api(ADMIN_ADD, {"name": "other"}).json["data"]["id"]
    mine = {"projectId": sample_project.id}

    refusal(api(CREATE, mine | {"name": "bug"}), "name-taken")
    refusal(api(CREATE, mine | {"name": "idea"}), "name-taken")
    refusal(api(UPDATE, {"id": make_label("x")["id"], "name": "idea"}), "name-taken")
    refusal(api(UPDATE, {"id": make_label("y")["id"], "name": "bug"}), "name-taken")
    refusal(api(ADMIN_ADD, {"name": "idea"}), "name-taken")
    merging = {"name": "idea", "mergeProjectLabels": True}
    refusal(api(ADMIN_ADD, merging), "name-taken")
    for route, extra in ((ADMIN_ADD, {}), (ADMIN_UPDATE, {"id": other})):
        problem = refusal(api(route, {"name": "bug"} | extra), "name-taken")
        assert problem["projects"] == 2


def test_archived_project(api, sample_project, make_label, clock, refusal):
    """The labels of an archived project cannot be changed."""
    label = make_label("bug")
    sample_project.change({"archived_at": clock.now}, clock.now)

    for route, body in (
        (CREATE, {"projectId": sample_project.id, "name": "x"}),
        (UPDATE, {"id": label["id"], "name": "x"}),
        (REMOVE, {"id": label["id"]}),
    ):
        refusal(api(route, body), "project-archived")


def test_limit(api, sample_project, clock, refusal):
    """A project has at most 500 labels."""
    for n in range(MAX_PROJECT_LABELS):
        LabelRow.create(
            id=new_id(clock.now),
            project=sample_project,
            name=f"l{n}",
            created_at=clock.now,
        )

    refused = api(CREATE, {"projectId": sample_project.id, "name": "one-more"})

    refusal(refused, "limit-exceeded")


def test_list(api, sample_project, make_label, clock):
    """The labels of a project and the global ones, by name, narrowed by scope."""
    borealis = make_project("borealis", clock.now)
    make_label("zoo", borealis)
    make_label("bug")
    api(ADMIN_ADD, {"name": "about"})
    ours = {"projectSlug": "atlas"}

    assert names(api(LIST, ours)) == ["about", "bug"]
    assert names(api(LIST, ours | {"scope": "project"})) == ["bug"]
    assert names(api(LIST, ours | {"scope": "global"})) == ["about"]
    assert names(api(LIST)) == ["about", "bug", "zoo"]
    assert names(api(LIST, {"q": "B"})) == ["bug"]
    assert names(api(LIST, {"q": "%"})) == []
    borealis.change({"archived_at": clock.now}, clock.now)
    assert names(api(LIST, {"scope": "project"})) == ["bug"]
    assert names(api(LIST, {"projectSlug": "borealis"})) == ["about", "zoo"]


def test_list_in_pages(api, make_label, refusal):
    """Pages neither skip nor repeat a label; a cursor is bound to its filters."""
    for name in ("c", "a", "b"):
        make_label(name)

    first = api(LIST, {"limit": 2})
    cursor = first.json["meta"]["cursor"]
    second = api(LIST, {"limit": 2, "cursor": cursor})

    assert names(first) + names(second) == ["a", "b", "c"]
    assert second.json["meta"]["cursor"] is None
    refusal(api(LIST, {"q": "a", "cursor": cursor}), "invalid-cursor")


@pytest.mark.parametrize(
    "name", ["", "a" * 49, "A", "a--b", "a ", "-a", "a\n", "ä", 5, None]
)
def test_name_in_a_wrong_shape(api, sample_project, name):
    """A label's name must match the pattern, in every operation."""
    id = "00000000-0000-7000-8000-000000000000"
    body = {"name": name}

    assert api(CREATE, body | {"projectId": sample_project.id}).status_code == 422
    assert api(ADMIN_ADD, body).status_code == 422
    assert api(UPDATE, body | {"id": id}).status_code == 422


def test_nothing_there(api, refusal):
    """An unknown id is a 404."""
    id = "00000000-0000-7000-8000-000000000000"

    refusal(api(CREATE, {"projectId": id, "name": "x"}), "project-not-found")
    refusal(api(UPDATE, {"id": id, "name": "x"}), "label-not-found")
    refusal(api(REMOVE, {"id": id}), "label-not-found")
    refusal(api(LIST, {"projectId": id}), "project-not-found")


def test_create_again(api, sample_project):
    """A repeat returns the first response."""
    body, repeat = (
        {"projectId": sample_project.id, "name": "x"},
        {"Idempotency-Key": "one"},
    )
    first = api(CREATE, body, headers=repeat)

    assert api(CREATE, body, headers=repeat).data == first.data
    assert LabelRow.select().count() == 1


@pytest.mark.parametrize("route", [CREATE, ADMIN_ADD])
def test_life_of_a_global_label(api, issue, route, audited):
    """A global label is audited, and in no project's activity."""
    key = issue("projects:*")
    label = api(route, {"name": "bug"}, key=key).json["data"]
    update, remove = (
        (UPDATE, REMOVE) if route == CREATE else (ADMIN_UPDATE, ADMIN_REMOVE)
    )

    api(update, {"id": label["id"], "name": "defect"}, key=key)
    api(update, {"id": label["id"], "name": "defect"}, key=key)
    removed = api(remove, {"id": label["id"]}, key=key).json["data"]

    assert label["projectId"] is None
    nothing_left = {"projectId": None, "name": "defect", "detached": 0}
    assert removed == nothing_left | {"id": label["id"]}
    assert recorded() == []
    assert audited() == ["label.added", "label.updated", "label.removed"]
    row = AuditRow.get(AuditRow.action == "label.updated")
    assert (row.area, row.target_type, row.target_label, row.detail) == (
        *("projects", "label", "defect"),
        f'bug -> defect via key {key[:11]} "test"',
    )


def test_global_label_without_the_admin_scope(api):
    """Through labels/* a global label requires a role that only operators have."""
    label = api(ADMIN_ADD, {"name": "bug"}).json["data"]
    bodies = {
        CREATE: ({"name": "other"}, "add"),
        UPDATE: ({"id": label["id"], "name": "other"}, "update"),
        REMOVE: ({"id": label["id"]}, "remove"),
    }

    for route, (body, verb) in bodies.items():
        refused = api(route, body)

        assert refused.status_code == 403
        assert refused.json["requiredScope"] == f"projects:admin:labels:{verb}"
    assert [row.name for row in LabelRow.select()] == ["bug"]


def test_global_label_by_an_account(api, issue):
    """A key with the admin scope manages global labels, with or without an account."""
    key = issue("projects:*", "platform:actors:assert")

    response = api(
        CREATE, {"name": "bug"}, key=key, headers={"Act-As-Account": MAINTAINER}
    )

    assert response.status_code == 200
    assert AuditRow.get().detail.startswith("via key mh_")


@pytest.mark.parametrize("route", [ADMIN_UPDATE, ADMIN_REMOVE])
def test_admin_labels_are_global(api, make_label, refusal, route):
    """Labels of projects are not accessible to the operations for global labels."""
    label = make_label("bug")
    changes = {"name": "x"} if route == ADMIN_UPDATE else {}

    refused = api(route, {"id": label["id"]} | changes)

    refusal(refused, "label-not-found")


def test_merge(api, sample_project, make_label, make_labelled_item, clock, audited):
    """Promoting a name moves the items to the global label, archived ones too."""
    borealis = make_project("borealis", clock.now)
    old, other = make_label("bug"), make_label("bug", borealis)
    item, far = (
        make_labelled_item(sample_project, old),
        make_labelled_item(borealis, other),
    )
    borealis.change({"archived_at": clock.now}, clock.now)
    clock.pass_(minutes=1)

    new = api(ADMIN_ADD, {"name": "bug", "mergeProjectLabels": True}).json["data"]

    assert [row.id for row in LabelRow.select()] == [new["id"]]
    label_by_item = {row.work_id: row.label_id for row in WorkLabelRow.select()}
    assert label_by_item == dict.fromkeys((item.id, far.id), new["id"])
    assert WorkItemRow.get_by_id(item.id).updated_at == clock.now
    merged = [m for action, m in recorded() if action == "project.label-removed"]
    assert {m["labelId"]: m["mergedInto"] for m in merged} == {
        old["id"]: new["id"],
        other["id"]: new["id"],
    }
    assert [m["detached"] for m in merged] == [1, 1]
    assert audited() == ["label.added"]


def test_global_label_goes_from_archived_projects(
    api, sample_project, make_labelled_item, clock
):
    """Only the removal of a global label changes archived projects."""
    label = api(ADMIN_ADD, {"name": "bug"}).json["data"]
    make_labelled_item(sample_project, label)
    sample_project.change({"archived_at": clock.now}, clock.now)

    removed = api(ADMIN_REMOVE, {"id": label["id"]}).json["data"]

    assert removed["detached"] == 1
    assert WorkLabelRow.select().count() == 0


def test_admin_list(api, sample_project, make_label, make_labelled_item, clock):
    """Each global label has the numbers of its items and projects."""
    borealis = make_project("borealis", clock.now)
    bug = api(ADMIN_ADD, {"name": "bug"}).json["data"]
    idea = api(ADMIN_ADD, {"name": "idea"}).json["data"]
    make_label("own")
    for project in (sample_project, sample_project, borealis):
        make_labelled_item(project, bug)

    listed = api(ADMIN_LIST).json["data"]

    assert listed == [
        {"label": bug, "uses": 3, "projects": 2},
        {"label": idea, "uses": 0, "projects": 0},
    ]
    assert api(ADMIN_LIST, {"q": "id"}).json["data"] == listed[1:]
