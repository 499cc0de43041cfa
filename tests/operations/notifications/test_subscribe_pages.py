"""The pages on which readers subscribe, over HTTP."""

import re
from dataclasses import replace
from urllib.parse import quote

import pytest

from api.http.application import create_app
from models.locales import available_languages, load_locale
from models.notifications.rows import SubscriptionRow
from models.notifications.subscriptions import readers
from models.notifications.subscriptions.readers import kinds_of
from models.notifications.subscriptions.secrets import token_of
from models.status.services.catalogue import (
    StatusAddService,
    StatusRemoveService,
    add_service,
    remove_service,
)
from models.storage.database import database, writing
from tests.factories.languages import add_marked_languages, unmarked_words
from tests.factories.readers import (
    ADA,
    BOTH,
    MAIL,
    Reader,
    app_for_readers,
    mails,
    states,
)

FORM = "application/x-www-form-urlencoded"
ONE_CLICK = {"List-Unsubscribe": "One-Click"}
PAGES = ("confirm", "manage", "end")

pytestmark = [pytest.mark.usefixtures("store"), pytest.mark.both_engines]


@pytest.fixture
def reader(settings, clock):
    for slug, name in (("api", "Public <API>"), ("mail", "Mail")):
        with writing():
            add_service(StatusAddService(slug=slug, name=name), clock.now)
    return Reader(settings, clock)


@pytest.fixture
def subscribed(reader):
    reader.api()
    reader.confirm()
    return reader


def the_row():
    return SubscriptionRow.select().order_by(SubscriptionRow.id.desc()).get()


def test_from_the_form_to_the_end(reader):
    """
    A reader subscribes, confirms, changes the choices, and unsubscribes with one click.
    """
    response = reader.api(service=["api"])
    assert (response.status_code, states(), mails()) == (200, ["pending"], 1)

    assert "Public &lt;API&gt;" in reader.get("confirm").text
    assert states() == ["pending"]
    assert reader.confirm().status_code == 200
    assert states() == ["active"]

    changed = reader.post("manage", data={"kind": "incidents", "service": "mail"})
    assert "Your choices are saved." in changed.text
    assert the_row().services == ["mail"]
    assert all(event.startswith("incident.") for event in the_row().events)

    ended = reader.post("end", data=ONE_CLICK)
    assert (ended.status_code, states()) == (200, ["ended"])
    assert "Location" not in ended.headers


def test_confirming_what_the_page_showed(reader):
    """A request made after the page was opened is not confirmed by its button."""
    reader.api(service=["api"], kind=["incidents"])
    page = reader.get("confirm").text
    reader.api()

    assert reader.post("confirm", data=ticked(page)).status_code == 200

    assert the_row().services == ["api"]
    assert kinds_of(the_row()) == ["incidents"]


def ticked(page):
    """Return the form of a page as a browser sends it."""
    boxes = re.findall(r'name="(\w+)" value="(\w+)" checked', page)
    return {name: [v for n, v in boxes if n == name] for name, _ in boxes}


@pytest.mark.parametrize(
    "form", [{"a": "b"}, {"kind": "x"}, {"kind": BOTH, "service": "no"}]
)
def test_confirming_nothing(reader, form):
    """A form without a known kind confirms nothing, and is shown again."""
    reader.api(service=["api"])

    response = reader.post("confirm", data=form)

    assert response.status_code == 422
    assert "<details open>" in response.text
    assert states() == ["pending"]


@pytest.mark.parametrize("page", ["confirm", "manage"])
def test_refused_choices_are_kept(reader, page):
    """A form without any kind is shown as it was sent; nothing is stored."""
    reader.api(service=["api"])
    if page == "manage":
        reader.confirm()

    text = reader.post(page, data={"service": "mail"}).text

    assert ticked(text) == {"service": ["mail"]}
    assert the_row().services == ["api"]
    assert kinds_of(the_row()) == BOTH


