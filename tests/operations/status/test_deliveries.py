"""Operators list deliveries, replay them, and send tests."""

from dataclasses import replace as changed
from datetime import timedelta

import pytest

from api.http.application import create_app
from models.audit import AuditRow
from models.notifications.deliveries import replay
from models.notifications.deliveries.attempts import claim, record_outcomes
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.events import NewEvent, record_events, withdraw_events
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.notifications.subscriptions.secrets import (
    MAX_FORMER_SECRETS,
    signing_secrets,
)
from models.storage.database import writing
from tests.factories.notifications import ALL_LIVE, DELIVERED, FAILED, GONE, subscribe

pytestmark = pytest.mark.both_engines

SUBSCRIPTIONS, NOUN = "/status/v1/admin/subscriptions", "/status/v1/admin/deliveries"
LIST, GET, REPLAY = f"GET {NOUN}/list", f"GET {NOUN}/get", f"POST {NOUN}/replay"
TEST = f"POST {SUBSCRIPTIONS}/test"
ROTATE = f"POST {SUBSCRIPTIONS}/rotate-secret"
GET_SUBSCRIPTION = f"GET {SUBSCRIPTIONS}/get"
DAY = timedelta(days=1)


@pytest.fixture
def hook(app, clock):
    return subscribe(clock.now)


@pytest.fixture
def deliver(clock):
    """Deliver an event to all subscriptions, with this outcome."""

    def delivered(*outcomes, subject="1", type="incident.opened"):
        with writing():
            event = NewEvent(type, subject, f"/status/incidents/{subject}/", {})
            record_events([event], "status", None, clock.now)
        fan_out(clock.now, ALL_LIVE)
        attempt(*outcomes)

    def attempt(*outcomes):
        for outcome in outcomes:
            claimed = claim(clock.now, ["webhook", "email"], 100)
            record_outcomes([(each, outcome) for each in claimed], clock.now)

    delivered.attempt = attempt
    return delivered


def test_get(api, hook, deliver, refusal):
    """A delivery has the outcome of its last attempt, and the id of its webhook."""
    deliver(FAILED)

    (result,) = api(LIST).json["data"]

    assert 5 <= (DeliveryRow.get().next_attempt_at - hook.created_at).seconds <= 6
    assert result.pop("nextAttemptAt") is not None
    assert result == {
        "id": DeliveryRow.get().id,
        "subscriptionId": hook.id,
        "event": "incident.opened",
        "subjectId": "1",
        "status": "failed",
        "attempts": 1,
        "statusCode": 503,
        "durationMs": 0,
        "answer": "Try again.",
        "possiblyRepeated": False,
        "dueAt": "2026-03-01T12:00:00.000Z",
        "createdAt": "2026-03-01T12:00:00.000Z",
        "deliveredAt": None,
    }
    assert api(GET, {"id": result["id"]}).json["data"]["status"] == "failed"
    refusal(api(GET, {"id": hook.id}), "delivery-not-found")


def test_list(api, hook, deliver, clock, refusal):
    """By subscription, status, event and time; newest first, page by page."""
    other = subscribe(clock.now, "https://other.example.com/")
    for number in range(3):
        clock.pass_(minutes=1)
        outcome = FAILED if number == 2 else DELIVERED
        type = "incident.opened" if number else "document.published"
        deliver(outcome, subject=str(number), type=type)

    def subjects(**query):
        found = []
        while query is not None:
            page = api(LIST, query | {"limit": 2}).json
            found += [each["subjectId"] for each in page["data"]]
            cursor = page["meta"]["cursor"]
            query = query | {"cursor": cursor} if cursor else None
        return found

    assert subjects() == ["2", "2", "1", "1", "0", "0"]
    assert subjects(subscriptionId=other.id) == ["2", "1", "0"]
    assert subjects(status="failed") == ["2", "2"]
    assert subjects(event="document.published") == ["0", "0"]
    times = {"from": "2026-03-01T12:01:00Z", "to": "2026-03-01T12:03:00Z"}
    assert subjects(**times) == ["1", "1", "0", "0"]
    refused = api(LIST, {"from": times["to"], "to": times["from"]})
    assert refusal(refused, "validation-failed")["errors"][0]["parameter"] == "to"


def test_test(api, hook, deliver, clock, audited):
    """A test is a delivery like any other, and is returned as pending."""
    data = api(TEST, {"id": hook.id}).json["data"]

    assert (data["event"], data["status"]) == ("subscription.test", "waiting")
    assert data["subscriptionId"] == data["subjectId"] == hook.id
    assert audited() == ["subscription.tested"]
    deliver.attempt(DELIVERED)
    assert api(GET, {"id": data["id"]}).json["data"]["status"] == "delivered"


