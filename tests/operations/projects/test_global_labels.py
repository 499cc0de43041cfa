"""Global labels through HTTP, by both ways in."""

import pytest

from models.audit import AuditRow
from models.projects.planning.rows import LabelRow
from models.projects.projects.activity import ActivityRow
from models.projects.work.rows import WorkItemRow, WorkLabelRow
from tests.worlds.projects import MAINTAINER, make_project

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


@pytest.mark.parametrize("route", [CREATE, ADMIN_ADD])
def test_life_of_a_global_label(ask, issue, route, audited):
    """Either way in, a global label is audited and in no project's feed."""
    key = issue("projects:*")
    label = ask(route, {"name": "bug"}, key=key).json["data"]
    update, remove = (
        (UPDATE, REMOVE) if route == CREATE else (ADMIN_UPDATE, ADMIN_REMOVE)
    )

    ask(update, {"id": label["id"], "name": "defect"}, key=key)
    ask(update, {"id": label["id"], "name": "defect"}, key=key)
    gone = ask(remove, {"id": label["id"]}, key=key).json["data"]

    assert label["projectId"] is None
    nothing_left = {"projectId": None, "name": "defect", "detached": 0}
    assert gone == nothing_left | {"id": label["id"]}
    assert recorded() == []
    assert audited() == ["label.added", "label.updated", "label.removed"]
    row = AuditRow.get(AuditRow.action == "label.updated")
    assert (row.area, row.target_type, row.target_label, row.detail) == (
        *("projects", "label", "defect"),
        f'bug -> defect via key {key[:11]} "test"',
    )


def test_global_label_without_the_admin_scope(ask):
    """Through labels/* a global label needs the role that only operators have."""
    label = ask(ADMIN_ADD, {"name": "bug"}).json["data"]
    bodies = {
        CREATE: ({"name": "other"}, "add"),
        UPDATE: ({"id": label["id"], "name": "other"}, "update"),
        REMOVE: ({"id": label["id"]}, "remove"),
    }

    for route, (body, verb) in bodies.items():
        refused = ask(route, body)

        assert refused.status_code == 403
        assert refused.json["requiredScope"] == f"projects:admin:labels:{verb}"
    assert [row.name for row in LabelRow.select()] == ["bug"]


def test_global_label_by_an_account(ask, issue):
    """Whoever's key covers the admin scope manages global labels, account or not."""
    key = issue("projects:*", "platform:actors:assert")

    response = ask(
        CREATE, {"name": "bug"}, key=key, headers={"Act-As-Account": MAINTAINER}
    )

    assert response.status_code == 200
    assert AuditRow.get().detail.startswith("via key mh_")


@pytest.mark.parametrize("route", [ADMIN_UPDATE, ADMIN_REMOVE])
def test_admin_labels_are_global(ask, make_label, refusal, route):
    """A project's label is none of the operators' labels."""
    label = make_label("bug")
    changes = {"name": "x"} if route == ADMIN_UPDATE else {}

    refused = ask(route, {"id": label["id"]} | changes)

    refusal(refused, "label-not-found")


def test_merge(ask, atlas, make_label, wear, clock, audited):
    """Promoting a name moves the items to the global label, archived ones too."""
    borealis = make_project("borealis", clock.now)
    old, other = make_label("bug"), make_label("bug", borealis)
    item, far = wear(atlas, old), wear(borealis, other)
    borealis.change({"archived_at": clock.now}, clock.now)
    clock.pass_(minutes=1)

    new = ask(ADMIN_ADD, {"name": "bug", "mergeProjectLabels": True}).json["data"]

    assert [row.id for row in LabelRow.select()] == [new["id"]]
    borne = {row.work_id: row.label_id for row in WorkLabelRow.select()}
    assert borne == dict.fromkeys((item.id, far.id), new["id"])
    assert WorkItemRow.get_by_id(item.id).updated_at == clock.now
    merged = [m for action, m in recorded() if action == "project.label-removed"]
    assert {m["labelId"]: m["mergedInto"] for m in merged} == {
        old["id"]: new["id"],
        other["id"]: new["id"],
    }
    assert [m["detached"] for m in merged] == [1, 1]
    assert audited() == ["label.added"]


def test_global_label_goes_from_archived_projects(ask, atlas, wear, clock):
    """The removal of a global label is the one change that reaches an archive."""
    label = ask(ADMIN_ADD, {"name": "bug"}).json["data"]
    wear(atlas, label)
    atlas.change({"archived_at": clock.now}, clock.now)

    gone = ask(ADMIN_REMOVE, {"id": label["id"]}).json["data"]

    assert gone["detached"] == 1
    assert WorkLabelRow.select().count() == 0


def test_admin_list(ask, atlas, make_label, wear, clock):
    """Each global label is told with its items and projects."""
    borealis = make_project("borealis", clock.now)
    bug = ask(ADMIN_ADD, {"name": "bug"}).json["data"]
    idea = ask(ADMIN_ADD, {"name": "idea"}).json["data"]
    make_label("own")
    for project in (atlas, atlas, borealis):
        wear(project, bug)

    listed = ask(ADMIN_LIST).json["data"]

    assert listed == [
        {"label": bug, "uses": 3, "projects": 2},
        {"label": idea, "uses": 0, "projects": 0},
    ]
    assert ask(ADMIN_LIST, {"q": "id"}).json["data"] == listed[1:]
