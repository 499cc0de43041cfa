"""Who may use the console, and for how long."""

import re
from dataclasses import replace

import pytest

from api.http.application import create_app
from models.platform.console_sessions import ConsoleSessionRow, delete_expired_sessions
from models.platform.keys import KeyRow
from models.storage.database import writing
from tests.console.conftest import SAME_ORIGIN, Person

pytestmark = pytest.mark.both_engines

REVOKE = "POST /platform/v1/keys/remove"
MAIL = "grace@example.com"
# Addresses that are not opened after signing in.
EVIL = (
    "https://evil.example/",
    "//evil.example",
    "/console/../x\\y",
    "/console/../platform/v1/keys/add",
    "/console/x/%2e%2E/%2e./platform/v1/keys/add",
    "/console/..",
    "/console//evil.example/",
    "/console/sign-in/../../platform/",
)


def is_signed_in(person):
    response = person.get()
    assert response.status_code in (200, 303, 401)
    return response.status_code == 200


def test_a_key_opens_a_session(visitor, issue):
    """The token of the cookie is stored as a hash, and scripts cannot read it."""
    someone = visitor()
    assert someone.get().headers["Location"].startswith("/console/sign-in/")

    response = someone.sign_in(key := issue("status:*", name="On call"))

    cookie = response.headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Lax", "Path=/"} <= set(cookie.split("; "))
    token = cookie.partition("=")[2].partition(";")[0]
    row = ConsoleSessionRow.get()
    assert token not in str(row.__data__)
    assert key not in str(row.__data__)
    assert "On call" in someone.get().text


def test_sign_ins_are_logged(visitor, issue, clock, caplog):
    """The log has who signed in from where, and why a sign-in failed."""
    caplog.set_level("INFO", "masthead.sign-ins")
    revoked, of_gateway = issue("*"), issue("platform:actors:assert")
    with writing():
        KeyRow.update(revoked_at=clock.now).where(
            KeyRow.prefix == revoked[:11]
        ).execute()

    for key, person in (
        (of_gateway, MAIL),
        (revoked, ""),
        ("mh_wrong", ""),
        (issue("*"), MAIL),
    ):
        visitor().post(
            "sign-in/",
            {"key": f" {key} ", "email": person},
            headers=SAME_ORIGIN
            | {"X-Forwarded-For": "192.0.2.7", "X-Request-Id": "here"},
        )

    assert of_gateway not in caplog.text
    assert [
        re.sub(" key=mh_[0-9A-Za-z]{8} ", " key=… ", m) for m in caplog.messages
    ] == [
        f"event=sign-in key=… client=192.0.2.7 request=here person={MAIL}",
        "event=sign-in key=… client=192.0.2.7 request=here refused=key-revoked",
        "event=sign-in client=192.0.2.7 request=here refused=invalid-key",
        "event=sign-in key=… client=192.0.2.7 request=here refused=actor-not-allowed",
    ]


def test_a_wrong_key(visitor, issue):
    """A wrong key gets a sentence, and after ten of them a minute's wait."""
    someone = visitor()

    responses = [someone.sign_in("mh_wrong") for _ in range(11)]

    assert {r.status_code for r in responses[:10]} == {401}
    assert "does not exist or is mistyped" in responses[0].text
    assert responses[10].status_code == 429
    # Others may share the address, so a valid key is never rejected.
    assert someone.sign_in(issue("*")).status_code == 303


def test_the_cookie_of_https(visitor, issue):
    """Not on loopback, the cookie is for https and this host only."""
    someone, there = visitor(), {"Host": "api.example.com"}

    cookie = someone.post("sign-in/", {"key": issue("*")}, headers=SAME_ORIGIN | there)

    assert cookie.headers["Set-Cookie"].startswith("__Host-masthead=")
    assert "; Secure" in cookie.headers["Set-Cookie"]


def test_a_session_ends_unused(person, clock):
    """A session ends twelve hours after its last use."""
    clock.pass_(hours=11)
    assert is_signed_in(person)
    clock.pass_(hours=11)
    assert is_signed_in(person)

    clock.pass_(hours=12)

    assert not is_signed_in(person)
    with writing():
        delete_expired_sessions(clock.now)
    assert ConsoleSessionRow.select().count() == 0


def test_a_session_ends_after_a_week(person, clock):
    """A session ends after a week, however often it is used."""
    for _ in range(15):
        clock.pass_(hours=11)
        assert is_signed_in(person)
    clock.pass_(hours=3)

    assert not is_signed_in(person)


@pytest.mark.parametrize(
    "odd",
    ['prefs={"a":1}', "é=1", "foo[bar]=1", "x", "path=/", 'x="' + '\\"' * 4000 + '"'],
)
def test_cookies_of_others(person, odd):
    """The session works whatever cookies other pages of the domain have set."""
    name = "masthead-console"
    token = person.client.get_cookie(name).value
    other = person.client.application.test_client(use_cookies=False)

    for cookies in (f"{odd}; {name}={token}", f"{name}={token}; {odd}"):
        response = other.get("/console/", headers={"Cookie": cookies})
        assert response.status_code == 200


