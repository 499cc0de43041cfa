"""Mails as two parsers read them: Python's own, and one that is written in Rust."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.header import decode_header, make_header
from email.policy import default
from html.parser import HTMLParser

import fast_mail_parser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.notifications.event_types import events_of_channel
from models.settings import Settings
from sitegen.messages.renderer import message_renderer
from sitegen.theme.theme import Theme
from tests.factories.languages import (
    add_marked_languages,
    unmarked_parts,
    unmarked_words,
    words_of_dates,
)
from tests.factories.notifications import ATTEMPT, incident_data, window_data

NOW = datetime(2026, 3, 1, 12, 6, tzinfo=UTC)
API = "https://api.example.com"
TOKEN = "Zm9v" * 12
MANAGE, END = f"{API}/subscribe/manage/{TOKEN}", f"{API}/subscribe/end/{TOKEN}"
CONFIRM = f"{API}/subscribe/confirm/{TOKEN}"
SETTINGS = Settings(
    site_name="Example status",
    site_url="https://docs.example.com",
    subscribe_url=API,
    smtp="smtps://mail.example.com",
    mail_from="Example status <status@example.com>",
)
RENDER = message_renderer(SETTINGS)
TEXT = "The **cause** is known: [the log](https://log.example.com/?a=1&b=2)."


def incident(text=TEXT, services=("Public API", "Search"), **changes):
    usual = {"severity": "partial-outage", "startedAt": "2026-03-01T11:58:00.000Z"}
    return replace(
        ATTEMPT,
        channel="email",
        address="ada@example.com",
        token=TOKEN,
        data=incident_data([text], services, **usual | changes),
    )


NOTICE = incident()
URL = f"{SETTINGS.site_url}{NOTICE.path}"
WINDOW = replace(
    NOTICE,
    type="maintenance.scheduled",
    path="/status/maintenance/1/",
    data=window_data(
        ("Public API", "Search"),
        title="Errors on the API",
        startsAt="2026-03-01T11:58:00.000Z",
    ),
)
lines = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=160
)
# The API refuses NUL.
texts = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=400
)


# One that follows another about the same incident.
ANSWER = replace(NOTICE, thread_id="delivery-1")


def sent(attempt=NOTICE, **changes):
    """Return the mail of an attempt, with changed settings."""
    render = message_renderer(replace(SETTINGS, **changes)) if changes else RENDER
    return render(attempt, NOW)


def read(mail):
    """Return the mail as the standard library reads it."""
    return message_from_bytes(mail, policy=default)


def part(mail, kind):
    return lines_of(read(mail).get_body((kind,)).get_content())


def lines_of(text):
    return text.replace("\r\n", "\n")


def head(mail):
    """Return the header fields as bytes, in their lines on the wire."""
    return mail.partition(b"\r\n\r\n")[0].split(b"\r\n")


def test_mail(golden):
    """The whole email as it is transmitted equals the golden file."""
    mail = sent(ANSWER)

    golden("mails/incident.eml", mail.decode("ascii").replace("\r\n", "\n"))


def test_mail_of_a_window(golden):
    """The email about a window says when it begins and ends."""
    golden("mails/maintenance.eml", sent(WINDOW).decode("ascii").replace("\r\n", "\n"))


def test_fields():
    """
    The headers have the sender, mark the email as automatic, and identify its thread.
    """
    mail = read(sent(ANSWER))

    assert mail.defects == []
    assert mail["From"] == "Example status <status@example.com>"
    assert mail["To"] == "ada@example.com"
    assert mail["Subject"] == "[Example status] Incident update: Errors on the API"
    assert mail["Date"].datetime == NOW
    assert mail["Message-ID"] == "<delivery-2@example.com>"
    assert mail["In-Reply-To"] == mail["References"] == "<delivery-1@example.com>"
    assert mail["Auto-Submitted"] == "auto-generated"
    assert mail["List-Id"] == "<status.docs.example.com>"


def test_first_mail_of_a_thread():
    """
    The first email of a thread is no reply, and has the id that the next one replies
    to.
    """
    first = read(sent(replace(NOTICE, delivery_id="delivery-1")))

    assert "In-Reply-To" not in first
    assert "References" not in first
    assert first["Message-ID"] == read(sent(ANSWER))["In-Reply-To"]


@pytest.mark.parametrize("length", [1, 76, 400])
def test_one_click(length):
    """Each unsubscription header is one line, however long its URL is."""
    token = "x" * length
    end = f"{API}/subscribe/end/{token}"

    fields = head(sent(replace(NOTICE, token=token)))

    assert f"List-Unsubscribe: <{end}>".encode() in fields
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in fields


def test_same_delivery():
    """A repeated attempt sends the same bytes, so that duplicates are recognised."""
    assert sent() == sent()


def test_text():
    """The plain text says what happened, the facts, and where to read more."""
    text = part(sent(), "plain")

    assert "Incident update: Errors on the API\n" in text
    assert "The cause is known: the log (https://log.example.com/?a=1&b=2)." in text
    assert (
        "Severity: Partial outage\nAffected services: Public API and Search\n" in text
    )
    assert "Started: 1 Mar 2026, 11:58 UTC" in text
    assert f"\n{URL}\n" in text
    assert "\n-- \nYou receive this email because" in text
    assert text.endswith(f"{MANAGE}\n")


def test_resolved():
    """A resolved incident has its end, and no severity any more."""
    over = incident(status="resolved", resolvedAt="2026-03-01T12:04:00.000Z")

    text = part(sent(over), "plain")

    assert "Status: Resolved" in text
    assert "Resolved: 1 Mar 2026, 12:04 UTC" in text
    assert "Severity" not in text


def test_many_services():
    """An email names a limited number of services, and counts the others."""
    many = incident(services=[f"S{number}" for number in range(23)])

    assert "S18, S19 and 3 more\n" in part(sent(many), "plain")


class Elements(HTMLParser):
    """The elements and the text of HTML, without the style sheet."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.texts, self.open = [], [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "img"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_html():
    """The page has the message, the facts and the links, in balanced elements."""
    found = Elements(part(sent(), "html"))

    links = [attrs["href"] for tag, attrs in found.elements if tag == "a"]
    assert found.open == []
    assert links == ["https://log.example.com/?a=1&b=2", URL, MANAGE]
    assert "strong" in dict(found.elements)
    assert "Partial outage" in found.texts


