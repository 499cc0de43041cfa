"""Subscriptions that operators add, list, change, end and erase."""

import re
from dataclasses import replace

import pytest

from models.audit import AuditRow
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.event_types import default_events
from models.notifications.rows import DeliveryRow, SubscriptionRow
from tests.factories.notifications import ALL_LIVE, subscribe
from tests.factories.status import ADD_SERVICE

pytestmark = pytest.mark.both_engines

NOUN = "/status/v1/admin/subscriptions"
ADD, UPDATE, REMOVE = (f"POST {NOUN}/{verb}" for verb in ("add", "update", "remove"))
LIST, GET = f"GET {NOUN}/list", f"GET {NOUN}/get"
HOOK = {"channel": "webhook", "address": "https://tools.example.com/Hook?a=1"}
MAIL = {"channel": "email", "address": "Mia@Example.com"}
INCIDENT = {
    "title": "Errors",
    "severity": "degraded",
    "services": ["api"],
    "body": "We are looking into it.",
}


@pytest.fixture
def api_service(api):
    api(ADD_SERVICE, {"slug": "api", "name": "API"})


@pytest.fixture
def added(api):
    """Add a subscription and return it."""

    def made(body=HOOK, **more):
        response = api(ADD, body | more)
        assert response.status_code == 200, response.text
        return response.json["data"]

    return made


def pointers(response):
    return [error["pointer"] for error in response.json["errors"]]


def test_add(api, added, audited):
    """A webhook is active at once, gets all events, and its secret is shown once."""
    result = added()

    secret = result.pop("secret")
    assert secret.startswith("whsec_")
    assert result == {
        "id": result["id"],
        "channel": "webhook",
        "address": "https://tools.example.com/Hook?a=1",
        "services": [],
        "events": list(default_events("webhook")),
        "language": None,
        "state": "active",
        "source": "operator",
        "createdAt": "2026-03-01T12:00:00.000Z",
        "confirmedAt": "2026-03-01T12:00:00.000Z",
        "quarantinedAt": None,
        "endedAt": None,
        "lastDeliveryAt": None,
        "reason": None,
    }
    assert api(GET, {"id": result["id"]}).json["data"] == result
    assert api(LIST).json["data"] == [result]
    assert audited() == ["subscription.added"]


@pytest.mark.parametrize("channel", ["email", "slack", "discord", "teams"])
def test_add_for_people(added, channel):
    """People get incidents and maintenance, and have no secret."""
    body = {"channel": channel, "address": "https://rooms.example.com/services/T0/B1"}

    result = added(MAIL if channel == "email" else body)

    assert result["events"] == list(default_events(channel))
    assert result["secret"] is None


def test_audit_has_no_address(api, added):
    """The audit log has the channel, not the address."""
    id = added(MAIL)["id"]
    api(UPDATE, {"id": id, "language": "en"})
    api(REMOVE, {"id": id, "erase": True})

    records = list(AuditRow.select().order_by(AuditRow.number))

    assert {(r.target_type, r.target_id, r.target_label) for r in records} == {
        ("subscription", id, "email")
    }
    assert "erased" in records[-1].detail
    result = api("GET /status/v1/admin/audit/list", {"targetType": "subscription"})
    assert len(result.json["data"]) == 3
    assert "mia@" not in result.text.lower()


def test_repeated_add(api, added):
    """A repeat returns the same secret, which the stored response has only sealed."""
    first = added()

    assert added() == first
    assert SubscriptionRow.select().count() == 1


@pytest.mark.parametrize(
    "body",
    [
        HOOK | {"address": "https://TOOLS.example.com:443/Hook?a=1"},
        MAIL | {"address": "mia@EXAMPLE.com"},
    ],
)
def test_address_that_is_subscribed(api, added, refusal, audited, body):
    """An address has one live subscription for a channel, in any spelling."""
    added()
    added(MAIL)
    existing = SubscriptionRow.get(SubscriptionRow.channel == body["channel"])

    response = api(ADD, body)

    assert response.status_code == 409
    assert refusal(response, "subscription-exists")["subscriptionId"] == existing.id
    assert existing.id in response.json["detail"]
    assert audited() == ["subscription.added"] * 2