def test_test_ends_a_quarantine(api, hook, deliver, clock):
    """A successful test ends a quarantine; a rejected one does not."""
    deliver(GONE)
    assert SubscriptionRow.get().state == "quarantined"

    api(TEST, {"id": hook.id})
    deliver.attempt(GONE)
    assert api(GET_SUBSCRIPTION, {"id": hook.id}).json["data"]["quarantinedAt"]
    api(TEST, {"id": hook.id})
    deliver.attempt(DELIVERED)

    data = api(GET_SUBSCRIPTION, {"id": hook.id}).json["data"]
    assert (data["state"], data["quarantinedAt"]) == ("active", None)
    assert data["reason"] is None
    clock.pass_(seconds=1)
    deliver(DELIVERED, subject="2")
    assert [row.subject_id for row in DeliveryRow if row.status == "delivered"] == [
        hook.id,
        "2",
    ]


def test_other_success_ends_no_quarantine(api, deliver, clock):
    """An email that arrives, but is no test, does not end the quarantine."""
    mail = subscribe(clock.now, "mia@example.com", channel="email", secret=None)
    deliver(subject="1")
    deliver(subject="2")
    first, second = claim(clock.now, ["email"], 100)
    record_outcomes([(first, GONE), (second, DELIVERED)], clock.now)

    state = api(GET_SUBSCRIPTION, {"id": mail.id}).json["data"]["state"]

    assert state == "quarantined"


@pytest.mark.parametrize("smtp", ["", "smtp+plain://127.0.0.1:2525"])
def test_test_of_a_mailbox(settings, store, clock, issue, refusal, smtp):
    """Without a mail relay, a test is rejected, because it would wait for ever."""
    mail = subscribe(clock.now, "mia@example.com", channel="email", secret=None)
    result = changed(settings, smtp=smtp, mail_from="status@example.com")
    key = {"Authorization": f"Bearer {issue('*')}"}

    response = (
        create_app(result, clock=clock)
        .test_client()
        .post(f"{SUBSCRIPTIONS}/test", json={"id": mail.id}, headers=key)
    )

    if smtp:
        assert response.json["data"]["status"] == "waiting"
    else:
        assert "MASTHEAD_SMTP" in refusal(response, "validation-failed")["detail"]
        assert DeliveryRow.select().count() == 0


@pytest.mark.parametrize("state", ["pending", "ended"])
def test_test_of_who_did_not_confirm(api, hook, refusal, state):
    """An unconfirmed mailbox gets no test email."""
    SubscriptionRow.update(state=state).execute()

    response = api(TEST, {"id": hook.id})

    assert response.status_code == 409
    refusal(response, "subscription-not-active")
    assert DeliveryRow.select().count() == 0


def secrets_at(now):
    row = SubscriptionRow.get()
    return signing_secrets([row], now)[row.id]


def test_rotated_secret(api, hook, clock, audited):
    """For a day both secrets sign, and then only the new one."""
    (old,) = secrets_at(clock.now)

    data = api(ROTATE, {"id": hook.id}).json["data"]

    new = data["secret"]
    assert new.startswith("whsec_")
    assert new != old
    assert secrets_at(clock.now + DAY - timedelta(seconds=1)) == (new, old)
    assert secrets_at(clock.now + DAY) == (new,)
    assert audited() == ["subscription.secret-rotated"]
    assert new not in api(GET_SUBSCRIPTION, {"id": hook.id}).text


def test_rotations_of_a_day(api, hook, clock):
    """Each former secret signs for a day from its own rotation."""
    began, (old,) = clock.now, secrets_at(clock.now)
    first = api(ROTATE, {"id": hook.id}).json["data"]["secret"]
    clock.pass_(hours=1)
    second = api(ROTATE, {"id": hook.id}).json["data"]["secret"]

    assert secrets_at(clock.now) == (second, first, old)
    assert secrets_at(began + DAY) == (second, first)
    assert secrets_at(clock.now + DAY) == (second,)


def test_secrets_of_several_webhooks(api, hook, clock):
    """A webhook has its own former secrets only."""
    other = subscribe(clock.now, "https://other.example.com/")
    api(ROTATE, {"id": hook.id})
    rows = list(SubscriptionRow.select())

    found = signing_secrets(rows, clock.now)

    assert {id: len(secrets) for id, secrets in found.items()} == {
        hook.id: 2,
        other.id: 1,
    }