def test_signing_in_again(person, issue):
    """The browser's former session ends, and its cookie is no longer valid."""
    assert person.sign_in(issue("*")).status_code == 303

    assert ConsoleSessionRow.select().count() == 1


def test_many_sessions_of_a_key(visitor, issue, clock):
    """A key has at most fifty sessions; the least recently used ones end."""
    key, first = issue("*"), visitor()
    first.sign_in(key)
    for _ in range(50):
        clock.pass_(seconds=1)
        visitor().sign_in(key)

    assert ConsoleSessionRow.select().count() == 50
    assert not is_signed_in(first)


def test_signing_out(person):
    """The session is deleted, and its cookie is no longer valid."""
    stolen = Person(person.client.application.test_client())
    name = "masthead-console"
    token = person.client.get_cookie(name).value
    stolen.client.set_cookie(name, token)
    assert is_signed_in(stolen)

    person.post("sign-out/", {})

    assert not is_signed_in(person)
    assert not is_signed_in(stolen)


def test_signing_out_everywhere(visitor, issue):
    """All sessions of the key end; those of other keys continue."""
    key = issue("*")
    phone, laptop, other = visitor(), visitor(), visitor()
    for someone in (phone, laptop):
        someone.sign_in(key)
    other.sign_in(issue("*"))

    phone.post("sign-out/", {"everywhere": "1"})

    assert [is_signed_in(p) for p in (phone, laptop, other)] == [False, False, True]


def test_signing_out_everywhere_with_a_revoked_key(visitor, issue, clock):
    """With a revoked key too, the sessions and the cookie are deleted."""
    key, lasting = issue("*"), issue("*")
    phone, laptop, other = visitor(), visitor(), visitor()
    for someone in (phone, laptop):
        someone.sign_in(key)
    other.sign_in(lasting)
    KeyRow.update(revoked_at=clock.now).where(KeyRow.prefix == key[:11]).execute()

    response = phone.post("sign-out/", {"everywhere": "1"})

    assert response.status_code == 303
    assert phone.client.get_cookie("masthead-console") is None
    assert ConsoleSessionRow.select().count() == 1
    assert is_signed_in(other)


def test_revoking_the_key_ends_its_sessions(visitor, issue, api):
    """
    With the cookie of a revoked key, the sign-in page says that the key was revoked.
    """
    someone = visitor()
    key = issue("*")
    someone.sign_in(key)
    id = api("GET /platform/v1/keys/list").json["data"]
    row = next(row for row in id if row["prefix"] == key[:11])

    api(REVOKE, {"id": row["id"]}, key=issue("*"))

    response = someone.get()
    assert response.status_code == 401
    assert "The API key has been revoked." in response.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {},
    ],
)
def test_forms_of_other_sites(person, headers):
    """A form from another site, or of unknown origin, is rejected."""
    response = person.post("sign-out/", {}, headers=headers)

    assert response.status_code == 403
    assert is_signed_in(person)


def test_our_own_origin(person):
    """A browser that sends only Origin can use the forms of the console."""
    response = person.post("sign-out/", {}, headers={"Origin": "http://localhost"})

    assert response.status_code == 303


def test_no_frames(person):
    """No other site can show a page of the console in a frame."""
    headers = person.get().headers

    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert headers["Cache-Control"] == "no-store"


def test_acting_for_a_person(visitor, issue, api):
    """With the scope, the audit log has the person who signed in."""
    someone = visitor()
    refused = someone.sign_in(issue("*"), email=MAIL)
    assert refused.status_code == 403
    assert "platform:actors:assert" in refused.text

    someone.sign_in(issue("*", "platform:actors:assert"), email=MAIL)
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    fields = {"title": "Late", "services": ["api"], "severity": "degraded", "body": "x"}
    someone.fill("incidents/open/", "incidents/open/", **fields)

    records = api("GET /status/v1/admin/audit/list").json["data"]
    opened = next(r for r in records if r["action"] == "incident.opened")
    assert opened["actor"] == MAIL


@pytest.fixture
def behind_a_proxy(store, settings, clock, console_theme, issue, tmp_path):
    """Return requests through a proxy in 10.0.0.0/8 that signs people in."""
    file = tmp_path / "key"
    file.write_text(issue("*", "platform:actors:assert") + "\n")
    trusting = replace(
        settings,
        console_trusted_header="X-Forwarded-Email",
        console_key_file=str(file),
        console_trusted_proxies=("10.0.0.0/8",),
    )
    app = create_app(trusting, clock=clock, console_theme=console_theme)

    def request(address, email=MAIL, method="GET"):
        headers = {"X-Forwarded-Email": email} if email else {}
        environ = {"REMOTE_ADDR": address}
        return app.test_client().open(
            "/console/", method=method, headers=headers, environ_base=environ
        )

    return request


def test_by_a_proxy(behind_a_proxy):
    """
    A person named by a trusted proxy is signed in; the header of others is ignored.
    """
    assert MAIL in behind_a_proxy("10.1.2.3").text
    assert behind_a_proxy("10.1.2.3", email=None).status_code == 303
    assert behind_a_proxy("192.0.2.1").status_code == 303


