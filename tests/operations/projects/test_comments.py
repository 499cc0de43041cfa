"""Comments through HTTP."""

import pytest

from models.projects.discussion.rows import CommentRow
from models.projects.members.rows import MemberRow
from models.projects.projects.activity import ActivityRow
from models.projects.search.text_index import IndexedTextRow
from models.projects.work.rows import WorkItemRow
from tests.worlds.projects import CONTRIBUTOR, MAINTAINER, STRANGER, make_item

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
def say(ask, item, as_):
    def said(content=WORDS, account=CONTRIBUTOR, on=item):
        asked = {"entityType": "work", "entityId": on.id, "content": content}
        return ask(ADD, asked, **as_(account))

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


def test_life_of_a_comment(ask, atlas, item, say, as_, clock):
    """Said, said otherwise, taken back: the feed never has the words."""
    first = say().json["data"]
    id, on = {"id": first["id"]}, {"onType": "work", "onId": item.id}
    assert indexed() == [(first["id"], "", WORDS)]

    second = ask(UPDATE, id | {"content": "Secret!"}, **as_(CONTRIBUTOR)).json["data"]
    assert indexed() == [(first["id"], "", "Secret!")]
    clock.pass_(minutes=1)
    gone = ask(REMOVE, id, **as_(CONTRIBUTOR)).json["data"]

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


def test_add(ask, atlas, item, say):
    """A comment is its author's, and has all its members from the start."""
    comment = say().json["data"]

    assert comment == {
        "id": comment["id"],
        **{"entityType": "work", "entityId": item.id, "projectId": atlas.id},
        **{"authorType": "account", "authorId": CONTRIBUTOR, "content": WORDS},
        **{"createdAt": "2026-03-01T12:00:00.000Z", "deletedAt": None},
        "updatedAt": "2026-03-01T12:00:00.000Z",
    }
    assert ask(GET, {"id": comment["id"]}).json["data"] == comment


def test_comment_leaves_the_item_alone(ask, item, say, clock):
    """A comment moves no time of what it is on."""
    clock.pass_(minutes=1)

    say()

    assert WorkItemRow.get_by_id(item.id).updated_at == item.updated_at


def test_said_again(ask, item, say, as_):
    """The repeat of a call is one comment; the same words change nothing."""
    asked = {"entityType": "work", "entityId": item.id, "content": "Hm."}
    repeat = {"Idempotency-Key": "one"}
    first = ask(ADD, asked, headers=repeat)

    assert ask(ADD, asked, headers=repeat).data == first.data
    mine = say("Same").json["data"]
    same = {"id": mine["id"], "content": "Same"}
    assert ask(UPDATE, same, **as_(CONTRIBUTOR)).json["data"] == mine
    assert [action for action, _ in told()] == ["comment.added"] * 2


def test_only_the_author_changes(ask, say, as_, refusal):
    """Neither a maintainer nor a key for nobody changes another's words."""
    id = {"id": say().json["data"]["id"]}
    asked = id | {"content": "Mine now"}

    refusal(ask(UPDATE, asked), "not-author")
    refusal(ask(UPDATE, asked, **as_(MAINTAINER)), "not-author")
    refusal(ask(UPDATE, asked, **as_(STRANGER)), "role-required")
    refusal(ask(REMOVE, id, **as_(STRANGER)), "role-required")


def test_author_without_a_role(ask, atlas, say, as_, refusal):
    """Who left the project may take the own words back, but not change them."""
    id = {"id": say().json["data"]["id"]}
    MemberRow.delete().execute()

    refusal(ask(UPDATE, id | {"content": "x"}, **as_(CONTRIBUTOR)), "role-required")
    assert ask(REMOVE, id, **as_(CONTRIBUTOR)).status_code == 200


def test_maintainer_removes(ask, say, as_, refusal):
    """A maintainer removes what others said; another contributor does not."""
    theirs = {"id": say(account=MAINTAINER).json["data"]["id"]}
    mine = {"id": say().json["data"]["id"]}

    refusal(ask(REMOVE, theirs, **as_(CONTRIBUTOR)), "role-required")
    assert ask(REMOVE, mine, **as_(MAINTAINER)).status_code == 200
    assert told()[-1][1]["byAuthor"] is False


