"""What names an external reference, and what it may say, through HTTP."""

import pytest

from models.projects.discussion.references import MAX_REFERENCES
from models.projects.discussion.rows import ExternalReferenceRow
from models.projects.projects.activity import ActivityRow
from tests.worlds.projects import make_item

LIST = "GET /projects/v1/references/list"
GET = "GET /projects/v1/references/get"
ADD = "POST /projects/v1/references/add"
UPDATE = "POST /projects/v1/references/update"
REMOVE = "POST /projects/v1/references/remove"
NOBODY = "00000000-0000-7000-8000-000000000000"
URL = "https://github.com/owner/repo/pull/12"
PULL = {"url": URL, "externalId": "owner/repo#12", "kind": "pull_request"}


@pytest.fixture
def put(ask, item):
    def added(on=item, **given):
        asked = {"entityType": "work", "entityId": on.id} | given
        return ask(ADD, asked)

    return added


def told():
    of = ActivityRow.action.contains(".reference-")
    rows = list(ActivityRow.select().where(of).order_by(ActivityRow.number))
    assert all(row.metadata.pop("requestId") for row in rows)
    return [(row.action, row.entity_id, row.metadata) for row in rows]


def test_upsert(ask, put, clock):
    """What has the identity is updated in its place; left out is kept."""
    first = put(**PULL, title="Fix", state="open").json["data"]
    clock.pass_(minutes=1)

    by_id = put(externalId="owner/repo#12", system="github", state="merged")
    same = put(externalId="owner/repo#12", system="github", state="merged")
    by_url = put(url=URL, title="Fixed")

    later = {"updatedAt": "2026-03-01T12:01:00.000Z"}
    assert by_id.json["data"] == first | later | {"state": "merged"}
    assert same.json == by_id.json
    assert by_url.json["data"]["title"] == "Fixed"
    assert by_url.json["data"]["externalId"] == "owner/repo#12"
    assert ExternalReferenceRow.select().count() == 1
    actions = [action.split("-")[1] for action, _, _ in told()]
    assert actions == ["added", "updated", "updated"]


def test_one_address_once(ask, put, item, atlas, clock, refusal):
    """An address stands once on a thing; elsewhere it may stand again."""
    put(**PULL)
    other = put(url="https://b.example/", externalId="b").json["data"]
    far = make_item(atlas, clock.now)

    refusal(put(url=URL, externalId="owner/repo#13"), "name-taken")
    refusal(ask(UPDATE, {"id": other["id"], "url": URL}), "name-taken")
    moved = {"url": URL, "externalId": "b", "system": "web"}
    refusal(put(**moved), "name-taken")
    assert put(on=far, **PULL).status_code == 200
    assert ExternalReferenceRow.select().count() == 3


def test_one_id_once(put, refusal):
    """Whoever finds a reference by its address cannot give it another's identity."""
    put(externalId="1", system="jira", url="https://a.example/")
    put(externalId="1", system="linear")

    refused = put(url="https://a.example/", system="linear")

    refusal(refused, "name-taken")


def test_a_reference_needs_a_name(ask, put):
    """Without an externalId the url stays; with one it may go."""
    bare = put(url=URL).json["data"]["id"]
    named = put(externalId="1", url="https://a.example/").json["data"]["id"]

    refused = ask(UPDATE, {"id": bare, "url": None})

    assert refused.status_code == 422
    assert refused.json["errors"][0]["pointer"] == "/url"
    assert ask(UPDATE, {"id": named, "url": None}).json["data"]["url"] is None


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
def test_known_hosts(put, url, system):
    """The system is told by the host; a host that only looks alike is of the web."""
    reference = put(url=url).json["data"]

    assert (reference["url"], reference["system"]) == (url, system)
    assert put(url=url + "2", system="own").json["data"]["system"] == "own"


@pytest.mark.parametrize(
    "given",
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
        {"projectId": NOBODY},
        {"entityType": "member"},
        {"entityType": "label"},
    ],
)
def test_add_in_a_wrong_shape(put, given):
    """Each wrong member is refused, its value not repeated, and nothing is kept."""
    response = put(**{"url": URL} | given)

    assert response.status_code == 422
    assert "alert(1)" not in response.text
    assert ExternalReferenceRow.select().count() == 0


@pytest.mark.parametrize(
    "metadata", [b'{"a":1e999}', b'{"a":NaN}', b'{"a":"\\ud800"}', b'{"\\ud800":1}']
)
def test_metadata_that_json_cannot_say(ask, item, metadata):
    """What could not be told again is not taken in."""
    head = f'{{"entityType":"work","entityId":"{item.id}","url":"{URL}","metadata":'

    response = ask(ADD, head.encode() + metadata + b"}")

    assert response.status_code in (400, 422)
    assert ExternalReferenceRow.select().count() == 0


@pytest.mark.parametrize(
    "metadata", [{}, {"a": "x" * 4088}, {"a": True, "b": 0, "c": -1.5, "d": ""}]
)
def test_metadata_at_the_limit(put, metadata):
    """Metadata come back as they were sent."""
    assert put(url=URL, metadata=metadata).json["data"]["metadata"] == metadata


def test_metadata_change_their_kind(put):
    """True and 1 are two things to whoever reads the JSON."""
    put(url=URL, metadata={"a": 1})

    changed = put(url=URL, metadata={"a": True}).json["data"]

    assert changed["metadata"]["a"] is True
    assert len(told()) == 2


def test_limit(put, refusal):
    """A thing has at most 100 references; those it has can still be updated."""
    for n in range(MAX_REFERENCES):
        assert put(externalId=str(n)).status_code == 200

    refusal(put(externalId="more"), "limit-exceeded")
    assert put(externalId="7", state="x").status_code == 200