def test_next_page(visitor, issue):
    """After signing in, the requested page opens, and never another site's."""
    someone = visitor()
    where = someone.get("incidents/?cursor=x").headers["Location"]
    assert "next=%2Fconsole%2Fincidents%2F%3Fcursor%3Dx" in where
    for evil in EVIL:
        response = someone.sign_in(issue("*"), _next=evil)
        assert response.headers["Location"].endswith("next=%2Fconsole%2F")


def test_without_cookies(visitor, issue):
    """A browser without cookies gets a sentence instead of a redirect loop."""
    someone = visitor()
    where = someone.sign_in(issue("*")).headers["Location"]
    someone.client.delete_cookie("masthead-console")

    response = someone.client.get(where)

    assert response.status_code == 400
    assert "Allow cookies" in response.text


def test_what_was_written_survives_the_session(visitor, issue, api, clock):
    """A form that is sent after the session has ended continues after signing in."""
    person, key = visitor(), issue("*", name="On <call>")
    person.sign_in(key)
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    opened = person.get("incidents/open/")
    clock.pass_(hours=13)
    words = {
        "title": "Late",
        "services": "api",
        "severity": "degraded",
        "body": "\nLong",
    }

    response = person.refill(opened, "incidents/open/", **words)
    assert response.status_code == 401
    again = person.refill(response, "sign-in/", key=key)
    assert "You are signed in again" in again.text
    assert '<a href="/console/incidents/open/">' in again.text
    assert "On &lt;call&gt;" in again.text
    for name, value in (("Title", "Late"), ("Services", "api"), ("Message", "\nLong")):
        assert f'<dt><bdi>{name}</bdi></dt>\n<dd class="typed"><bdi>{value}<' in (
            again.text.replace("\r\n", "\n")
        )
    done = person.refill(again, "incidents/open/")

    assert done.status_code == 303, done.text
    (incident,) = api("GET /status/v1/incidents/list").json["data"]
    assert incident["title"] == "Late"
    shown = person.client.get(done.headers["Location"])
    assert "Long" in shown.text


@pytest.mark.parametrize("is_signed_out", [True, False])
@pytest.mark.parametrize("is_person", [True, False])
def test_the_form_of_another(visitor, issue, clock, is_signed_out, is_person):
    """
    Signing in on another person's tab neither shows nor sends that person's input.
    """
    someone, key = visitor(), issue("*", "platform:actors:assert")
    someone.sign_in(key, email="ada@example.com" if is_person else "")
    opened = someone.get("incidents/open/")
    if is_signed_out:
        someone.post("sign-out/", {})
    clock.pass_(hours=13)

    response = someone.refill(opened, "incidents/open/", title="Takeover")
    mine = {"key": key, "email": MAIL} if is_person else {"key": issue("*")}
    again = someone.refill(response, "sign-in/", **mine)

    assert again.status_code == 200
    assert "was not kept" in again.text
    assert "Takeover" not in again.text
    assert "<form" not in again.text


def test_what_was_written_with_a_revoked_key(visitor, issue, api):
    """
    A revoked key continues no session, so the sign-in page shows the input once more.
    """
    someone, key = visitor(), issue("*", name="Gone")
    someone.sign_in(key)
    opened = someone.get("incidents/open/")
    KeyRow.update(revoked_at=KeyRow.created_at).where(KeyRow.name == "Gone").execute()

    response = someone.refill(opened, "incidents/open/", title="Late <b>", body="Long")

    assert response.status_code == 401
    assert "revoked" in response.text
    for text in ("Late &lt;b&gt;", "Long"):
        assert f'<dd class="typed"><bdi>{text}</bdi></dd>' in response.text


def test_a_form_that_nobody_has_marked(visitor, issue):
    """
    A form without the page's mark shows the key that it will be sent with, and its
    page.
    """
    someone, id = visitor(), "0" * 8
    response = someone.post(f"keys/{id}/rotate/", {"graceSeconds": "0", "_key": "k"})

    again = someone.refill(response, "sign-in/", key=issue("*", name="Mine"))

    assert f'<a href="/console/keys/{id}/">' in again.text
    assert "<bdi>Mine</bdi>" in again.text
    assert f'action="/console/keys/{id}/rotate/"' in again.text


@pytest.mark.parametrize("path", ["", "keys/", "session/", "sign-in/check/", "nothing"])
@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_wrong_method(person, path, method):
    """A wrong method gets a page that says what to do."""
    response = person.client.open(
        f"/console/{path}", method=method, headers=SAME_ORIGIN
    )

    assert response.status_code == 405
    assert response.mimetype == "text/html"
    assert "GET" in response.headers["Allow"]


def test_forms_that_a_browser_sends_without_their_origin(
    person, visitor, behind_a_proxy
):
    """With any cookie, or behind a proxy, a form without its origin is rejected."""
    stranger = visitor()
    stranger.client.set_cookie("_oauth2_proxy", "x")

    assert stranger.post("sign-out/", {}, headers={}).status_code == 403
    assert visitor().post("sign-out/", {}, headers={}).status_code == 303
    assert behind_a_proxy("10.1.2.3", method="POST").status_code == 403