def test_removed(ask, say, as_, refusal):
    """What was removed cannot be changed; removing it again returns it."""
    id = {"id": say().json["data"]["id"]}
    gone = ask(REMOVE, id, **as_(CONTRIBUTOR))

    assert ask(REMOVE, id, **as_(CONTRIBUTOR)).json == gone.json
    changed = ask(UPDATE, id | {"content": "x"}, **as_(CONTRIBUTOR))
    refusal(changed, "comment-removed")
    assert len(told()) == 2


def test_update_of_what_has_changed(ask, say, as_, refusal):
    """Who expects an older time is told the current one."""
    comment = say().json["data"]
    asked = {"id": comment["id"], "expectedUpdatedAt": comment["updatedAt"]}
    ask(UPDATE, asked | {"content": "x"}, **as_(CONTRIBUTOR))

    refused = ask(UPDATE, asked | {"content": "y"}, **as_(CONTRIBUTOR))

    problem = refusal(refused, "version-conflict")
    assert problem["current"] == "2026-03-01T12:00:00.001Z"


def test_archived(ask, atlas, item, say, as_, clock, refusal):
    """On an archived item nothing is said, but words are taken back."""
    id = {"id": say().json["data"]["id"]}
    other = {"id": say().json["data"]["id"]}
    item.change({"archived_at": clock.now}, clock.now)
    change = id | {"content": "x"}

    refusal(say(), "archived")
    refusal(ask(UPDATE, change, **as_(CONTRIBUTOR)), "archived")
    assert ask(REMOVE, id, **as_(CONTRIBUTOR)).status_code == 200
    atlas.change({"archived_at": clock.now}, clock.now)
    refusal(say(), "project-archived")
    for route, body in ((UPDATE, change), (REMOVE, other)):
        refusal(ask(route, body, **as_(CONTRIBUTOR)), "project-archived")


def test_list(ask, atlas, item, say, as_, clock, refusal):
    """Oldest first, the removed in their places; narrowed by what is asked."""
    say("a")
    clock.pass_(minutes=1)
    gone = say("b", MAINTAINER).json["data"]
    clock.pass_(minutes=1)
    say("c", on=make_item(atlas, clock.now))
    ask(REMOVE, {"id": gone["id"]})
    on, all_ = {"entityType": "work", "entityId": item.id}, {"projectSlug": "atlas"}

    for query, found in (
        (on, ["a", ""]),
        (all_, ["a", "", "c"]),
        (all_ | {"order": "desc"}, ["c", "", "a"]),
        (all_ | {"removed": "exclude"}, ["a", "c"]),
        (on | {"authorId": MAINTAINER}, [""]),
        (all_ | {"updatedAfter": "2026-03-01T12:01:00Z"}, ["", "c"]),
    ):
        assert texts(ask(LIST, query)) == found, query
    cursor = (first := ask(LIST, all_ | {"limit": 2})).json["meta"]["cursor"]
    rest = ask(LIST, all_ | {"limit": 2, "cursor": cursor})
    assert texts(first) + texts(rest) == ["a", "", "c"]
    refusal(ask(LIST, on | {"cursor": cursor}), "invalid-cursor")


@pytest.mark.parametrize(
    "query",
    [{}, {"entityType": "work"}, {"entityId": NOBODY}, {"projectId": NOBODY, "x": 1}],
)
def test_list_of_nothing_named(ask, query):
    """A list says whose comments it wants."""
    assert ask(LIST, query).status_code == 422


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
def test_add_in_a_wrong_shape(ask, item, given):
    """Each wrong member is refused, and nothing is kept."""
    asked = {"entityType": "work", "entityId": item.id, "content": "x"}

    assert ask(ADD, asked | {"content": "x" * 50_000}).status_code == 200
    assert ask(ADD, asked | given).status_code == 422
    assert CommentRow.select().count() == 1


@pytest.mark.parametrize("kind", ["work", "specification", "document"])
def test_nothing_there(ask, refusal, kind):
    """Who names what is not there is told so."""
    on = {"entityType": kind, "entityId": NOBODY}
    missing = "work-item-not-found" if kind == "work" else f"{kind}-not-found"

    refusal(ask(ADD, on | {"content": "x"}), missing)
    refusal(ask(LIST, on), missing)
    refusal(ask(LIST, {"projectId": NOBODY}), "project-not-found")
    refusal(ask(GET, {"id": NOBODY}), "comment-not-found")
    refusal(ask(UPDATE, {"id": NOBODY, "content": "x"}), "comment-not-found")
    refusal(ask(REMOVE, {"id": NOBODY}), "comment-not-found")