def test_html_loads_nothing():
    """
    The HTML loads nothing, so opening the email is not tracked, and it needs no
    pictures.
    """
    text = "![A <graph>](https://spy.example.com/a.png) ![](https://spy.example.com/b)"

    html = part(sent(incident(text)), "html")

    assert '<a href="https://spy.example.com/a.png">A &lt;graph&gt;</a>' in html
    assert not re.search(r"<(img|link|script|iframe)|url\(|@import", html)


def test_hostile_text():
    """Markup in operators' text is escaped, in the body and in the headers."""
    evil = '<script>alert(1)</script>"\r\nBcc: eve@example.com'
    hostile = incident(evil, [evil], title=evil)

    mail = sent(hostile, site_name='<script>alert(1)</script>"]')

    found = read(mail)
    assert found["Bcc"] is None
    assert "script" not in dict(Elements(part(mail, "html")).elements)
    assert "<script>alert(1)</script>" in part(mail, "plain")


def test_colours_of_own_styles(tmp_path):
    """A mail looks like the page that it leads to, also with the operator's styles."""
    (tmp_path / "assets").mkdir()
    own = ":root { --partial-outage: light-dark(#aa3300, #ffbb99); }"
    (tmp_path / "assets/style.css").write_text(own)

    html = part(sent(templates=str(tmp_path)), "html")

    assert "4px solid #aa3300" in html
    assert "border-color: #ffbb99" in html
    # A colour that they do not have is the usual one.
    assert Theme(SETTINGS).colours["soft"][0] in html


