"""The requests to webhooks and chat channels: events, and tests of a subscription."""

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook

from api.notifications.senders import WebhookSender, create_senders
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.event_types import CHANNELS
from models.settings import Settings
from sitegen.messages.renderer import message_renderer
from tests.factories.languages import END, START, add_marked_languages
from tests.factories.notifications import ATTEMPT

SETTINGS = Settings(site_url="https://status.example.com", site_name="Example")
SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
EVENT = replace(ATTEMPT, secrets=(SECRET,))
TEST = replace(EVENT, type="subscription.test", path="", data={})


def now():
    """Return the real time, because the independent verifier rejects old messages."""
    return datetime.now(UTC)


class Http:
    """Collects the requests that would be sent."""

    def __init__(self):
        self.sent = []

    def send(self, url, headers, body):
        self.sent.append((url, headers, body))
        return Outcome(is_delivered=True, status_code=204)


@pytest.fixture
def http():
    return Http()


def send(http, attempt, settings=SETTINGS):
    return list(WebhookSender(http, now, message_renderer(settings)).send([attempt]))


def test_webhook(http):
    """The message of an event has the page's address, and a valid signature."""
    ((_, outcome),) = send(http, EVENT)

    ((url, headers, body),) = http.sent
    message = Webhook(SECRET).verify(body, headers)
    assert (url, outcome.is_delivered) == (EVENT.address, True)
    assert message["type"] == "incident.updated"
    assert message["data"]["url"] == "https://status.example.com/status/incidents/1/"
    assert message["data"]["incident"]["incident"]["title"] == "Errors on the API"


def test_test_of_a_webhook(http):
    """A test is signed like an event, and links to the site."""
    send(http, TEST)

    ((_, headers, body),) = http.sent
    message = Webhook(SECRET).verify(body, headers)
    assert message["type"] == "subscription.test"
    assert message["data"] == {"url": "https://status.example.com"}


@pytest.mark.parametrize("channel", ["slack", "discord", "teams"])
@pytest.mark.parametrize(
    ("attempt", "words"),
    [
        (EVENT, ["Errors on the API", "cache", "/status/incidents/1/"]),
        (TEST, ["Notifications of Example arrive here", "example.com/status/"]),
    ],
)
def test_chat_room(http, channel, attempt, words):
    """A chat channel gets an event, or a test, in its own format."""
    send(http, replace(attempt, channel=channel))

    ((_, headers, body),) = http.sent
    text = json.dumps(json.loads(body), ensure_ascii=False)
    assert headers == {"Content-Type": "application/json"}
    assert all(word in text for word in words)


@pytest.mark.parametrize("channel", ["slack", "discord", "teams"])
@pytest.mark.parametrize("attempt", [EVENT, TEST], ids=["event", "test"])
@pytest.mark.parametrize("language", [None, "en", "is"])
def test_language_of_a_room(http, tmp_path, channel, attempt, language):
    """A chat message is in the language of its subscription, or in that of the site."""
    templates = add_marked_languages(tmp_path / "own", "sv")
    settings = replace(SETTINGS, language="sv", templates=templates)
    attempt = replace(attempt, channel=channel, language=language)

    send(http, attempt, settings)

    ((_, _, body),) = http.sent
    headline = "Incident update" if attempt.data else "Test"
    assert headline in body.decode()
    assert (f"{START}{headline}{END}" in body.decode()) == (language != "en")


def test_language_of_a_webhook(http, tmp_path):
    """A webhook is for programs, and is the same in every language."""
    templates = add_marked_languages(tmp_path / "own", "sv")
    settings = replace(SETTINGS, language="sv", templates=templates)

    for each, language in ((settings, "sv"), (SETTINGS, None)):
        attempt = replace(EVENT, language=language)
        send(http, attempt, each)

    (_, _, one), (_, _, other) = http.sent
    assert one == other


def test_channels():
    """Every channel is available with a relay, and all except email without one."""
    relay = {"smtp": "smtps://mail.example.com", "mail_from": "status@example.com"}
    render = message_renderer(SETTINGS)

    with_relay = create_senders(replace(SETTINGS, **relay), now, render)
    without = create_senders(SETTINGS, now, render)

    assert set(with_relay) == set(CHANNELS)
    assert set(without) == {*CHANNELS} - {"email"}