@pytest.mark.parametrize(
    ("sent", "names"),
    [
        ({"email": "ada@"}, ["email"]),
        ({"kind": []}, ["kind", "kind"]),
        ({"service": ["api", "ghost"]}, ["service"]),
    ],
)
def test_problem_is_said_at_its_field(reader, sent, names):
    """The problem is linked to the field that must be corrected, for screen readers."""
    text = reader.api(**sent).text

    tags = re.findall(r"<input [^>]*>", text)
    invalid = [tag for tag in tags if 'aria-invalid="true"' in tag]
    assert all('aria-describedby="problem"' in tag for tag in invalid)
    assert [re.search(r'name="(\w+)"', tag).group(1) for tag in invalid] == names


def test_manage_shows_the_choices(subscribed):
    """In the form, exactly the current choices are ticked."""
    subscribed.post("manage", data={"kind": "maintenance", "service": "api"})

    text = subscribed.get("manage").text

    assert 'value="maintenance" checked' in text
    assert 'value="incidents">' in text
    assert 'value="api" checked' in text
    assert 'value="mail">' in text


def test_gets_change_nothing(reader):
    """A scanner that opens every link neither confirms nor ends a subscription."""
    reader.api()
    for page in PAGES:
        for method in ("GET", "HEAD", "OPTIONS"):
            reader.client.open(reader.path(page), method=method)
    assert states() == ["pending"]

    reader.confirm()
    for page in PAGES:
        reader.get(page)
    assert states() == ["active"]


def test_one_click_of_mail_programs(subscribed):
    """Both body types of RFC 8058 are accepted with 200, also repeatedly."""
    bodies = [
        {"data": ONE_CLICK, "content_type": "multipart/form-data"},
        {"data": ONE_CLICK},
        {},
    ]

    answers = [subscribed.post("end", **body).status_code for body in bodies]

    assert answers == [200, 200, 200]
    assert states() == ["ended"]


def test_ended_subscription_says_so(subscribed):
    """
    The links of a subscription that has ended, or expired unconfirmed, open a page.
    """
    subscribed.post("end")

    for page in PAGES:
        response = subscribed.get(page)
        assert response.status_code == 410
        assert "The subscription has ended" in response.text
    for page in ("confirm", "manage"):
        response = subscribed.post(page, data={"kind": BOTH})
        assert response.status_code == 410
    assert states() == ["ended"]


def test_confirming_too_late(reader, clock):
    """After seven days, the link in the email has expired."""
    reader.api()
    clock.pass_(days=7)

    assert reader.get("confirm").status_code == 410
    assert reader.confirm().status_code == 410
    assert "active" not in states()


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "A" * 43,
        "A" * 4000,
        "%00",
        "%C3%A9" * 20,
        "%FF%FE",
        "..",
        "'%20OR%201=1",
        "<script>",
    ],
)
@pytest.mark.parametrize("page", PAGES)
def test_guessed_token(subscribed, page, token):
    """A guessed token gets a page that says so, and changes nothing."""
    path = f"/subscribe/{page}/{token}"

    answers = [
        subscribed.client.get(path),
        subscribed.client.post(path, data={"kind": BOTH}),
    ]

    for answer in answers:
        assert answer.status_code == 404
        assert "<script>" not in answer.text
    assert states() == ["active"]


@pytest.mark.parametrize("path", ["confirm", "confirm/", "{}/", "{}/x", "x/y"])
def test_broken_link(subscribed, caplog, path):
    """A truncated or extended link gets a page, and its token is not logged."""
    caplog.set_level("DEBUG")
    end = subscribed.path("end")
    path = path.format(end.removeprefix("/subscribe/"))

    answers = [
        subscribed.client.get(f"/subscribe/{path}"),
        subscribed.client.post(f"/subscribe/{path}"),
    ]

    for answer in answers:
        assert (answer.status_code, answer.mimetype) == (404, "text/html")
        assert "Copy the whole link from the email" in answer.text
    assert states() == ["active"]
    assert end.rpartition("/")[2] not in caplog.text