def test_colours_in_the_mail():
    """State and accent are shown on light and on dark screens."""
    settings = replace(SETTINGS, accent_colour="#0a5d42")
    colours = Theme(settings).colours

    html = part(sent(accent_colour="#0a5d42"), "html")

    assert colours["accent"][0] == "#0a5d42"
    for colour in (*colours["partial-outage"], *colours["accent"]):
        assert colour in html


@pytest.mark.parametrize("type", events_of_channel("email"))
def test_subject(type):
    """The subject of each event starts with what happened."""
    event = NOTICE if type.startswith("incident.") else WINDOW

    subject = read(sent(replace(event, type=type)))["Subject"]

    assert re.fullmatch(r"\[Example status\] \w[\w ]+: Errors on the API", subject)
    assert type not in subject


@pytest.mark.parametrize(
    "title",
    [
        *("Größere Störung", "支付失败" * 40, "é" * 160, "🔥" * 80, "a" * 160),
        *("=?utf-8?q?forged?=", "a=b?", "Straße " * 20, "\u05e9\u05dc\u05d5\u05dd"),
    ],
    ids=range(9),
)
def test_subject_in_unicode(title):
    """Titles of any length and script arrive as they were written."""
    mail = sent(incident(title=title))

    subjects = (read(mail)["Subject"], fast_mail_parser.parse_email(mail).subject)
    for subject in subjects:
        assert subject.strip("\u2068\u2069").endswith(title.strip())
        assert "Incident update: " in subject
    assert all(line.isascii() for line in head(mail))
    encoded = [line for line in head(mail) if b"=?utf-8?" in line]
    assert all(len(word) <= 75 for line in encoded for word in line.split())


@pytest.mark.parametrize(
    "name",
    ["Status, Inc.", " ".join(["État du service"] * 5), "状态" * 40],
    ids=["quoted", "accents", "long"],
)
def test_sender(name):
    """The sender's name is shown as configured."""
    mail = sent(mail_from=f"{name} <s@example.com>")

    address = fast_mail_parser.parse_email(mail).from_
    assert (address.display_name, address.address) == (name, "s@example.com")
    # The newer parser of the standard library puts spaces between encoded words.
    field = message_from_bytes(mail)["From"]
    assert str(make_header(decode_header(field))).replace('"', "") == (
        f"{name} <s@example.com>"
    )


@pytest.mark.parametrize(
    ("to", "field"),
    [
        ("ada@bücher.example.com", b"To: ada@xn--bcher-kva.example.com"),
        ("éve@example.com", "To: éve@example.com".encode()),
        (f"{'x' * 64}@{'a' * 60}.{'b' * 60}.com", None),
    ],
)
def test_address(to, field):
    """A domain is in ASCII; a Unicode local part needs SMTPUTF8 anyway."""
    fields = head(sent(replace(NOTICE, address=to)))

    assert (field or f"To: {to}".encode()) in fields


def test_list_of_a_site_at_an_address():
    """
    The list id has the form of a host name, even if the site's host is an IP address.
    """
    fields = head(sent(site_url="http://[::1]:8000"))

    assert b"List-Id: <status.--1>" in fields


def test_wrong_id():
    """An id that would end the header is rejected."""
    with pytest.raises(ValueError, match="Message-ID"):
        sent(replace(NOTICE, delivery_id="a>\r\nBcc: <eve@example.com"))


def test_url_beyond_a_line():
    """A URL that exceeds the line limit is rejected, not folded."""
    with pytest.raises(ValueError, match="List-Unsubscribe"):
        sent(replace(NOTICE, token="x" * 1000))


