"""Subscriptions, and receivers that record what they get."""

from collections import defaultdict
from datetime import UTC, datetime

from models.locales import load_locale
from models.notifications.deliveries.attempts import Attempt
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.event_types import default_events
from models.notifications.subscriptions.subscriptions import create_subscription
from models.storage.database import writing
from sitegen.messages.message_text import parse_message

SITE_URL = "https://docs.example.com"
DELIVERED = Outcome(is_delivered=True, status_code=200)
FAILED = Outcome(is_delivered=False, status_code=503, answer="Try again.")
GONE = Outcome(is_delivered=False, status_code=410, is_permanent=True)
# What the first release stores. What waits during an update must still be sent, so a
# field that a schema gains has a default.
TIME = "2026-03-01T12:00:00.000Z"


def incident_data(bodies=("A **cache**.",), services=("Public API",), **changes):
    """Return the data of an event of an incident, as an event stores it."""
    incident = {
        "id": "incident-1",
        "title": "Errors on the API",
        "status": "identified",
        "severity": "degraded",
        "startedAt": TIME,
        "resolvedAt": None,
        "createdAt": TIME,
        "updatedAt": TIME,
        "services": affected(services),
    }
    updates = [
        {
            "id": str(number),
            "incidentId": "incident-1",
            "status": "identified",
            "body": body,
            "createdAt": TIME,
        }
        for number, body in enumerate(bodies)
    ]
    return {"incident": {"incident": incident | changes, "updates": updates}}


def window_data(services=("Public API",), **changes):
    """Return the data of an event of a maintenance window."""
    window = {
        "id": "window-1",
        "title": "New disks",
        "description": None,
        "startsAt": TIME,
        "endsAt": "2026-03-01T14:00:00.000Z",
        "status": "scheduled",
        "createdAt": TIME,
        "updatedAt": TIME,
        "services": affected(services),
    }
    return {"maintenance": window | changes}


def affected(names):
    return [{"slug": f"s{number}", "name": name} for number, name in enumerate(names)]


# An attempt to deliver an update of an incident to a webhook.
ATTEMPT = Attempt(
    number=1,
    delivery_id="delivery-2",
    subscription_id="subscription-1",
    channel="webhook",
    address="https://tool.example.com/hook",
    language=None,
    type="incident.updated",
    subject_id="incident-1",
    path="/status/incidents/1/",
    data=incident_data(),
    at=datetime(2026, 3, 1, 12, 0, tzinfo=UTC),
    attempts=1,
)
# The pages of all changes are live.
ALL_LIVE = {"status": 10**9, "docs": 10**9}


def message(markdown, language="en"):
    """Return the message that subscribers get of a text of incidents or maintenance."""
    return parse_message(markdown, load_locale(language), SITE_URL)


def subscribe(now, address="https://tool.example.com/hook", **more):
    """Add a subscription as an operator would, with all events of its channel."""
    channel = more.pop("channel", "webhook")
    body = {
        "folded_address": address,
        "events": default_events(channel),
        "services": [],
        "source": "operator",
        "secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    } | more
    with writing():
        return create_subscription(channel, address, now=now, **body)


class Receivers:
    """Records each attempt by address; responds as configured for the address."""

    def __init__(self):
        self.attempts = defaultdict(list)
        self.outcomes = defaultdict(lambda: DELIVERED)

    def send(self, batch):
        for attempt in batch:
            self.attempts[attempt.address].append(attempt)
            yield attempt, self.outcomes[attempt.address]

    def types(self, address="https://tool.example.com/hook"):
        return [attempt.type for attempt in self.attempts[address]]