def test_form_at_another_spelling(reader):
    """The form's address with a trailing slash works too."""
    assert 'name="email"' in reader.client.get("/subscribe/").text


@pytest.mark.parametrize("page", PAGES)
def test_token_cut_or_of_another_page(subscribed, page):
    """Neither a part of a token nor the token of another page opens a page."""
    other = "manage" if page == "confirm" else "confirm"
    tokens = [token_of(the_row().id, other), subscribed.path(page).split("/")[-1][:-3]]

    for token in tokens:
        assert subscribed.get(page, token).status_code == 404
        assert subscribed.post(page, token, data={"kind": BOTH}).status_code == 404
    assert states() == ["active"]


@pytest.mark.parametrize(
    "email",
    [
        "",
        " ",
        "ada",
        "ada@",
        "@example.com",
        "ada@example",
        f"{'a' * 308}@example.com",
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com\0",
        "ada@example.com, eve@example.com",
        "Ada <ada@example.com>",
        '"><script>alert(1)</script>@example.com',
        "ada@[127.0.0.1]",
        "ada@exa\u202emple.com",
        "=?utf-8?q?ada?=@example.com",
    ],
)
def test_address_that_is_none(reader, email):
    """
    A malformed address is rejected with a sentence in the form, which keeps the input.
    """
    response = reader.api(email)

    assert response.status_code == 422
    assert 'role="alert"' in response.text
    assert "<script" not in response.text
    assert "\0" not in response.text
    assert states() == []


def test_address_in_unicode(reader):
    """An address may be in any script; all spellings of its domain are the same."""
    first = reader.api("jörg@bücher.example.com")
    second = reader.api("jörg@xn--bcher-kva.example.com")

    assert (first.status_code, second.status_code) == (200, 200)
    assert [row.address for row in SubscriptionRow.select()] == [
        "jörg@bücher.example.com"
    ]


@pytest.mark.parametrize(
    "choice",
    [
        {"service": ["ghost"]},
        {"service": ["api", "\0"]},
        {"kind": []},
        {"kind": ["incidents", "document.published"]},
    ],
)
def test_unknown_choices(reader, choice):
    """Only services of the page and the two kinds can be chosen, at least one kind."""
    assert reader.api(**choice).status_code == 422
    assert states() == []

    reader.api()
    reader.confirm()
    changed = {"kind": BOTH, "save": ""} | choice
    assert reader.post("manage", data=changed).status_code == 422
    assert the_row().services == []


def test_form_keeps_what_was_entered(reader):
    """The choices are kept when a mistyped address is rejected."""
    text = reader.api("ada@", service=["api"], kind=["maintenance"]).text

    assert 'value="ada@"' in text
    assert 'value="api" checked' in text
    assert 'value="maintenance" checked' in text
    assert 'value="incidents">' in text


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"email": "ada@example.com"}', "application/json", 415),
        (b"email=ada@example.com", "text/plain", 415),
        (b"email=ada@example.com", "", 415),
        (b"email=%FF%FE", FORM, 400),
        (b"\xff\xfe", FORM, 400),
        (b"a=1&" * 5000, FORM, 400),
        (b"email=" + b"a" * 65_536, FORM, 413),
        (b"", FORM, 422),
        (b"&&&=&", FORM, 422),
        (b"email=%&kind=%zz", FORM, 422),
    ],
)
def test_body_that_is_no_form(subscribed, body, content_type, status):
    """A malformed body gets a page with a sentence."""
    answers = [
        subscribed.client.post(path, data=body, content_type=content_type)
        for path in ("/subscribe", subscribed.path("manage"))
    ]

    for answer in answers:
        assert answer.status_code == status
        assert answer.content_type.startswith("text/html")
    assert states() == ["active"]