@given(title=lines, name=lines, text=texts)
def test_any_text(title, name, text):
    """Any text gives an email within the limits, on which both parsers agree."""
    mail = sent(incident(text, [name], title=title))

    mine, other = read(mail), fast_mail_parser.parse_email(mail)
    assert mine.defects == []
    assert other.warnings == []
    body = mail.partition(b"\r\n\r\n")[2]
    assert all(len(line) <= 998 for line in head(mail))
    assert all(len(line) <= 76 for line in body.split(b"\r\n"))
    assert b"\n" not in mail.replace(b"\r\n", b"")
    assert other.subject == mine["Subject"]
    assert other.headers["List-Unsubscribe"] == [f"<{END}>"]
    assert [*map(lines_of, other.text_plain)] == [part(mail, "plain")]
    assert [*map(lines_of, other.text_html)] == [part(mail, "html")]
    assert Elements(part(mail, "html")).open == []


LETTERS = {
    "subscription.test": "Test of notifications",
    "subscription.confirm": "Confirm your subscription",
    "subscription.manage": "Your subscription",
}


def letter(type):
    return replace(NOTICE, type=type, data={}, path="")


@pytest.mark.parametrize(
    ("type", "words", "url"),
    [
        ("subscription.test", "An operator sent it", f"{SETTINGS.site_url}/status/"),
        ("subscription.confirm", "within 7 days", CONFIRM),
        ("subscription.manage", "subscribed already", MANAGE),
    ],
)
def test_letter(type, words, url):
    """It says why it was sent, what to do, and what happens otherwise."""
    mail = sent(letter(type))

    found = read(mail)
    assert found["Subject"] == f"[Example status] {LETTERS[type]}"
    assert found["Auto-Submitted"] == "auto-generated"
    for kind in ("plain", "html"):
        content = " ".join(part(mail, kind).split())
        assert words in content
        assert re.findall(r"https://[^\s\"]+", content) == [url]


@pytest.mark.parametrize("type", LETTERS)
def test_letter_is_no_list(type):
    """A confirmation has no list headers, because it belongs to no list."""
    fields = head(sent(letter(type)))

    assert not [field for field in fields if field.startswith(b"List-")]


LOG = "https://log.example.com/?a=1&b=2"
# Operators' texts, and addresses.
WRITTEN = {
    *("Example status", "Errors on the API", "Public API och Search"),
    *(f"The cause is known: the log ({LOG}", f"The cause is known: the log ({LOG})."),
    *("The cause", "is known", "the log"),
    *("--", URL, f"{SETTINGS.site_url}{WINDOW.path}", MANAGE, CONFIRM),
    f"{SETTINGS.site_url}/status/",
}


MAILS = (NOTICE, WINDOW, *map(letter, LETTERS))


def sent_in(tag, attempt, folder):
    templates = add_marked_languages(folder, tag)
    return sent(replace(attempt, language=tag), templates=templates)


@pytest.mark.parametrize("attempt", MAILS, ids=lambda attempt: attempt.type)
def test_language(attempt, tmp_path):
    """Everything except operators' texts is in the language, in headers and body."""
    mail = sent_in("sv", attempt, tmp_path)

    found, other = read(mail), fast_mail_parser.parse_email(mail)
    assert found.defects == []
    assert found["Subject"] == other.subject
    assert unmarked_parts([found["Subject"]], WRITTEN) == []
    assert found["Content-Language"] == "sv"
    for kind in ("plain", "html"):
        assert ("1 mars 2026" in part(mail, kind)) == bool(attempt.data)
    html = part(mail, "html")
    known = WRITTEN | words_of_dates()
    assert unmarked_parts([part(mail, "plain")], known) == []
    assert unmarked_words(html, known) == []
    assert html.count('lang="sv" dir="ltr"') == 2


@pytest.mark.parametrize("attempt", MAILS, ids=lambda attempt: attempt.type)
def test_right_to_left(attempt, tmp_path):
    """A mail in Hebrew is laid out from the right, and one in English from the left."""
    html = part(sent(attempt), "html")

    mirrored = part(sent_in("he", attempt, tmp_path), "html")

    assert mirrored.count('lang="he" dir="rtl"') == 2
    assert mirrored.count("right") == html.count("left") > 0
    assert mirrored.count("left") == html.count("right")
