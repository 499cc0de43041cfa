"""External references over HTTP."""

import pytest

from models.projects.discussion.comments import AddComment, RemoveComment
from models.projects.discussion.comments import add_comment as say
from models.projects.discussion.comments import remove_comment as unsay
from models.projects.discussion.references import MAX_REFERENCES
from models.projects.discussion.rows import ExternalReferenceRow
from models.projects.members.rows import MemberRow
from models.projects.planning.milestones import CreateMilestone, create_milestone
from models.projects.projects.activity import ActivityRow
from tests.factories.projects import (
    CONTRIBUTOR,
    KEY,
    MAINTAINER,
    READER,
    make_item,
    make_project,
)

LIST = "GET /projects/v1/references/list"
GET = "GET /projects/v1/references/get"
ADD = "POST /projects/v1/references/add"
UPDATE = "POST /projects/v1/references/update"
REMOVE = "POST /projects/v1/references/remove"
UNKNOWN_ID = "00000000-0000-7000-8000-000000000000"
URL = "https://github.com/owner/repo/pull/12"
PULL = {"url": URL, "externalId": "owner/repo#12", "kind": "pull_request"}


@pytest.fixture
def add_reference(api, item):
    def add(on=item, **members):
        body = {"entityType": "work", "entityId": on.id} | members
        return api(ADD, body)

    return add


@pytest.fixture
def entities(sample_project, item, clock):
    """The entities that can have references, and how each is addressed."""
    plan = CreateMilestone(project_id=sample_project.id, name="Beta")
    milestone = create_milestone(plan, clock.now, KEY)
    words = AddComment(entity_type="work", entity_id=item.id, content="Hm.")
    comment = say(words, clock.now, KEY)
    return {
        "project": {"entityId": sample_project.id},
        "work": {"entityId": item.id},
        "milestone": {"entityId": milestone.id},
        "member": {"entityId": READER, "projectId": sample_project.id},
        "comment": {"entityId": comment.id},
    }


def reference_activity():
    of = ActivityRow.action.contains(".reference-")
    rows = list(ActivityRow.select().where(of).order_by(ActivityRow.number))
    assert all(row.metadata.pop("requestId") for row in rows)
    return [(row.action, row.entity_id, row.metadata) for row in rows]


def ids(response):
    return [each["id"] for each in response.json["data"]]


def test_life_of_a_reference(api, sample_project, item, add_reference, clock):
    """A reference is added, updated and removed, each recorded for its entity."""
    first = add_reference(**PULL, metadata={"a": 1, "b": None}, title=" Fix ").json[
        "data"
    ]
    id = {"id": first["id"]}
    changed = api(UPDATE, id | {"state": "merged", "metadata": None}).json["data"]

    assert first == {
        **id,
        **{"projectId": sample_project.id, "entityType": "work", "entityId": item.id},
        **PULL,
        **{"system": "github", "title": "Fix", "state": None},
        "metadata": {"a": 1, "b": None},
        **{"creatorId": first["creatorId"], "creatorType": "key"},
        **dict.fromkeys(("createdAt", "updatedAt"), "2026-03-01T12:00:00.000Z"),
    }
    after = {"state": "merged", "metadata": None}
    assert changed == first | after | {"updatedAt": "2026-03-01T12:00:00.001Z"}
    assert api(GET, id).json["data"] == changed
    assert api(REMOVE, id).json["data"] == id | {"removed": True}
    assert api(REMOVE, id).json["data"] == id | {"removed": False}
    names = {"referenceId": first["id"], "system": "github", **PULL}
    verbs = ("added", "updated", "removed")
    assert reference_activity() == [
        (f"work.reference-{verb}", item.id, names) for verb in verbs
    ]


@pytest.mark.parametrize("kind", ["project", "work", "milestone", "member", "comment"])
def test_on_each_thing(api, sample_project, entities, kind):
    """Every entity of a project can have references, recorded in its activity."""
    added = api(ADD, {"entityType": kind, "url": URL} | entities[kind]).json["data"]

    assert added["projectId"] == sample_project.id
    assert api(UPDATE, {"id": added["id"], "title": "x"}).status_code == 200
    assert api(REMOVE, {"id": added["id"]}).json["data"]["removed"]
    actions = [f"{kind}.reference-{verb}" for verb in ("added", "updated", "removed")]
    assert [action for action, _, _ in reference_activity()] == actions
    assert {entity for _, entity, _ in reference_activity()} == {
        entities[kind]["entityId"]
    }