def test_too_many_rotations_of_a_day(api, hook, clock, refusal):
    """
    A rotation is rejected when former secrets would make messages too long, until one
    expires.
    """
    for _ in range(MAX_FORMER_SECRETS):
        assert api(ROTATE, {"id": hook.id}).status_code == 200
    before = secrets_at(clock.now)

    response = api(ROTATE, {"id": hook.id})

    assert response.status_code == 409
    refusal(response, "limit-exceeded")
    assert secrets_at(clock.now) == before
    clock.pass_(hours=24)
    assert api(ROTATE, {"id": hook.id}).status_code == 200


def test_dry_run_of_a_rotation(api, hook, clock):
    """A dry run shows no secret that a client could store, and replaces none."""
    before = secrets_at(clock.now)

    response = api(ROTATE, {"id": hook.id}, headers={"Dry-Run": "true"})

    assert response.json["data"]["secret"] == "dry-run"
    assert secrets_at(clock.now) == before


def test_repeated_rotation(api, hook, raw_database):
    """A repeat returns the same secret, which is stored nowhere in plain text."""
    headers = {"Idempotency-Key": "rotate"}

    first, again = (api(ROTATE, {"id": hook.id}, headers=headers) for _ in "ab")

    assert first.data == again.data
    assert first.json["data"]["secret"].encode() not in raw_database.stored_bytes()


def test_secret_of_a_mailbox(api, clock, app, refusal):
    """Only webhooks are signed."""
    mail = subscribe(clock.now, "mia@example.com", channel="email", secret=None)

    refused = api(ROTATE, {"id": mail.id})

    assert refused.status_code == 422
    assert refusal(refused, "validation-failed")["errors"][0]["pointer"] == "/id"


@pytest.mark.parametrize("outcome", [DELIVERED, FAILED])
def test_replay_of_one(api, hook, deliver, clock, audited, outcome):
    """The delivery is due now, with its id, and a new set of attempts."""
    deliver(outcome)
    id = DeliveryRow.get().id
    clock.pass_(seconds=1)

    data = api(REPLAY, {"id": id}).json["data"]
    again = api(REPLAY, {"id": id}).json["data"]

    assert data == {"subscriptionId": hook.id, "replayed": 1}
    assert again["replayed"] == 0
    row = DeliveryRow.get()
    assert (row.status, row.attempts, row.next_attempt_at) == ("waiting", 0, clock.now)
    assert row.possibly_repeated == (outcome is DELIVERED)
    (attempt,) = claim(clock.now, ["webhook"], 10)
    assert (attempt.delivery_id, attempt.attempts) == (id, 1)
    assert audited() == ["deliveries.replayed"]
    record = AuditRow.get()
    assert (record.target_type, record.target_id) == ("subscription", hook.id)
    assert record.target_label == "webhook"
    assert record.detail.startswith(f"delivery: {id}; replayed: 1")


def test_replay_of_a_span(api, hook, deliver, clock):
    """
    A replay covers this subscription, from the first time until before the second.
    """
    subscribe(clock.now, "https://other.example.com/")
    for number in range(4):
        deliver(DELIVERED, subject=str(number))
        clock.pass_(minutes=1)
    span = {"from": "2026-03-01T12:01:00Z", "to": "2026-03-01T12:03:00Z"}

    data = api(REPLAY, {"subscriptionId": hook.id, **span}).json["data"]

    assert data["replayed"] == 2
    rows = DeliveryRow.select().where(DeliveryRow.status == "waiting")
    assert {(row.subscription_id, row.subject_id) for row in rows} == {
        (hook.id, "1"),
        (hook.id, "2"),
    }


def test_replay_of_too_many(api, hook, deliver, clock, refusal, monkeypatch):
    """Beyond the limit nothing is replayed, and the problem has the number."""
    monkeypatch.setattr(replay, "MAX_REPLAYED", 2)
    for number in range(3):
        deliver(DELIVERED, subject=str(number))
    span = {"from": "2026-03-01T12:00:00Z", "to": "2026-03-01T13:00:00Z"}

    response = api(REPLAY, {"subscriptionId": hook.id, **span})

    assert response.status_code == 409
    assert "has 3 deliveries" in refusal(response, "limit-exceeded")["detail"]
    assert {row.status for row in DeliveryRow} == {"delivered"}


def test_replay_leaves_what_is_sent_now(api, hook, deliver, clock):
    """A delivery whose attempt is in progress is not sent a second time."""
    deliver()
    claim(clock.now, ["webhook"], 10)

    data = api(REPLAY, {"id": DeliveryRow.get().id}).json["data"]

    assert data["replayed"] == 0
    assert DeliveryRow.get().status == "sending"


