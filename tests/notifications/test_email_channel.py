"""Email from a claimed delivery to the mailbox: its content and its links."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.policy import default

import pytest

from api.notifications.senders import EmailSender, create_senders
from models.notifications.deliveries.attempts import claim, record_outcomes
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.notifications.subscriptions.readers import (
    confirm_subscription,
    request_subscription,
)
from models.notifications.subscriptions.secrets import subscription_id_of
from models.settings import Settings
from sitegen.messages.renderer import message_renderer
from tests.factories.languages import START, add_marked_languages
from tests.factories.notifications import ATTEMPT, incident_data
from tests.notifications.relays import Relay, relaying

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
API = "https://api.example.com"
NOTICE = replace(
    ATTEMPT,
    channel="email",
    address="ada@example.com",
    token="token-1",
    thread_id="delivery-1",
)


@pytest.fixture
def relay():
    with relaying(Relay()) as started:
        yield started


@pytest.fixture
def mail_settings(relay):
    return Settings(
        site_url="https://docs.example.com",
        site_name="Example",
        subscribe_url=API,
        smtp=f"smtp+plain://127.0.0.1:{relay.port}",
        mail_from="Example <status@example.com>",
    )


@pytest.fixture
def send(mail_settings):
    sender = EmailSender(mail_settings, lambda: NOW, message_renderer(mail_settings))
    return lambda *batch: list(sender.send(batch))


def read(mail):
    return message_from_bytes(mail, policy=default)


def text_of(mail):
    return read(mail).get_body(("plain",)).get_content()


def test_notice(send, relay):
    """
    An email links to the page on the site, and to the subscription on the API's host.
    """
    ((attempt, outcome),) = send(NOTICE)

    (mail,) = map(read, relay.mails)
    html = mail.get_body(("html",)).get_content()
    assert (attempt, outcome.is_delivered) == (NOTICE, True)
    assert mail["Subject"] == "[Example] Incident update: Errors on the API"
    assert mail["In-Reply-To"] == "<delivery-1@example.com>"
    assert mail["List-Unsubscribe"] == f"<{API}/subscribe/end/token-1>"
    assert f'href="{API}/subscribe/manage/token-1"' in html
    assert 'href="https://docs.example.com/status/incidents/1/"' in html
    assert "A <strong>cache</strong>." in html


@pytest.mark.parametrize(
    ("language", "tag"), [(None, "sv"), ("ar", "ar"), ("en-GB", "en"), ("is", "sv")]
)
def test_language(mail_settings, relay, tmp_path, language, tag):
    """An email is in the language of its subscription, or else in that of the site."""
    templates = add_marked_languages(tmp_path / "own", "sv", "ar")
    settings = replace(mail_settings, language="sv", templates=templates)
    types = ("subscription.confirm", "subscription.manage", "subscription.test")
    batch = [
        replace(NOTICE, number=number, type=type, language=language)
        for number, type in enumerate((NOTICE.type, *types))
    ]

    list(EmailSender(settings, lambda: NOW, message_renderer(settings)).send(batch))

    mails = [read(mail) for mail in relay.mails]
    assert [mail["Content-Language"] for mail in mails] == [tag] * 4
    for mail in mails:
        html = mail.get_body(("html",)).get_content()
        assert f'<html lang="{tag}" dir="{"rtl" if tag == "ar" else "ltr"}">' in html
        assert mail["Subject"].startswith(START) == (tag != "en")


def test_batch(send, relay):
    """The emails of a batch share a connection, and each has its outcome."""
    relay.replies["RCPT"] = ["550 5.1.1 Unknown", "250 2.0.0 Ok: queued"]
    other = replace(NOTICE, number=2, address="eve@example.com", delivery_id="d-3")

    results = send(NOTICE, other)

    assert [attempt for attempt, _ in results] == [NOTICE, other]
    assert [outcome.is_permanent for _, outcome in results] == [True, False]
    assert relay.connections == 1


def test_mail_that_cannot_be_assembled(send, relay, caplog):
    """
    An email that cannot be rendered fails alone; the others of its batch are sent.
    """
    data = incident_data(status="forgotten")
    broken = replace(NOTICE, number=2, delivery_id="d-3", data=data)
    other = replace(NOTICE, number=3, address="eve@example.com", delivery_id="d-4")

    results = send(NOTICE, broken, other)

    assert [attempt for attempt, _ in results] == [NOTICE, broken, other]
    delivered = [outcome.is_delivered for _, outcome in results]
    assert delivered == [True, False, True]
    outcome = results[1][1]
    assert outcome.answer == "The e-mail could not be assembled."
    assert (outcome.is_permanent, outcome.is_unconfirmed) == (False, False)
    assert outcome.is_internal
    assert caplog.records[-1].exc_info


def test_channel_without_relay(mail_settings):
    """Without a relay there is no email; webhooks do not need one."""
    render = message_renderer(mail_settings)
    with_relay = create_senders(mail_settings, lambda: NOW, render)
    without = create_senders(replace(mail_settings, smtp=""), lambda: NOW, render)

    assert "email" in with_relay
    assert "email" not in without
    assert "webhook" in without


@pytest.mark.usefixtures("store")
@pytest.mark.both_engines
def test_from_request_to_mailbox(send, relay):
    """A reader's request is confirmed with the token that the mailbox receives."""
    request_subscription("ada@example.com", (), ("incidents",), NOW)

    record_outcomes(send(*claim(NOW, ["email"], 10)), NOW)

    (mail,) = relay.mails
    (url,) = re.findall(r"https://\S+", text_of(mail))
    token = url.removeprefix(f"{API}/subscribe/confirm/")
    assert confirm_subscription(token, (), ("incidents",), NOW).state == "active"
    assert DeliveryRow.get().status == "delivered"


@pytest.mark.usefixtures("store")
@pytest.mark.both_engines
def test_token_of_an_attempt(send):
    """Only the confirmation email has the token that confirms."""
    request_subscription("ada@example.com", (), ("incidents",), NOW)
    row = SubscriptionRow.get()
    (asking,) = claim(NOW, ["email"], 10)
    record_outcomes(send(asking), NOW)
    confirm_subscription(asking.token, (), ("incidents",), NOW)
    DeliveryRow.update(
        status="waiting", next_attempt_at=NOW, type="subscription.manage"
    ).execute()

    (managing,) = claim(NOW, ["email"], 10)

    assert subscription_id_of(asking.token, "confirm") == row.id
    assert subscription_id_of(asking.token, "manage") is None
    assert subscription_id_of(managing.token, "manage") == row.id
    assert subscription_id_of(managing.token, "confirm") is None