@pytest.mark.parametrize("kind", ["project", "work", "milestone", "member", "comment"])
def test_role_follows_the_thing(api, issue, entities, kind, refusal):
    """Contributors reference content; maintainers also the project and its plan."""
    key = issue("projects:*", "platform:actors:assert")
    body = {"entityType": kind, "url": URL} | entities[kind]
    as_contributor = {"key": key, "headers": {"Act-As-Account": CONTRIBUTOR}}
    as_maintainer = {"key": key, "headers": {"Act-As-Account": MAINTAINER}}

    response = api(ADD, body, **as_contributor)

    if kind in ("work", "comment"):
        assert response.status_code == 200
    else:
        refusal(response, "role-required")
        assert api(ADD, body, **as_maintainer).status_code == 200


def test_update_to_the_same(api, add_reference, clock):
    """An update that changes nothing leaves no record and keeps updatedAt."""
    first = add_reference(**PULL).json["data"]
    clock.pass_(minutes=1)

    assert api(UPDATE, {"id": first["id"], "url": URL}).json["data"] == first
    assert len(reference_activity()) == 1


def test_update_of_what_has_changed(api, add_reference, refusal):
    """An update that expects an older time is rejected with the current one."""
    first = add_reference(**PULL).json["data"]
    body = {"id": first["id"], "expectedUpdatedAt": first["updatedAt"]}
    api(UPDATE, body | {"state": "merged"})

    problem = refusal(api(UPDATE, body | {"state": "x"}), "version-conflict")

    assert problem["current"] == "2026-03-01T12:00:00.001Z"


def test_archived(api, sample_project, item, add_reference, entities, clock, refusal):
    """An archived entity keeps its references unchanged, and so do its comments."""
    on_comment = {"entityType": "comment", "url": URL} | entities["comment"]
    id = {"id": add_reference(**PULL).json["data"]["id"]}
    item.change({"archived_at": clock.now}, clock.now)

    refusal(add_reference(**PULL), "archived")
    refusal(api(ADD, on_comment), "archived")
    refusal(api(UPDATE, id | {"state": "x"}), "archived")
    refusal(api(REMOVE, id), "archived")
    sample_project.change({"archived_at": clock.now}, clock.now)
    for kind in ("project", "member"):
        body = {"entityType": kind, "url": URL} | entities[kind]
        refusal(api(ADD, body), "project-archived")


def test_removed_comment(api, entities, clock, refusal):
    """A removed comment cannot get a reference."""
    unsay(RemoveComment(id=entities["comment"]["entityId"]), clock.now, KEY)

    refused = api(ADD, {"entityType": "comment", "url": URL} | entities["comment"])

    refusal(refused, "comment-removed")


def test_member_who_left(api, entities):
    """The references of a member who left can still be removed."""
    body = {"entityType": "member", "url": URL} | entities["member"]
    id = {"id": api(ADD, body).json["data"]["id"]}
    MemberRow.delete().where(MemberRow.account_id == READER).execute()

    assert api(REMOVE, id).json["data"]["removed"]