@pytest.mark.parametrize("state", ["quarantined", "ended"])
def test_replay_to_nobody(api, hook, deliver, refusal, state):
    """A replay to a subscription that gets no deliveries is rejected."""
    deliver(DELIVERED)
    SubscriptionRow.update(state=state).execute()

    response = api(REPLAY, {"id": DeliveryRow.get().id})

    refused = refusal(response, "subscription-not-active")
    assert refused["status"] == 409
    # The message says how to end a quarantine; an ended subscription stays ended.
    assert ("subscriptions/test" in refused["detail"]) == (state == "quarantined")
    assert DeliveryRow.get().status == "delivered"


def test_replay_of_what(api, hook, deliver, refusal):
    """
    A replay names one delivery, or a subscription and both times; a test is not
    replayed.
    """
    deliver(DELIVERED)
    id = api(TEST, {"id": hook.id}).json["data"]["id"]
    at = {"from": "2026-03-01T12:00:00Z", "to": "2026-03-01T13:00:00Z"}

    for body in (
        {},
        {"subscriptionId": hook.id},
        {"id": id, "subscriptionId": hook.id, **at},
        {"subscriptionId": hook.id, "from": at["from"]},
        {"subscriptionId": hook.id, "from": at["to"], "to": at["from"]},
        {"id": id},
    ):
        response = api(REPLAY, body)
        assert response.status_code == 422, body
        refusal(response, "validation-failed")
    missing = api(REPLAY, {"subscriptionId": id, **at})
    refusal(missing, "subscription-not-found")
    refusal(api(REPLAY, {"id": hook.id}), "delivery-not-found")


def test_dry_run(api, hook, deliver, audited):
    """A dry run returns what would happen, and changes nothing."""
    deliver(DELIVERED)
    headers = {"Dry-Run": "true"}
    before = bytes(SubscriptionRow.get().sealed_secret)

    data = api(REPLAY, {"id": DeliveryRow.get().id}, headers=headers).json["data"]
    api(TEST, {"id": hook.id}, headers=headers)
    api(ROTATE, {"id": hook.id}, headers=headers)

    assert data["replayed"] == 1
    assert [row.status for row in DeliveryRow] == ["delivered"]
    assert bytes(SubscriptionRow.get().sealed_secret) == before
    assert audited() == []


def test_nothing_tells_addresses(api, app, clock, deliver, caplog, audited):
    """No log line, audit record or response without the scope has an address."""
    caplog.set_level("DEBUG")
    secretive = "tell-nobody-7f3a"
    hook = {"channel": "webhook", "address": f"https://{secretive}.example.com/"}
    mail = {"channel": "email", "address": f"{secretive}@example.com"}
    id, _ = (
        api(f"POST {SUBSCRIPTIONS}/add", body).json["data"]["id"]
        for body in (hook, mail)
    )
    deliver(FAILED)
    for body in (hook, hook | {"address": f"https://{secretive}..example.com/"}):
        assert api(
            f"POST {SUBSCRIPTIONS}/add", body, headers={"Idempotency-Key": "again"}
        ).status_code in (409, 422)
    api(f"POST {SUBSCRIPTIONS}/update", {"id": id, "language": "en"})
    api(TEST, {"id": id})
    api(ROTATE, {"id": id})
    answers = [
        api("GET /status/v1/admin/audit/list").text,
        api(LIST).text,
        api("GET /status/v1/services/list").text,
        api(f"GET {SUBSCRIPTIONS}/list", key=None, headers={"Authorization": "-"}).text,
        app.test_client().get("/readyz").text,
    ]
    api(f"POST {SUBSCRIPTIONS}/remove", {"id": id})

    assert "subscription" in answers[0]
    assert secretive not in "".join(answers)
    assert secretive not in caplog.text
    records = [str(row.__data__) for row in AuditRow.select()]
    assert len(records) == len(audited()) == 6
    assert secretive not in "".join(records)


def test_replay_of_a_removed_incident(api, hook, deliver, clock):
    """Events about something that was removed are not sent again."""
    deliver(DELIVERED)
    deliver(DELIVERED, subject="2")
    with writing():
        withdraw_events("1", clock.now)
    span = {"from": clock.now - DAY, "to": clock.now + DAY}
    span = {name: moment.isoformat() for name, moment in span.items()}
    (delivery,) = DeliveryRow.select().where(DeliveryRow.subject_id == "1")

    alone = api(REPLAY, {"id": delivery.id})
    together = api(REPLAY, {"subscriptionId": hook.id} | span)

    assert alone.json["data"]["replayed"] == 0
    assert together.json["data"]["replayed"] == 1
    (attempt,) = claim(clock.now, ["webhook"], 100)
    assert attempt.subject_id == "2"
