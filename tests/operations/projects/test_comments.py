"""Comments over HTTP."""

import pytest

from models.projects.discussion.rows import CommentRow
from models.projects.members.rows import MemberRow
from models.projects.projects.activity import ActivityRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.work.rows import WorkItemRow
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, STRANGER, make_item

LIST = "GET /projects/v1/comments/list"
GET = "GET /projects/v1/comments/get"
ADD = "POST /projects/v1/comments/add"
UPDATE = "POST /projects/v1/comments/update"
REMOVE = "POST /projects/v1/comments/remove"
UNKNOWN_ID = "00000000-0000-7000-8000-000000000000"
WORDS = "Secret **words**.\n\nSecond line."


@pytest.fixture
def acting_as(issue):
    """
    Return the options of a request on behalf of the account, with one key for all.
    """
    key = issue("projects:*", "platform:actors:assert")
    return lambda account: {"key": key, "headers": {"Act-As-Account": account}}


@pytest.fixture
def add_comment(api, item, acting_as):
    def add(content=WORDS, account=CONTRIBUTOR, on=item):
        body = {"entityType": "work", "entityId": on.id, "content": content}
        return api(ADD, body, **acting_as(account))

    return add


def activity():
    rows = list(ActivityRow.select().order_by(ActivityRow.number))
    assert all(row.metadata.pop("requestId") for row in rows)
    assert not any("ecret" in str(row.metadata) for row in rows)
    return [(row.action, row.metadata) for row in rows]


def indexed():
    return [(row.entity_id, row.title, row.body) for row in IndexedTextRow.select()]


def texts(response):
    return [each["content"] for each in response.json["data"]]


def test_life_of_a_comment(api, sample_project, item, add_comment, acting_as, clock):
    """A comment is added, edited and removed, and the activity never has its text."""
    first = add_comment().json["data"]
    id, on = {"id": first["id"]}, {"onType": "work", "onId": item.id}
    assert indexed() == [(first["id"], "", WORDS)]

    second = api(UPDATE, id | {"content": "Secret!"}, **acting_as(CONTRIBUTOR)).json[
        "data"
    ]
    assert indexed() == [(first["id"], "", "Secret!")]
    clock.pass_(minutes=1)
    removed = api(REMOVE, id, **acting_as(CONTRIBUTOR)).json["data"]

    assert (first["content"], first["authorId"]) == (WORDS, CONTRIBUTOR)
    after = {"content": "Secret!", "updatedAt": "2026-03-01T12:00:00.001Z"}
    assert second == first | after
    later = dict.fromkeys(("updatedAt", "deletedAt"), "2026-03-01T12:01:00.000Z")
    assert removed == first | later | {"content": ""}
    assert (CommentRow.get().content, indexed()) == ("", [])
    lengths = {"fromLength": len(WORDS), "toLength": 7}
    assert activity() == [
        ("comment.added", on | {"length": len(WORDS)}),
        ("comment.updated", on | lengths),
        ("comment.removed", on | {"byAuthor": True}),
    ]


def test_add(api, sample_project, item, add_comment):
    """A comment has its author, and all its members from the start."""
    comment = add_comment().json["data"]

    assert comment == {
        "id": comment["id"],
        **{"entityType": "work", "entityId": item.id, "projectId": sample_project.id},
        **{"authorType": "account", "authorId": CONTRIBUTOR, "content": WORDS},
        **{"createdAt": "2026-03-01T12:00:00.000Z", "deletedAt": None},
        "updatedAt": "2026-03-01T12:00:00.000Z",
    }
    assert api(GET, {"id": comment["id"]}).json["data"] == comment


def test_comment_leaves_the_item_alone(api, item, add_comment, clock):
    """A comment does not change the updatedAt of its item."""
    clock.pass_(minutes=1)

    add_comment()

    assert WorkItemRow.get_by_id(item.id).updated_at == item.updated_at


def test_said_again(api, item, add_comment, acting_as):
    """A repeated request adds one comment; an equal text changes nothing."""
    body = {"entityType": "work", "entityId": item.id, "content": "Hm."}
    repeat = {"Idempotency-Key": "one"}
    first = api(ADD, body, headers=repeat)

    assert api(ADD, body, headers=repeat).data == first.data
    mine = add_comment("Same").json["data"]
    same = {"id": mine["id"], "content": "Same"}
    assert api(UPDATE, same, **acting_as(CONTRIBUTOR)).json["data"] == mine
    assert [action for action, _ in activity()] == ["comment.added"] * 2


def test_only_the_author_changes(api, add_comment, acting_as, refusal):
    """
    Neither a maintainer nor a key without an account edits the comment of another.
    """
    id = {"id": add_comment().json["data"]["id"]}
    body = id | {"content": "Mine now"}

    refusal(api(UPDATE, body), "not-author")
    refusal(api(UPDATE, body, **acting_as(MAINTAINER)), "not-author")
    refusal(api(UPDATE, body, **acting_as(STRANGER)), "role-required")
    refusal(api(REMOVE, id, **acting_as(STRANGER)), "role-required")


def test_author_without_a_role(api, sample_project, add_comment, acting_as, refusal):
    """An author who left the project may remove the comment, but not edit it."""
    id = {"id": add_comment().json["data"]["id"]}
    MemberRow.delete().execute()

    refusal(
        api(UPDATE, id | {"content": "x"}, **acting_as(CONTRIBUTOR)), "role-required"
    )
    assert api(REMOVE, id, **acting_as(CONTRIBUTOR)).status_code == 200