@pytest.mark.parametrize(
    "body",
    [
        HOOK | {"address": "https://tools.example.com/hook?a=1"},
        HOOK | {"address": "https://tools.example.com:8443/Hook?a=1"},
        HOOK | {"channel": "slack"},
    ],
)
def test_other_address(added, body):
    """Paths are case-sensitive, and each channel is separate."""
    added()

    assert added(body)["state"] == "active"


@pytest.mark.parametrize(
    "body",
    [
        HOOK | {"address": "http://tools.example.com/"},
        HOOK | {"address": "https://127.0.0.1/hook"},
        HOOK | {"address": "https://[::ffff:10.0.0.1]/hook"},
        HOOK | {"address": "https://user:secret@tools.example.com/"},
        HOOK | {"address": "ada@example.com"},
        HOOK | {"channel": "slack", "address": "http://hooks.slack.com/services/T0"},
        HOOK | {"address": "https://tools.example.com/" + "x" * 2000},
        MAIL | {"address": "https://tools.example.com/"},
        MAIL | {"address": "ada@example.com\nBcc: bob@example.com"},
        MAIL | {"address": f"{'x' * 310}@example.com"},
        MAIL | {"address": " "},
    ],
)
def test_refused_address(api, refusal, audited, body):
    """An address to which nothing may be sent is rejected by its pointer."""
    response = api(ADD, body)

    assert response.status_code == 422
    refusal(response, "validation-failed")
    assert pointers(response) == ["/address"]
    assert SubscriptionRow.select().count() == 0
    assert audited() == []


class TestPrivateNetwork:
    @pytest.fixture
    def settings(self, settings):
        return replace(settings, notify_networks=("10.0.0.0/8",))

    def test_address_in_it(self, api, added):
        """Plain HTTP is allowed only in the networks of the setting."""
        assert added(HOOK | {"address": "http://10.1.2.3:8080/"})["state"] == "active"

        refused = api(ADD, HOOK | {"address": "http://192.168.1.1/"})
        assert pointers(refused) == ["/address"]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (MAIL | {"events": ["document.published"]}, "/events"),
        (HOOK | {"events": ["incident.closed"]}, "/events/0"),
        (HOOK | {"events": []}, "/events"),
        (HOOK | {"channel": "fax"}, "/channel"),
        (HOOK | {"language": "German!"}, "/language"),
        (HOOK | {"services": ["API"]}, "/services/0"),
    ],
)
def test_refused_values(api, body, place):
    """Each channel accepts only its own options."""
    response = api(ADD, body)

    assert response.status_code == 422
    assert pointers(response) == [place]


@pytest.mark.parametrize("path", [ADD, UPDATE])
def test_language_without_texts(api, added, path):
    """A language without translated messages is rejected, with the available ones."""
    body = HOOK if path == ADD else {"id": added(MAIL)["id"]}

    response = api(path, body | {"language": "is"})

    assert response.status_code == 422
    assert pointers(response) == ["/language"]
    (error,) = response.json["errors"]
    assert error["detail"].startswith("There are no texts in the language is. There")
    assert re.search(r" en[,.]", error["detail"])


def test_unknown_service(api, added, api_service, refusal):
    """An unknown slug is rejected by name, also in an update."""
    id = added(services=["api", "api"])["id"]

    for response in (
        api(ADD, MAIL | {"services": ["api", "ghost"]}),
        api(UPDATE, {"id": id, "services": ["ghost"]}),
    ):
        assert refusal(response, "reference-not-found")["status"] == 422
        assert response.json["detail"] == "No service has the slug 'ghost'."
    assert SubscriptionRow.get().services == ["api"]


def test_dry_run(api, audited):
    """A dry run adds nothing."""
    response = api(ADD, HOOK, headers={"Dry-Run": "true"})

    assert response.json["data"]["state"] == "active"
    assert SubscriptionRow.select().count() == 0
    assert audited() == []


