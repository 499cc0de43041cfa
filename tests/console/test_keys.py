"""Keys, issued from sets of scopes, changed, rotated and revoked in the console."""

import re
from uuid import UUID

import pytest

from api.console.keys.scope_choices import SCOPE_SETS, all_scopes, scope_areas
from api.operation import OPERATIONS, declare_operations, operation_scopes
from models.platform.keys import KeyRow
from models.platform.scopes import unknown_scopes

ISSUE = "keys/issue/"
HEADER = {"Idempotency-Key": "k" * 20}
XSS = "<script>alert(1)</script>"

pytestmark = pytest.mark.both_engines


def secret_in(page):
    return re.search(r'value="(mh_[^"]+)" readonly', page)[1]


@pytest.fixture
def probe(person):
    """A key for a probe, issued with the form's defaults and a name."""
    page = person.get(f"{ISSUE}?set=probe")
    return person.refill(page, ISSUE, name="Probe <1>")


@pytest.fixture
def key(probe):
    return KeyRow.get(KeyRow.name == "Probe <1>")


def test_issue_for_a_probe(person, probe, key, api, audited):
    """A scope set and a name issue a key with exactly these scopes."""
    assert probe.status_code == 200
    assert key.scopes == ["status:admin:measurements:record"]
    assert key.expires_at is None
    assert audited()[-1] == "add"
    assert "Probe &lt;1&gt;" in probe.text
    denied = api("GET /platform/v1/keys/list", key=secret_in(probe.text))
    assert denied.status_code == 403


def test_sent_twice(person):
    """The same form shows the same secret again, and issues one key."""
    page = person.get(f"{ISSUE}?set=reader")

    first, second = (person.refill(page, ISSUE, name="Reader") for _ in range(2))

    assert secret_in(first.text) == secret_in(second.text)
    assert KeyRow.select().where(KeyRow.name == "Reader").count() == 1


def test_sent_again_from_another_session(visitor, issue, api):
    """In another session, the page says that the key was issued, without its secret."""
    key, sent = issue("*"), {"name": "Reader", "scopes": ["status:services:list"]}
    first, second = visitor(), visitor()
    for someone in (first, second):
        someone.sign_in(key)
    shown = first.post(ISSUE, sent | {"_key": "k" * 20, "_list.scopes": "1"})
    assert shown.status_code == 200

    again = second.post(ISSUE, sent | {"_key": "k" * 20, "_list.scopes": "1"})
    by_api = api("POST /platform/v1/keys/add", sent, key=key, headers=HEADER)

    assert again.status_code == by_api.status_code == 409
    for refused in (again.text, by_api.json["detail"]):
        assert "already carried out" in refused
        assert "a session of the console" in refused
    assert KeyRow.select().where(KeyRow.name == "Reader").count() == 1


@pytest.mark.parametrize("cursor", ["%00", "%00x", "x", "%C3%A9", ""])
def test_no_cursor(person, cursor):
    """A malformed cursor is rejected as by the API."""
    response = person.get(f"keys/?cursor={cursor}")

    assert response.status_code == 400
    assert "The cursor is damaged" in response.text


def test_scopes_are_chosen(person):
    """Scopes are ticked, wildcards too; those of other products are typed."""
    sent = {
        "name": "Both",
        "scopes": ["projects:documents:*", "platform:actors:assert"],
        "_other": " billing:read \r\n\r\nbilling:write",
        "expiresInDays": "30",
        "rateCapacity": "5",
        "rateRefill": "0.5",
    }

    refused = person.fill(ISSUE, ISSUE, **sent)
    assert refused.status_code == 403
    assert "Your key may not grant platform:actors:assert." in refused.text
    assert "billing:write" in refused.text
    person.refill(refused, ISSUE, scopes=["projects:documents:*"])

    key = KeyRow.get(KeyRow.name == "Both")
    assert key.scopes == ["projects:documents:*", "billing:read", "billing:write"]
    assert (key.rate_capacity, key.rate_refill) == (5, 0.5)
    assert (key.expires_at - key.created_at).days == 30


def test_a_refusal_stands_beside_its_field(person):
    """Without a scope no key is issued, and the name is kept."""
    refused = person.fill(ISSUE, ISSUE, name="Nothing")

    assert refused.status_code == 422
    assert "Scopes</a>:" in refused.text
    assert 'value="Nothing"' in refused.text


def test_every_scope_is_offered():
    """
    Each operation's scope has a description, and each scope of a set can be ticked.
    """
    declare_operations()
    areas = scope_areas(OPERATIONS)
    choices = [c for area in areas for noun in area.nouns for c in noun.choices]

    offered = list(all_scopes(areas))

    assert operation_scopes() <= set(offered)
    assert len(offered) == len(set(offered))
    unclear = [c for c in choices if not (c.text or c.summary.endswith("."))]
    assert unclear == []
    for chosen in SCOPE_SETS:
        assert set(chosen.scopes) <= set(offered)
        assert not unknown_scopes(chosen.scopes, operation_scopes())


def test_scopes_in_another_language(person):
    """Areas and nouns are named in the language; messages of the API are English."""
    page = person.get(ISSUE, headers={"Accept-Language": "de"}).text

    assert "Alles im Bereich „Plattform“." in page
    assert "<summary>Entwicklerschlüssel</summary>" in page
    assert "<summary>Störungen (Verwaltung)</summary>" in page
    assert "Alle Operationen: Störungen." in page
    assert '<span lang="en">List incidents, newest first.' in page


