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

from models.locales import load_locale
from models.notifications.addresses.mail_relay import Mailbox
from models.notifications.event_types import events_of_channel
from models.notifications.messages.mail_html import COLOURS, STATE_COLOURS
from models.notifications.messages.mail_message import (
    MailSite,
    confirmation_mail,
    mail_of,
    management_mail,
    trial_mail,
)
from models.notifications.messages.notice import Notice
from tests.conventions.source import ROOT
from tests.factories.languages import (
    marked_locale,
    unmarked_parts,
    unmarked_words,
    words_of_dates,
)
from tests.factories.notifications import message

NOW = datetime(2026, 3, 1, 12, 6, tzinfo=UTC)
ENGLISH = load_locale("en")
API = "https://api.example.com"
TOKEN = "Zm9v" * 12
MANAGE, END = f"{API}/subscribe/manage/{TOKEN}", f"{API}/subscribe/end/{TOKEN}"
SITE = MailSite(
    name="Example status",
    url="https://docs.example.com",
    sender=Mailbox("Example status", "status@example.com"),
)
NOTICE = Notice(
    type="incident.updated",
    site_name="Example status",
    title="Errors on the API",
    status="identified",
    text="The **cause** is known: [the log](https://log.example.com/?a=1&b=2).",
    state="partial-outage",
    services=("Public API", "Search"),
    starts_at=datetime(2026, 3, 1, 11, 58, tzinfo=UTC),
    ends_at=None,
    url="https://docs.example.com/status/incidents/1/",
    at=datetime(2026, 3, 1, 12, 5, tzinfo=UTC),
)
WINDOW = replace(
    NOTICE,
    type="maintenance.scheduled",
    status=None,
    state="maintenance",
    text="",
    url="https://docs.example.com/status/maintenance/1/",
    ends_at=datetime(2026, 3, 1, 14, 0, tzinfo=UTC),
)
lines = st.text(
    st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=160
)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=400)


def sent(notice=NOTICE, **given):
    usual = {"manage_url": MANAGE, "end_url": END, "site": SITE, "now": NOW}
    usual |= {"locale": ENGLISH}
    usual |= {"to": "ada@example.com", "delivery_id": "delivery-2"}
    return mail_of(notice, message(notice.text), **usual | given)


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
    """The whole mail, as it is transmitted."""
    mail = sent(in_reply_to="delivery-1")

    golden("mails/incident.eml", mail.decode("ascii").replace("\r\n", "\n"))


def test_mail_of_a_window(golden):
    """A window says when it begins and ends."""
    golden("mails/maintenance.eml", sent(WINDOW).decode("ascii").replace("\r\n", "\n"))


def test_fields():
    """Programs find who it is from, that no person wrote it, and its thread."""
    mail = read(sent(in_reply_to="delivery-1"))

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
    """It answers nothing, and has the id that the next one answers."""
    first = read(sent(delivery_id="delivery-1"))

    assert "In-Reply-To" not in first
    assert "References" not in first
    assert first["Message-ID"] == read(sent(in_reply_to="delivery-1"))["In-Reply-To"]


@pytest.mark.parametrize("length", [1, 76, 400])
def test_one_click(length):
    """Each field of an unsubscription is one line, however long its URL is."""
    end = f"{API}/subscribe/end/{'x' * length}"

    fields = head(sent(end_url=end))

    assert f"List-Unsubscribe: <{end}>".encode() in fields
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in fields


def test_same_delivery():
    """Another attempt sends the same bytes, so that it is recognised."""
    assert sent() == sent()


def test_text():
    """Without HTML, a mail says what happened, the facts, and where to read more."""
    text = part(sent(), "plain")

    assert "Incident update: Errors on the API\n" in text
    assert "The cause is known: the log (https://log.example.com/?a=1&b=2)." in text
    assert (
        "Severity: Partial outage\nAffected services: Public API and Search\n" in text
    )
    assert "Started: 1 Mar 2026, 11:58 UTC" in text
    assert f"\n{NOTICE.url}\n" in text
    assert "\n-- \nYou receive this email because" in text
    assert text.endswith(f"{MANAGE}\n")


def test_resolved():
    """An incident that is over says when it ended, and has no severity any more."""
    ended = datetime(2026, 3, 1, 12, 4, tzinfo=UTC)
    over = replace(NOTICE, state="operational", status="resolved", ends_at=ended)

    text = part(sent(over), "plain")

    assert "Status: Resolved" in text
    assert "Resolved: 1 Mar 2026, 12:04 UTC" in text
    assert "Severity" not in text


def test_many_services():
    """A mail names so many services, and counts the others."""
    many = replace(NOTICE, services=tuple(f"S{number}" for number in range(23)))

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

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


def test_html():
    """The page has the message, the facts and the links, in balanced elements."""
    found = Elements(part(sent(), "html"))

    links = [attrs["href"] for tag, attrs in found.elements if tag == "a"]
    assert found.open == []
    assert links == ["https://log.example.com/?a=1&b=2", NOTICE.url, MANAGE]
    assert "strong" in dict(found.elements)
    assert "Partial outage" in found.texts


def test_html_loads_nothing():
    """Nobody learns that a mail was read, and it reads the same without pictures."""
    text = "![A <graph>](https://spy.example.com/a.png) ![](https://spy.example.com/b)"

    html = part(sent(replace(NOTICE, text=text)), "html")

    assert '<a href="https://spy.example.com/a.png">A &lt;graph&gt;</a>' in html
    assert not re.search(r"<(img|link|script|iframe)|url\(|@import", html)