def test_same_answer_for_every_address(subscribed, clock):
    """
    The response does not reveal whether an address is subscribed, pending or ended.
    """
    clock.pass_(hours=1)
    answers = [
        subscribed.api(email, address=f"198.51.100.{number}").text.replace(email, "…")
        for number, email in enumerate([ADA, ADA, "new@example.com", "new@example.com"])
    ]

    assert len(set(answers)) == 1
    assert mails() == 1 + 1 + 2
    assert "at most one an hour" in answers[0]


def test_five_an_hour_for_a_client(reader, clock):
    """
    The sixth request of a client within an hour gets the same response, and no email is
    sent.
    """
    answers = [
        reader.api(f"{n}@example.com", address="192.0.2.1").text.replace(f"{n}@", "…")
        for n in range(6)
    ]
    assert len(set(answers)) == 1
    assert len(states()) == mails() == 5

    reader.api("other@example.com", address="192.0.2.2")
    assert mails() == 6

    clock.pass_(hours=1)
    for number in range(10, 16):
        reader.api(f"{number}@example.com", address="192.0.2.1")
    assert mails() == 11


def test_refused_forms_do_not_count(reader):
    """Rejected forms do not count towards the limit."""
    for _ in range(9):
        reader.api("ada@", address="192.0.2.1")

    reader.api(address="192.0.2.1")

    assert states() == ["pending"]


@pytest.mark.parametrize(
    ("peer", "forwarded", "others", "is_one_client"),
    [
        # The last address is what the proxy saw; the others are claims of the client.
        ("127.0.0.1", "192.0.2.1", "192.0.2.2", False),
        ("10.0.0.7", "203.0.113.9, 192.0.2.1", "192.0.2.1, 192.0.2.2", False),
        ("127.0.0.1", "203.0.113.1, 192.0.2.1", "203.0.113.2, 192.0.2.1", True),
        # A client has a whole /64.
        ("::1", "2001:db8:1:1::1", "2001:db8:1:1::2", True),
        ("::1", "2001:db8:1:1::1", "2001:db8:1:2::1", False),
        # Headers of direct clients from the internet are ignored.
        ("8.8.8.8", "192.0.2.1", "192.0.2.2", True),
        ("::ffff:8.8.8.8", "192.0.2.1", "192.0.2.2", True),
        ("127.0.0.1", "unknown", "nonsense", True),
    ],
)
def test_who_is_one_client(reader, peer, forwarded, others, is_one_client):
    """
    A client's address is that of its connection, or the one that our proxy reports.
    """

    def api(number, header):
        return reader.client.post(
            "/subscribe",
            data={"email": f"{number}@example.com", "kind": BOTH},
            headers={"X-Forwarded-For": header},
            environ_overrides={"REMOTE_ADDR": peer},
        )

    for number in range(5):
        api(number, forwarded)
    api(6, others)

    assert mails() == (5 if is_one_client else 6)


@pytest.mark.parametrize(
    ("addresses", "body"),
    [
        ([f"2001:db8:7:{n:x}::1" for n in range(20)], 10),
        ([f"2001:db8:7:{n:x}00::1" for n in range(60)], 50),
        ([f"192.0.2.{n}" for n in range(60)], 50),
    ],
)
def test_networks_of_clients(reader, addresses, body):
    """
    The networks of one customer have limits too: an IPv6 /56 and /48, an IPv4 /24.
    """
    for number, address in enumerate(addresses):
        answer = reader.api(f"a@{number}.example.com", address=address)
        assert answer.status_code == 200

    assert mails() == body

    reader.api(address="2001:db8:8::1")
    reader.api("b@example.com", address="198.51.100.1")
    assert mails() == body + 2


def test_refused_client_costs_its_network_nothing(reader):
    """
    Requests over the limit of one client do not count towards that of its network.
    """
    for number in range(60):
        reader.api(f"a@{number}.example.com", address="192.0.2.1")

    reader.api(address="192.0.2.2")

    assert mails() == 6