def test_only_what_may_be_granted(visitor, issue):
    """Scopes that the key cannot grant are not offered."""
    someone = visitor()
    someone.sign_in(issue("platform:keys:*", "projects:documents:*"))

    page = someone.get(ISSUE).text

    assert 'value="projects:documents:update"' in page
    assert 'value="status:services:list"' in page
    assert 'value="projects:projects:create"' not in page
    assert 'value="*"' not in page
    assert "Only what your own key may grant is listed." in page


def test_list(person, key, clock):
    """Keys are found by name, prefix and status, with their last use, in pages."""
    KeyRow.update(last_used_at=clock.now).where(KeyRow.id == key.id).execute()
    row = dict(key.__data__)
    for number in range(60):
        same = {
            "id": str(UUID(int=number)),
            "hash": f"h{number}",
            "prefix": f"p{number}",
        }
        KeyRow.insert(**row | same | {"name": f"Other {number}"}).execute()

    def found(query):
        return re.findall(r"<bdi>((?:Other|Probe)[^<]*)", person.get(query).text)

    assert found("keys/?q=pRoBe") == ["Probe &lt;1&gt;"]
    assert found(f"keys/?q={key.prefix}") == ["Probe &lt;1&gt;"]
    assert found("keys/?status=revoked") == []
    assert found("keys/?q=%25") == []
    assert "last used" in person.get("keys/?q=probe").text
    first = person.get("keys/?q=other")
    assert len(found("keys/?q=other")) == 50
    following = re.search(r'href="/console/(keys/\?cursor[^"]+)', first.text)[1]
    assert len(found(following.replace("&amp;", "&"))) == 10
    assert person.get("keys/?cursor=nonsense").status_code == 400


def test_change(person, key):
    """The form has the current scopes; a cleared rate is the default."""
    page, action = f"keys/{key.id}/", f"keys/{key.id}/change/"
    person.fill(page, action, name="Probe 2", rateCapacity="7", _other="x:y")
    changed = KeyRow.get_by_id(key.id)
    assert changed.name == "Probe 2"
    assert changed.scopes == ["status:admin:measurements:record", "x:y"]
    assert changed.rate_capacity == 7

    person.fill(page, action, rateCapacity="")

    assert KeyRow.get_by_id(key.id).rate_capacity is None
    assert KeyRow.get_by_id(key.id).scopes == changed.scopes


def test_change_beside_somebody_else(person, key):
    """Changing only the name keeps a scope that someone else added."""
    page, action = f"keys/{key.id}/", f"keys/{key.id}/change/"
    person.fill(page, action, _other="x:y")
    shown = person.get(page)
    person.fill(page, action, scopes=["status:services:list"], _other="x:z")

    person.refill(shown, action, name="Probe 2")

    changed = KeyRow.get_by_id(key.id)
    assert changed.name == "Probe 2"
    assert changed.scopes == ["status:services:list", "x:z"]


def test_change_against_somebody_else(person, key):
    """Scopes that both have changed are shown, and nothing is overwritten."""
    page, action = f"keys/{key.id}/", f"keys/{key.id}/change/"
    shown = person.get(page)
    person.fill(page, action, scopes=["status:services:list"])

    refused = person.refill(shown, action, scopes=["status:incidents:list"])

    assert refused.status_code == 409
    assert "Somebody else has changed this" in refused.text
    assert KeyRow.get_by_id(key.id).scopes == ["status:services:list"]


def test_rotate(person, key, clock):
    """The new secret is shown once; the old one is valid for the chosen time."""
    page, action = f"keys/{key.id}/", f"keys/{key.id}/rotate/"
    form = person.get(page)

    first, second = (person.refill(form, action, graceSeconds="3600") for _ in range(2))

    assert secret_in(first.text) == secret_in(second.text)
    former = KeyRow.get_by_id(key.id)
    assert (former.expires_at - clock.now).seconds == 3600
    assert "Rotate the key" not in person.get(page).text


def test_revoke(person, key, audited):
    """Revoking asks for confirmation, and says who is affected."""
    page, action = f"keys/{key.id}/", f"keys/{key.id}/revoke/"
    assert "This cannot be undone." in person.get(page).text

    done = person.fill(page, action)

    assert "done=key-revoked" in done.headers["Location"]
    assert KeyRow.get_by_id(key.id).revoked_at is not None
    assert audited()[-1] == "remove"
    assert "Revoke the key" not in person.get(page).text


def test_what_the_key_may_not_do(visitor, issue, key):
    """Missing scopes are named, and their buttons are not shown."""
    someone = visitor()
    someone.sign_in(issue("platform:keys:list", "platform:keys:get"))

    assert "platform:keys:add</code>" in someone.get("keys/").text
    assert "platform:keys:add</code>" in someone.get(ISSUE).text
    page = someone.get(f"keys/{key.id}/").text
    for verb in ("update", "rotate", "remove"):
        assert f"platform:keys:{verb}</code>" in page
    assert "<button" not in page.partition("<main")[2]
    anonymous = visitor()
    anonymous.sign_in(issue("x:y"))
    assert anonymous.get("keys/").status_code == 403
    assert anonymous.get(f"keys/{key.id}/").status_code == 403
    assert anonymous.get("keys/nothing/").status_code == 403
    assert someone.get("keys/nothing/").status_code in (404, 422)


def test_hostile_name(person):
    """A name is shown as text everywhere."""
    page = person.get(f"{ISSUE}?set=probe")
    issued = person.refill(page, ISSUE, name=XSS)
    id = KeyRow.get(KeyRow.name == XSS).id

    pages = [issued, person.get("keys/"), person.get(f"keys/{id}/")]

    assert not any(XSS in page.text for page in pages)