def test_maintainer_removes(api, add_comment, acting_as, refusal):
    """A maintainer removes comments of others; another contributor does not."""
    theirs = {"id": add_comment(account=MAINTAINER).json["data"]["id"]}
    mine = {"id": add_comment().json["data"]["id"]}

    refusal(api(REMOVE, theirs, **acting_as(CONTRIBUTOR)), "role-required")
    assert api(REMOVE, mine, **acting_as(MAINTAINER)).status_code == 200
    assert activity()[-1][1]["byAuthor"] is False


def test_removed(api, add_comment, acting_as, refusal):
    """A removed comment cannot be edited; removing it again returns it."""
    id = {"id": add_comment().json["data"]["id"]}
    removed = api(REMOVE, id, **acting_as(CONTRIBUTOR))

    assert api(REMOVE, id, **acting_as(CONTRIBUTOR)).json == removed.json
    changed = api(UPDATE, id | {"content": "x"}, **acting_as(CONTRIBUTOR))
    refusal(changed, "comment-removed")
    assert len(activity()) == 2


def test_update_of_what_has_changed(api, add_comment, acting_as, refusal):
    """An update that expects an older time is rejected with the current one."""
    comment = add_comment().json["data"]
    body = {"id": comment["id"], "expectedUpdatedAt": comment["updatedAt"]}
    api(UPDATE, body | {"content": "x"}, **acting_as(CONTRIBUTOR))

    refused = api(UPDATE, body | {"content": "y"}, **acting_as(CONTRIBUTOR))

    problem = refusal(refused, "version-conflict")
    assert problem["current"] == "2026-03-01T12:00:00.001Z"


def test_archived(api, sample_project, item, add_comment, acting_as, clock, refusal):
    """On an archived item no comment can be added, but comments can be removed."""
    id = {"id": add_comment().json["data"]["id"]}
    other = {"id": add_comment().json["data"]["id"]}
    item.change({"archived_at": clock.now}, clock.now)
    change = id | {"content": "x"}

    refusal(add_comment(), "archived")
    refusal(api(UPDATE, change, **acting_as(CONTRIBUTOR)), "archived")
    assert api(REMOVE, id, **acting_as(CONTRIBUTOR)).status_code == 200
    sample_project.change({"archived_at": clock.now}, clock.now)
    refusal(add_comment(), "project-archived")
    for route, body in ((UPDATE, change), (REMOVE, other)):
        refusal(api(route, body, **acting_as(CONTRIBUTOR)), "project-archived")


def test_list(api, sample_project, item, add_comment, acting_as, clock, refusal):
    """Oldest first, with removed ones in place; each parameter narrows the list."""
    add_comment("a")
    clock.pass_(minutes=1)
    removed = add_comment("b", MAINTAINER).json["data"]
    clock.pass_(minutes=1)
    add_comment("c", on=make_item(sample_project, clock.now))
    api(REMOVE, {"id": removed["id"]})
    on, all_ = {"entityType": "work", "entityId": item.id}, {"projectSlug": "atlas"}

    for query, found in (
        (on, ["a", ""]),
        (all_, ["a", "", "c"]),
        (all_ | {"order": "desc"}, ["c", "", "a"]),
        (all_ | {"removed": "exclude"}, ["a", "c"]),
        (on | {"authorId": MAINTAINER}, [""]),
        (all_ | {"updatedAfter": "2026-03-01T12:01:00Z"}, ["", "c"]),
    ):
        assert texts(api(LIST, query)) == found, query
    cursor = (first := api(LIST, all_ | {"limit": 2})).json["meta"]["cursor"]
    rest = api(LIST, all_ | {"limit": 2, "cursor": cursor})
    assert texts(first) + texts(rest) == ["a", "", "c"]
    refusal(api(LIST, on | {"cursor": cursor}), "invalid-cursor")


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"entityType": "work"},
        {"entityId": UNKNOWN_ID},
        {"projectId": UNKNOWN_ID, "x": 1},
    ],
)
def test_list_of_nothing_named(api, query):
    """A list must name the entity or the project."""
    assert api(LIST, query).status_code == 422


@pytest.mark.parametrize(
    "members",
    [
        {"content": ""},
        {"content": "x" * 50_001},
        {"content": "a\x00b"},
        {"content": None},
        {"entityType": "milestone"},
        {"entityId": "x"},
        {"projectId": UNKNOWN_ID},
    ],
)
def test_add_in_a_wrong_shape(api, item, members):
    """Each invalid member is rejected, and nothing is stored."""
    body = {"entityType": "work", "entityId": item.id, "content": "x"}

    assert api(ADD, body | {"content": "x" * 50_000}).status_code == 200
    assert api(ADD, body | members).status_code == 422
    assert CommentRow.select().count() == 1


@pytest.mark.parametrize("kind", ["work", "specification", "document"])
def test_nothing_there(api, refusal, kind):
    """An unknown id is a 404."""
    on = {"entityType": kind, "entityId": UNKNOWN_ID}
    missing = "work-item-not-found" if kind == "work" else f"{kind}-not-found"

    refusal(api(ADD, on | {"content": "x"}), missing)
    refusal(api(LIST, on), missing)
    refusal(api(LIST, {"projectId": UNKNOWN_ID}), "project-not-found")
    refusal(api(GET, {"id": UNKNOWN_ID}), "comment-not-found")
    refusal(api(UPDATE, {"id": UNKNOWN_ID, "content": "x"}), "comment-not-found")
    refusal(api(REMOVE, {"id": UNKNOWN_ID}), "comment-not-found")
