"""Comments through HTTP."""

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
NOBODY = "00000000-0000-7000-8000-000000000000"
WORDS = "Secret **words**.\n\nSecond line."


@pytest.fixture
def as_(issue):
    """Say by whom a call is made: one key that acts for the account."""
    key = issue("projects:*", "platform:actors:assert")
    return lambda account: {"key": key, "headers": {"Act-As-Account": account}}


@pytest.fixture
def say(api, item, as_):
    def said(content=WORDS, account=CONTRIBUTOR, on=item):
        body = {"entityType": "work", "entityId": on.id, "content": content}
        return api(ADD, body, **as_(account))

    return said


def told():
    rows = list(ActivityRow.select().order_by(ActivityRow.number))
    assert all(row.metadata.pop("requestId") for row in rows)
    assert not any("ecret" in str(row.metadata) for row in rows)
    return [(row.action, row.metadata) for row in rows]


def indexed():
    return [(row.entity_id, row.title, row.body) for row in IndexedTextRow.select()]


def texts(response):
    return [each["content"] for each in response.json["data"]]


def test_life_of_a_comment(api, sample_project, item, say, as_, clock):
    """Said, said otherwise, taken back: the feed never has the words."""
    first = say().json["data"]
    id, on = {"id": first["id"]}, {"onType": "work", "onId": item.id}
    assert indexed() == [(first["id"], "", WORDS)]

    second = api(UPDATE, id | {"content": "Secret!"}, **as_(CONTRIBUTOR)).json["data"]
    assert indexed() == [(first["id"], "", "Secret!")]
    clock.pass_(minutes=1)
    gone = api(REMOVE, id, **as_(CONTRIBUTOR)).json["data"]

    assert (first["content"], first["authorId"]) == (WORDS, CONTRIBUTOR)
    after = {"content": "Secret!", "updatedAt": "2026-03-01T12:00:00.001Z"}
    assert second == first | after
    later = dict.fromkeys(("updatedAt", "deletedAt"), "2026-03-01T12:01:00.000Z")
    assert gone == first | later | {"content": ""}
    assert (CommentRow.get().content, indexed()) == ("", [])
    lengths = {"fromLength": len(WORDS), "toLength": 7}
    assert told() == [
        ("comment.added", on | {"length": len(WORDS)}),
        ("comment.updated", on | lengths),
        ("comment.removed", on | {"byAuthor": True}),
    ]


def test_add(api, sample_project, item, say):
    """A comment is its author's, and has all its members from the start."""
    comment = say().json["data"]

    assert comment == {
        "id": comment["id"],
        **{"entityType": "work", "entityId": item.id, "projectId": sample_project.id},
        **{"authorType": "account", "authorId": CONTRIBUTOR, "content": WORDS},
        **{"createdAt": "2026-03-01T12:00:00.000Z", "deletedAt": None},
        "updatedAt": "2026-03-01T12:00:00.000Z",
    }
    assert api(GET, {"id": comment["id"]}).json["data"] == comment


def test_comment_leaves_the_item_alone(api, item, say, clock):
    """A comment moves no time of what it is on."""
    clock.pass_(minutes=1)

    say()

    assert WorkItemRow.get_by_id(item.id).updated_at == item.updated_at


def test_said_again(api, item, say, as_):
    """The repeat of a call is one comment; the same words change nothing."""
    body = {"entityType": "work", "entityId": item.id, "content": "Hm."}
    repeat = {"Idempotency-Key": "one"}
    first = api(ADD, body, headers=repeat)

    assert api(ADD, body, headers=repeat).data == first.data
    mine = say("Same").json["data"]
    same = {"id": mine["id"], "content": "Same"}
    assert api(UPDATE, same, **as_(CONTRIBUTOR)).json["data"] == mine
    assert [action for action, _ in told()] == ["comment.added"] * 2


def test_only_the_author_changes(api, say, as_, refusal):
    """Neither a maintainer nor a key for nobody changes another's words."""
    id = {"id": say().json["data"]["id"]}
    body = id | {"content": "Mine now"}

    refusal(api(UPDATE, body), "not-author")
    refusal(api(UPDATE, body, **as_(MAINTAINER)), "not-author")
    refusal(api(UPDATE, body, **as_(STRANGER)), "role-required")
    refusal(api(REMOVE, id, **as_(STRANGER)), "role-required")


def test_author_without_a_role(api, sample_project, say, as_, refusal):
    """Who left the project may take the own words back, but not change them."""
    id = {"id": say().json["data"]["id"]}
    MemberRow.delete().execute()

    refusal(api(UPDATE, id | {"content": "x"}, **as_(CONTRIBUTOR)), "role-required")
    assert api(REMOVE, id, **as_(CONTRIBUTOR)).status_code == 200