def test_hostile_text():
    """What an operator pastes is text, in the page and in the fields."""
    evil = '<script>alert(1)</script>"\r\nBcc: eve@example.com'
    hostile = replace(NOTICE, title=evil, text=evil, services=(evil,))
    site = replace(SITE, name=f"{evil}]")

    mail = sent(hostile, site=site)

    found = read(mail)
    assert found["Bcc"] is None
    assert "script" not in dict(Elements(part(mail, "html")).elements)
    assert "<script>alert(1)</script>" in part(mail, "plain")


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_colours_are_those_of_the_site(scheme):
    """A mail looks like the page that it leads to."""
    css = (ROOT / "templates/assets/style.css").read_text(encoding="utf-8")
    pairs = re.findall(r"--([a-z-]+): light-dark\((#\w+), (#\w+)\)", css)
    site = {name: colours[scheme] for name, *colours in pairs}

    for name, colours in {**COLOURS, **STATE_COLOURS}.items():
        assert colours[scheme] == site[name], name


def test_colours_in_the_mail():
    """State and accent are shown on light and on dark screens."""
    html = part(sent(site=replace(SITE, accent=("#111111", "#eeeeee"))), "html")

    for colour in (*STATE_COLOURS["partial-outage"], "#111111", "#eeeeee"):
        assert colour in html


@pytest.mark.parametrize("type", events_of_channel("email"))
def test_subject(type):
    """The subject of each event says what happened before what it is about."""
    subject = read(sent(replace(NOTICE, type=type)))["Subject"]

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
    mail = sent(replace(NOTICE, title=title))

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
    """The name of the sender is shown as it was set."""
    mail = sent(site=replace(SITE, sender=Mailbox(name, "s@example.com")))

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
    """A domain is in ASCII; a part before it in Unicode needs SMTPUTF8 anyway."""
    fields = head(sent(to=to))

    assert (field or f"To: {to}".encode()) in fields


def test_list_of_a_site_at_an_address():
    """The id of the list has the form of a name, whatever the site's host is."""
    fields = head(sent(site=replace(SITE, url="http://[::1]:8000")))

    assert b"List-Id: <status.--1>" in fields


def test_wrong_id():
    """An id that would end the field is refused."""
    with pytest.raises(ValueError, match="Message-ID"):
        sent(delivery_id="a>\r\nBcc: <eve@example.com")


def test_url_beyond_a_line():
    """A field that no mail may have is refused, and not folded."""
    with pytest.raises(ValueError, match="List-Unsubscribe"):
        sent(end_url=f"{END}{'x' * 1000}")


@given(title=lines, name=lines, text=texts)
def test_any_text(title, name, text):
    """Whatever is written, the mail is within the limits and both parsers agree."""
    notice = replace(NOTICE, title=title, text=text, services=(name,))

    mail = sent(notice)

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


def letters(locale=ENGLISH):
    usual = {"site": SITE, "to": "ada@example.com", "now": NOW, "locale": locale}
    confirm = confirmation_mail(**usual, id="c-1", confirm_url=MANAGE, days=7)
    manage = management_mail(**usual, id="m-1", manage_url=MANAGE)
    trial = trial_mail(**usual, id="t-1")
    return [
        (trial, "[Example status] Test of notifications", "An operator sent it"),
        (confirm, "[Example status] Confirm your subscription", "within 7 days"),
        (manage, "[Example status] Your subscription", "subscribed already"),
    ]


@pytest.mark.parametrize(("mail", "subject", "said"), letters())
def test_letter(mail, subject, said):
    """It says why it came, what to do, and what happens if nothing is done."""
    found = read(mail)

    assert found["Subject"] == subject
    assert found["Auto-Submitted"] == "auto-generated"
    for kind in ("plain", "html"):
        content = " ".join(part(mail, kind).split())
        assert said in content
        assert MANAGE in content or f"{SITE.url}/status/" in content


@pytest.mark.parametrize("mail", [mail for mail, _, _ in letters()])
def test_letter_is_no_list(mail):
    """Who asked for one mail is in no list that one click could leave."""
    assert not [field for field in head(mail) if field.startswith(b"List-")]


LOG = "https://log.example.com/?a=1&b=2"
# What operators wrote, and addresses.
WRITTEN = {
    *("Example status", "Errors on the API", "Public API och Search"),
    *(f"The cause is known: the log ({LOG}", f"The cause is known: the log ({LOG})."),
    *("The cause", "is known", "the log"),
    *("--", NOTICE.url, WINDOW.url, MANAGE, f"{SITE.url}/status/"),
}


def mails_in(locale):
    return [sent(locale=locale), sent(WINDOW, locale=locale)] + [
        mail for mail, _, _ in letters(locale)
    ]


@pytest.mark.parametrize("number", range(5))
def test_language(number):
    """All that an operator did not write is in the language, in fields and bodies."""
    mail = mails_in(marked_locale("sv"))[number]

    found, other = read(mail), fast_mail_parser.parse_email(mail)
    assert found.defects == []
    assert found["Subject"] == other.subject
    assert unmarked_parts([found["Subject"]], WRITTEN) == []
    assert found["Content-Language"] == "sv"
    for kind in ("plain", "html"):
        assert ("1 mars 2026" in part(mail, kind)) == (number < 2)
    html = part(mail, "html")
    known = WRITTEN | words_of_dates()
    assert unmarked_parts([part(mail, "plain")], known) == []
    assert unmarked_words(html, known) == []
    assert html.count('lang="sv" dir="ltr"') == 2


@pytest.mark.parametrize("number", range(5))
def test_right_to_left(number):
    """A mail in Hebrew is laid out from the right, and one in English from the left."""
    html, mirrored = (
        part(mails_in(locale)[number], "html")
        for locale in (ENGLISH, marked_locale("he"))
    )

    assert mirrored.count('lang="he" dir="rtl"') == 2
    assert mirrored.count("right") == html.count("left") > 0
    assert mirrored.count("left") == html.count("right")