def test_flood_is_a_page(reader, monkeypatch):
    """
    While too many subscriptions are unconfirmed, readers are asked to come back later.
    """
    monkeypatch.setattr(readers, "MAX_UNCONFIRMED", 1)
    reader.api()

    answers = [reader.api(address) for address in (ADA, "grace@example.com")]

    assert [each.status_code for each in answers] == [503, 503]
    assert {each.headers["Retry-After"] for each in answers} == {"600"}
    assert mails() == 1


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Sec-Fetch-Site": "same-origin", "Origin": "null"}, 200),
        ({"Sec-Fetch-Site": "none"}, 200),
        ({"Origin": "http://localhost"}, 200),
        # The site, whose host can differ from that of the API.
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://s.example.com"}, 200),
        ({"Origin": "https://s.example.com"}, 200),
        ({"Sec-Fetch-Site": "same-site", "Origin": "https://www.example.com"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Origin": "null"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
)
def test_form_of_another_site(settings, clock, headers, status):
    """
    A form on another site cannot subscribe readers; they get the form to send it here.
    """
    result = replace(settings, site_url="https://s.example.com/docs")
    reader = Reader(result, clock, api_url="https://api.example.com")

    answer = reader.client.post(
        "/subscribe", data={"email": ADA, "kind": ["incidents"]}, headers=headers
    )

    assert answer.status_code == status
    assert mails() == int(status == 200)
    if status == 403:
        assert f'value="{ADA}"' in answer.text
        assert ticked(answer.text)["kind"] == ["incidents"]


def test_flood_of_one_mailbox(reader):
    """A mailbox gets at most three emails, however many clients request them."""
    for number in range(20):
        reader.api(address=f"192.0.2.{number}")

    assert mails() == 3


def test_no_relay(settings, clock):
    """Without a mail relay, the pages say that there are only feeds."""
    client = app_for_readers(settings, clock).test_client()

    answers = [
        client.post("/subscribe", data={"email": ADA, "kind": BOTH}),
        *(client.get(f"/subscribe/{page}/x") for page in PAGES),
        *(client.post(f"/subscribe/{page}/x") for page in PAGES),
    ]

    for answer in answers:
        assert answer.status_code == 404
        assert "sends no notifications by email" in answer.text
        assert "/status/feed.atom" in answer.text
    assert states() == []


def test_busy_storage(reader, raw_database):
    """If the database accepts no writes, the page is a 503 and nothing is lost."""
    with raw_database.writing_elsewhere():
        response = reader.api()

    assert response.status_code == 503
    assert response.headers["Retry-After"]
    assert "nothing was changed" in response.text
    assert reader.api().status_code == 200


def test_headers(subscribed):
    """Tokens in addresses reach no other site, cache or search engine."""
    answers = [
        subscribed.client.get("/subscribe"),
        subscribed.api("ada@"),
        *(subscribed.get(page) for page in PAGES),
        subscribed.get("end", "forged"),
    ]

    # The form's address has no token, and browsers send it as the referrer.
    forms, pages = ["same-origin"] * 2, ["no-referrer"] * 4
    assert [each.headers["Referrer-Policy"] for each in answers] == forms + pages
    for answer in answers:
        headers = answer.headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Robots-Tag"] == "noindex"
        assert headers["X-Content-Type-Options"] == "nosniff"
        policy = headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "form-action 'self'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "script" not in policy
        assert "<script" not in answer.text


def test_pages_of_another_host(settings, clock, reader):
    """Pages on their own host have the site's styles and links to its pages."""
    result = replace(settings, site_url="https://status.example.com")
    elsewhere = Reader(result, clock, subscribe_url="https://api.example.com")

    response = elsewhere.client.get("/subscribe")

    assert 'href="https://status.example.com/assets/style.' in response.text
    assert 'href="https://status.example.com/status/"' in response.text
    policy = response.headers["Content-Security-Policy"]
    assert "style-src 'self' https://status.example.com;" in policy


@pytest.mark.parametrize(
    ("subscribe_url", "base"),
    [
        ("", "/docs/v2"),
        ("https://api.example.com", "https://status.example.com/docs/v2"),
    ],
)
def test_site_below_a_path(settings, clock, reader, subscribe_url, base):
    """Pages are at the root of the host, and link to the site below its path."""
    result = replace(settings, site_url="https://status.example.com/docs/v2")
    below = Reader(result, clock, subscribe_url=subscribe_url)

    response = below.client.get("/subscribe")

    assert f'href="{base}/assets/style.' in response.text
    assert f'href="{base}/status/"' in response.text
    assert 'action="/subscribe"' in response.text
    # A policy lists hosts only.
    assert "/docs" not in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH"])
def test_other_methods(subscribed, method, caplog):
    """Only GET and POST are allowed, and tokens of other methods are not logged."""
    caplog.set_level("DEBUG")
    for page in PAGES:
        response = subscribed.client.open(subscribed.path(page), method=method)
        assert response.status_code == 405
        assert subscribed.path(page).rpartition("/")[2] not in caplog.text
    assert "path=/subscribe/" in caplog.text
    assert states() == ["active"]


def test_log_names_nobody(subscribed, caplog):
    """No log line has an email address or a token."""
    caplog.set_level("DEBUG")
    subscribed.api("grace@example.com")
    for page in PAGES:
        subscribed.get(page)
        subscribed.post(page, data={"kind": BOTH})
        subscribed.client.get(subscribed.path(page) + "/more")

    assert caplog.messages
    for line in caplog.messages:
        assert "grace" not in line
        assert quote(subscribed.path("manage").split("/")[-1]) not in line


def test_log_of_an_internal_error(settings, clock, reader, caplog):
    """An internal error is logged without the token of its page."""
    reader.api()
    path = reader.path("confirm")

    def fail(template, data, language):
        raise ZeroDivisionError

    result = replace(settings, **MAIL)
    client = create_app(result, clock=clock, render_page=fail).test_client()

    assert client.get(path).status_code == 500

    assert "ZeroDivisionError" in caplog.text
    assert path.rpartition("/")[2] not in caplog.text


def test_connection_is_left_clean(subscribed):
    """No page leaves a transaction open."""
    for page in PAGES:
        subscribed.get(page)

    assert not database.in_transaction()


def test_service_that_is_removed(subscribed, clock):
    """
    A chosen service that was removed is shown, and saving does not choose all others.
    """
    subscribed.post("manage", data={"kind": "incidents", "service": "api"})
    with writing():
        remove_service(StatusRemoveService(slug="api"), clock.now)

    text = subscribed.get("manage").text
    assert "<bdi>api</bdi> (removed)" in text
    subscribed.post("manage", data={"kind": "incidents", "service": "api"})

    assert the_row().services == ["api"]


@pytest.fixture
def swedish_reader(settings, clock, tmp_path):
    """A reader of a Swedish site that is also available in Arabic and English."""
    templates = add_marked_languages(tmp_path / "own", "sv", "ar")
    with writing():
        add_service(StatusAddService(slug="api", name="API"), clock.now)
    changes = {"language": "sv", "templates": templates, "site_name": "Acme"}
    return Reader(settings, clock, **changes)


def language_of(response):
    """Return the language of a page, which is in its header too."""
    (tag,) = re.findall('<html lang="([^"]+)"', response.text)
    assert response.headers["Content-Language"] == tag
    assert ('dir="rtl"' in response.text) == (tag == "ar")
    return tag


@pytest.mark.parametrize(
    ("sent", "accepted", "tag"),
    [
        ("ar", "en", "ar"),
        ("ar-EG", "en", "ar"),
        (None, "en-US,en;q=0.9", "en"),
        (None, "is,ar;q=0.5,en;q=0.7", "en"),
        (None, "is, en;q=0, *;q=0.5", "sv"),
        (None, None, "sv"),
        ("is", None, "sv"),
        ("", None, "sv"),
        ("<b>", "\xff;q=x,,", "sv"),
    ],
)
def test_language_of_a_request(swedish_reader, sent, accepted, tag):
    """
    The language of the form is used, else one that the browser accepts, else the
    site's.
    """
    form = {"language": sent} if sent is not None else {}
    headers = {"Accept-Language": accepted} if accepted else {}
    form |= {"email": ADA, "kind": BOTH}

    accepted_form = swedish_reader.client.post("/subscribe", data=form, headers=headers)
    refused = swedish_reader.client.post(
        "/subscribe", data=form | {"email": "ada@"}, headers=headers
    )

    assert (accepted_form.status_code, refused.status_code) == (200, 422)
    assert (
        the_row().language == language_of(accepted_form) == language_of(refused) == tag
    )
    assert f'name="language" value="{tag}"' in refused.text


def test_pages_in_the_language_of_the_subscription(swedish_reader):
    """Pages that an email links to are entirely in the language of the email."""
    english = {"headers": {"Accept-Language": "en"}}
    swedish_reader.api(language="ar")
    pages = [swedish_reader.get("confirm", **english)]
    pages += [swedish_reader.post("confirm", data={"kind": BOTH}, **english)]
    pages += [swedish_reader.get(page, **english) for page in ("manage", "end")]
    pages += [swedish_reader.post("manage", data={"save": ""}, **english)]
    pages += [swedish_reader.post("end", **english)]

    assert [language_of(page) for page in pages] == ["ar"] * 6
    languages = (load_locale(tag).own_name for tag in available_languages())
    known = {"Acme", "Masthead", ADA, "API", "Svenska", *languages}
    for page in pages:
        assert unmarked_words(page.text, known, tag="ar") == []


@pytest.mark.parametrize(
    ("path", "sent", "status"),
    [
        ("/subscribe", None, 200),
        ("/subscribe/manage/x", None, 404),
        ("/subscribe", b"email=%FF", 400),
        ("/subscribe", b"a" * 70_000, 413),
    ],
)
def test_pages_without_a_subscription(swedish_reader, path, sent, status):
    """Without a subscription, a page is in a language that the browser accepts."""
    headers = {"Accept-Language": "ar"}

    page = swedish_reader.client.open(
        path,
        method="GET" if sent is None else "POST",
        data=sent,
        headers=headers,
        content_type=FORM,
    )

    assert (page.status_code, language_of(page)) == (status, "ar")
    assert unmarked_words(page.text, {"Acme", "Masthead"}, tag="ar") == []


def test_choosing_a_language(swedish_reader):
    """The languages are listed by their own names, and the choice is stored."""
    swedish_reader.api()
    swedish_reader.confirm()
    page = swedish_reader.get("manage").text
    options = re.findall(r'<option value="(\S+)" lang="\1"( selected)?>(.+)<', page)

    changed = swedish_reader.post("manage", data={"kind": BOTH, "language": "ar"})
    unknown = swedish_reader.post("manage", data={"kind": BOTH, "language": "is"})
    refused = swedish_reader.post("manage", data={"language": "en"})

    assert {tag: (bool(chosen), name) for tag, chosen, name in options}.items() >= {
        ("ar", (False, "العربية")),
        ("en", (False, "English")),
        ("sv", (True, "Svenska")),
    }
    assert the_row().language == language_of(changed) == language_of(unknown) == "ar"
    assert refused.status_code == 422
    assert '<option value="en" lang="en" selected>' in refused.text


def test_request_of_a_subscribed_mailbox(swedish_reader):
    """A stranger who enters a subscribed address does not change its language."""
    swedish_reader.api(language="ar")
    swedish_reader.confirm()

    swedish_reader.api(language="en")

    assert the_row().language == "ar"