def test_maintainer_removes(api, say, as_, refusal):
    """A maintainer removes what others said; another contributor does not."""
    theirs = {"id": say(account=MAINTAINER).json["data"]["id"]}
    mine = {"id": say().json["data"]["id"]}

    refusal(api(REMOVE, theirs, **as_(CONTRIBUTOR)), "role-required")
    assert api(REMOVE, mine, **as_(MAINTAINER)).status_code == 200
    assert told()[-1][1]["byAuthor"] is False


def test_removed(api, say, as_, refusal):
    """What was removed cannot be changed; removing it again returns it."""
    id = {"id": say().json["data"]["id"]}
    gone = api(REMOVE, id, **as_(CONTRIBUTOR))

    assert api(REMOVE, id, **as_(CONTRIBUTOR)).json == gone.json
    changed = api(UPDATE, id | {"content": "x"}, **as_(CONTRIBUTOR))
    refusal(changed, "comment-removed")
    assert len(told()) == 2


def test_update_of_what_has_changed(api, say, as_, refusal):
    """Who expects an older time is told the current one."""
    comment = say().json["data"]
    body = {"id": comment["id"], "expectedUpdatedAt": comment["updatedAt"]}
    api(UPDATE, body | {"content": "x"}, **as_(CONTRIBUTOR))

    refused = api(UPDATE, body | {"content": "y"}, **as_(CONTRIBUTOR))

    problem = refusal(refused, "version-conflict")
    assert problem["current"] == "2026-03-01T12:00:00.001Z"


def test_archived(api, sample_project, item, say, as_, clock, refusal):
    """On an archived item nothing is said, but words are taken back."""
    id = {"id": say().json["data"]["id"]}
    other = {"id": say().json["data"]["id"]}
    item.change({"archived_at": clock.now}, clock.now)
    change = id | {"content": "x"}

    refusal(say(), "archived")
    refusal(api(UPDATE, change, **as_(CONTRIBUTOR)), "archived")
    assert api(REMOVE, id, **as_(CONTRIBUTOR)).status_code == 200
    sample_project.change({"archived_at": clock.now}, clock.now)
    refusal(say(), "project-archived")
    for route, body in ((UPDATE, change), (REMOVE, other)):
        refusal(api(route, body, **as_(CONTRIBUTOR)), "project-archived")


def test_list(api, sample_project, item, say, as_, clock, refusal):
    """Oldest first, the removed in their places; narrowed by what is asked."""
    say("a")
    clock.pass_(minutes=1)
    gone = say("b", MAINTAINER).json["data"]
    clock.pass_(minutes=1)
    say("c", on=make_item(sample_project, clock.now))
    api(REMOVE, {"id": gone["id"]})
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
    [{}, {"entityType": "work"}, {"entityId": NOBODY}, {"projectId": NOBODY, "x": 1}],
)
def test_list_of_nothing_named(api, query):
    """A list says whose comments it wants."""
    assert api(LIST, query).status_code == 422


@pytest.mark.parametrize(
    "given",
    [
        {"content": ""},
        {"content": "x" * 50_001},
        {"content": "a\x00b"},
        {"content": None},
        {"entityType": "milestone"},
        {"entityId": "x"},
        {"projectId": NOBODY},
    ],
)
def test_add_in_a_wrong_shape(api, item, given):
    """Each wrong member is refused, and nothing is kept."""
    body = {"entityType": "work", "entityId": item.id, "content": "x"}

    assert api(ADD, body | {"content": "x" * 50_000}).status_code == 200
    assert api(ADD, body | given).status_code == 422
    assert CommentRow.select().count() == 1


@pytest.mark.parametrize("kind", ["work", "specification", "document"])
def test_nothing_there(api, refusal, kind):
    """Who names what is not there is told so."""
    on = {"entityType": kind, "entityId": NOBODY}
    missing = "work-item-not-found" if kind == "work" else f"{kind}-not-found"

    refusal(api(ADD, on | {"content": "x"}), missing)
    refusal(api(LIST, on), missing)
    refusal(api(LIST, {"projectId": NOBODY}), "project-not-found")
    refusal(api(GET, {"id": NOBODY}), "comment-not-found")
    refusal(api(UPDATE, {"id": NOBODY, "content": "x"}), "comment-not-found")
    refusal(api(REMOVE, {"id": NOBODY}), "comment-not-found")