def test_list(api, clock, store):
    """Newest first, page by page, by channel and by state."""
    for number in range(5):
        clock.pass_(seconds=1)
        channel = "email" if number % 2 else "webhook"
        row = subscribe(clock.now, f"{number}@example.com", channel=channel)
        if number > 2:
            SubscriptionRow.update(state="quarantined").where(
                SubscriptionRow.id == row.id
            ).execute()

    def numbers(**query):
        found = []
        while query is not None:
            page = api(LIST, query | {"limit": 2}).json
            found += [int(each["address"][0]) for each in page["data"]]
            cursor = page["meta"]["cursor"]
            query = query | {"cursor": cursor} if cursor else None
        return found

    assert numbers() == [4, 3, 2, 1, 0]
    assert numbers(channel="email") == [3, 1]
    assert numbers(state="quarantined") == [4, 3]
    assert numbers(state="active", channel="webhook") == [2, 0]


def test_update(api, added, api_service, audited, clock):
    """Sent members change and are audited; the same again changes nothing."""
    id = added(MAIL)["id"]
    body = {"id": id, "services": ["api"], "events": ["incident.opened"]}

    data = api(UPDATE, body | {"language": "en-GB"}).json["data"]
    again = api(UPDATE, body).json["data"]

    assert data["services"] == ["api"]
    assert data["events"] == ["incident.opened"]
    assert (data["language"], data["state"]) == ("en", "active")
    assert again == data
    assert audited().count("subscription.updated") == 1
    detail = AuditRow.get(AuditRow.action == "subscription.updated").detail
    assert "services: none -> api" in detail
    assert api(UPDATE, {"id": id, "language": None}).json["data"]["language"] is None


def test_update_refused(api, added, refusal):
    """A mailbox rejects events for tools, and an ended subscription is not changed."""
    id = added(MAIL)["id"]

    refused = api(UPDATE, {"id": id, "events": ["service.state-changed"]})
    assert pointers(refused) == ["/events"]
    api(REMOVE, {"id": id})
    ended = api(UPDATE, {"id": id, "language": "en"})
    assert ended.status_code == 409
    refusal(ended, "subscription-not-active")


def test_remove(api, added, api_service, audited, clock):
    """An ended subscription gets no more messages, and can be added again."""
    id = added()["id"]
    api("POST /status/v1/admin/incidents/add", INCIDENT)
    fan_out(clock.now, ALL_LIVE)
    clock.pass_(minutes=1)

    data = api(REMOVE, {"id": id}).json["data"]
    api(REMOVE, {"id": id})

    assert data == {"id": id, "erased": False}
    ended = api(GET, {"id": id}).json["data"]
    assert (ended["state"], ended["reason"]) == ("ended", "Removed by an operator.")
    assert ended["endedAt"] == "2026-03-01T12:01:00.000Z"
    assert DeliveryRow.get().status == "given-up"
    assert audited().count("subscription.removed") == 1
    assert added(services=["api"])["id"] != id


@pytest.mark.parametrize("is_ended", [False, True])
def test_erase(api, added, api_service, clock, raw_database, refusal, is_ended):
    """Neither the database nor a stored response keeps the address."""
    id = added(MAIL, language="en")["id"]
    api("POST /status/v1/admin/incidents/add", INCIDENT)
    fan_out(clock.now, ALL_LIVE)
    api(UPDATE, {"id": id, "language": "en"}, headers={"Idempotency-Key": "update"})
    if is_ended:
        api(REMOVE, {"id": id})
    assert b"Mia@example.com" in raw_database.stored_bytes()

    data = api(REMOVE, {"id": id, "erase": True}).json["data"]

    assert data == {"id": id, "erased": True}
    assert SubscriptionRow.select().count() == DeliveryRow.select().count() == 0
    refusal(api(GET, {"id": id}), "subscription-not-found")
    assert api(REMOVE, {"id": id, "erase": True}).status_code == 404
    assert b"mia@example.com" not in raw_database.stored_bytes().lower()


def test_pending_request_of_a_reader(api, added, clock):
    """An operator can add an address that a reader has requested but not confirmed."""
    subscribe(clock.now, "mia@example.com", channel="email", secret=None, source="self")
    assert SubscriptionRow.get().state == "pending"

    result = added({"channel": "email", "address": "mia@example.com"})

    assert (result["state"], result["source"]) == ("active", "operator")
    assert SubscriptionRow.select().count() == 1