def test_whose_is_this(api, sample_project, item, add_reference, clock, refusal):
    """
    The receiver of another system's event finds its entity by reference, in any
    project.
    """
    borealis = make_project("borealis", clock.now)
    mine = add_reference(**PULL, state="open").json["data"]["id"]
    clock.pass_(minutes=1)
    far = make_item(borealis, clock.now)
    theirs = add_reference(on=far, url=URL).json["data"]["id"]
    github = {"system": "github"}

    for query, found in (
        ({"url": URL}, [theirs, mine]),
        (github | {"externalId": "owner/repo#12"}, [mine]),
        (github | {"projectSlug": "borealis"}, [theirs]),
        ({"entityType": "work", "entityId": item.id}, [mine]),
        ({"kind": "pull_request", "state": "open"}, [mine]),
        ({"entityType": "member"}, []),
    ):
        assert ids(api(LIST, query)) == found, query
    cursor = api(LIST, {"url": URL, "limit": 1}).json["meta"]["cursor"]
    assert ids(api(LIST, {"url": URL, "cursor": cursor})) == [mine]
    refusal(api(LIST, {"cursor": cursor}), "invalid-cursor")
    sample_project.change({"archived_at": clock.now}, clock.now)
    assert ids(api(LIST, {"url": URL})) == [theirs]
    assert ids(api(LIST, {"entityId": item.id})) == [mine]


@pytest.mark.parametrize(
    ("kind", "missing"),
    [
        ("project", "project"),
        ("work", "work-item"),
        ("specification", "specification"),
        ("document", "document"),
        ("milestone", "milestone"),
        ("comment", "comment"),
        ("member", "member"),
    ],
)
def test_nothing_there(api, sample_project, refusal, kind, missing):
    """An unknown id is a 404."""
    of = {"projectId": sample_project.id} if kind == "member" else {}
    on = {"entityType": kind, "entityId": UNKNOWN_ID}

    refusal(api(ADD, on | of | {"url": URL}), f"{missing}-not-found")
    changed = api(UPDATE, {"id": UNKNOWN_ID, "state": "x"})
    refusal(changed, "external-reference-not-found")
    refusal(api(GET, {"id": UNKNOWN_ID}), "external-reference-not-found")
    refusal(api(LIST, {"projectId": UNKNOWN_ID}), "project-not-found")


def test_upsert(api, add_reference, clock):
    """
    Adding an existing identity updates the reference; members that are not sent stay.
    """
    first = add_reference(**PULL, title="Fix", state="open").json["data"]
    clock.pass_(minutes=1)

    by_id = add_reference(externalId="owner/repo#12", system="github", state="merged")
    same = add_reference(externalId="owner/repo#12", system="github", state="merged")
    by_url = add_reference(url=URL, title="Fixed")

    later = {"updatedAt": "2026-03-01T12:01:00.000Z"}
    assert by_id.json["data"] == first | later | {"state": "merged"}
    assert same.json == by_id.json
    assert by_url.json["data"]["title"] == "Fixed"
    assert by_url.json["data"]["externalId"] == "owner/repo#12"
    assert ExternalReferenceRow.select().count() == 1
    actions = [action.split("-")[1] for action, _, _ in reference_activity()]
    assert actions == ["added", "updated", "updated"]


def test_one_address_once(api, add_reference, item, sample_project, clock, refusal):
    """A URL is unique for an entity; other entities may have it again."""
    add_reference(**PULL)
    other = add_reference(url="https://b.example/", externalId="b").json["data"]
    far = make_item(sample_project, clock.now)

    refusal(add_reference(url=URL, externalId="owner/repo#13"), "name-taken")
    refusal(api(UPDATE, {"id": other["id"], "url": URL}), "name-taken")
    moved = {"url": URL, "externalId": "b", "system": "web"}
    refusal(add_reference(**moved), "name-taken")
    assert add_reference(on=far, **PULL).status_code == 200
    assert ExternalReferenceRow.select().count() == 3


def test_one_id_once(add_reference, refusal):
    """Adding with an existing URL cannot change the identity of its reference."""
    add_reference(externalId="1", system="jira", url="https://a.example/")
    add_reference(externalId="1", system="linear")

    refused = add_reference(url="https://a.example/", system="linear")

    refusal(refused, "name-taken")


def test_a_reference_needs_a_name(api, add_reference):
    """Without an externalId the url is required; with one it may be cleared."""
    bare = add_reference(url=URL).json["data"]["id"]
    named = add_reference(externalId="1", url="https://a.example/").json["data"]["id"]

    refused = api(UPDATE, {"id": bare, "url": None})

    assert refused.status_code == 422
    assert refused.json["errors"][0]["pointer"] == "/url"
    assert api(UPDATE, {"id": named, "url": None}).json["data"]["url"] is None


@pytest.mark.parametrize(
    ("url", "system"),
    [
        (URL, "github"),
        ("https://gist.GitHub.com:443/a", "github"),
        ("https://acme.atlassian.net/browse/A-1", "jira"),
        ("https://atlassian.net/", "web"),
        ("https://notgithub.com/", "web"),
        ("http://github.com.evil.example/", "web"),
        ("https://acme.sentry.io/issues/1", "sentry"),
        ("https://www.notion.so/x", "notion"),
        ("http://[::1]/", "web"),
        ("https://bücher.example/ü?q=1#x", "web"),
    ],
)
def test_known_hosts(add_reference, url, system):
    """
    The system follows from the host; a similar-looking host is of the system `web`.
    """
    reference = add_reference(url=url).json["data"]

    assert (reference["url"], reference["system"]) == (url, system)
    assert add_reference(url=url + "2", system="own").json["data"]["system"] == "own"


@pytest.mark.parametrize(
    "members",
    [
        {"url": "javascript:alert(1)"},
        {"url": "ftp://a.example/"},
        {"url": "https:///x"},
        {"url": "//a.example/"},
        {"url": "https://me@a.example/"},
        {"url": "https://me:pw@a.example/"},
        {"url": "https://a.example/ x"},
        {"url": "https://a.example/\n"},
        {"url": "https://a.example:99999/"},
        {"url": "https://[::1/"},
        {"url": ""},
        {"url": "https://a.example/" + "x" * 2031},
        {"url": None},
        {"externalId": "x" * 201},
        {"externalId": " "},
        {"system": "GitHub"},
        {"system": "s" * 49},
        {"system": None},
        {"kind": "epic"},
        {"title": "t" * 201},
        {"title": ""},
        {"state": "s" * 41},
        {"metadata": {"a": {}}},
        {"metadata": {"a": [1]}},
        {"metadata": {"a": "x" * 4096}},
        {"metadata": {"a": "\x00"}},
        {"metadata": {"\x00": 1}},
        {"metadata": []},
        {"projectId": UNKNOWN_ID},
        {"entityType": "member"},
        {"entityType": "label"},
    ],
)
def test_add_in_a_wrong_shape(add_reference, members):
    """Each invalid member is rejected without its value, and nothing is stored."""
    response = add_reference(**{"url": URL} | members)

    assert response.status_code == 422
    assert "alert(1)" not in response.text
    assert ExternalReferenceRow.select().count() == 0


@pytest.mark.parametrize(
    "metadata", [b'{"a":1e999}', b'{"a":NaN}', b'{"a":"\\ud800"}', b'{"\\ud800":1}']
)
def test_metadata_that_json_cannot_say(api, item, metadata):
    """Metadata that JSON cannot represent is rejected."""
    head = f'{{"entityType":"work","entityId":"{item.id}","url":"{URL}","metadata":'

    response = api(ADD, head.encode() + metadata + b"}")

    assert response.status_code in (400, 422)
    assert ExternalReferenceRow.select().count() == 0


@pytest.mark.parametrize(
    "metadata", [{}, {"a": "x" * 4088}, {"a": True, "b": 0, "c": -1.5, "d": ""}]
)
def test_metadata_at_the_limit(add_reference, metadata):
    """Metadata at the limit is returned as it was sent."""
    assert (
        add_reference(url=URL, metadata=metadata).json["data"]["metadata"] == metadata
    )


def test_metadata_change_their_kind(add_reference):
    """
    True and 1 are different values in JSON, so replacing one with the other is a
    change.
    """
    add_reference(url=URL, metadata={"a": 1})

    changed = add_reference(url=URL, metadata={"a": True}).json["data"]

    assert changed["metadata"]["a"] is True
    assert len(reference_activity()) == 2


def test_limit(add_reference, refusal):
    """An entity has at most 100 references; existing ones can still be updated."""
    for n in range(MAX_REFERENCES):
        assert add_reference(externalId=str(n)).status_code == 200

    refusal(add_reference(externalId="more"), "limit-exceeded")
    assert add_reference(externalId="7", state="x").status_code == 200
