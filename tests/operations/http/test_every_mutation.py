"""Rules for every change: it is stored once, with its audit record, or not at all."""

import pytest

from api.operation import OPERATIONS
from models.audit import AuditRow
from models.changes import marks
from models.idempotency import StoredResponseRow
from models.notifications.deliveries.fan_out import fan_out
from models.notifications.events import NewEvent, record_events
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.storage.database import writing
from tests.conftest import ROUTES
from tests.locked_tables import changed_without_lock
from tests.nightly import every_nth
from tests.samples.odd import MEMBERS

STATUS = "POST /status/v1/admin"
LATER = {"startsAt": "2026-03-02T12:00:00Z", "endsAt": "2026-03-02T13:00:00Z"}
API = {"slug": "api", "name": "Public API"}
DOWN = {"title": "Errors", "severity": "degraded", "services": ["api"], "body": "Hm."}
TEMPLATE = {"name": "Mail", "title": "Slow", "severity": "degraded", "body": "Hm."}
WORK = {"title": "Move", "services": ["api"], **LATER}
HOOK = {"channel": "webhook", "address": "https://tools.example.com/hook"}
READING = {"slug": "api", "status": "operational", "observedAt": "2026-03-01T12:00:00Z"}
KEY = {"name": "probe", "scopes": ["status:services:list"]}

# A body for each change; "$noun" is the id of that noun in the test data.
SAMPLES = {
    "POST /platform/v1/keys/add": KEY,
    "POST /platform/v1/keys/update": {"id": "$key", "name": "new"},
    "POST /platform/v1/keys/remove": {"id": "$key"},
    "POST /platform/v1/keys/rotate": {"id": "$key"},
    "POST /platform/v1/developer/keys/create": KEY,
    "POST /platform/v1/developer/keys/revoke": {"id": "$own"},
    "POST /platform/v1/developer/keys/rotate": {"id": "$own"},
    f"{STATUS}/services/add": {"slug": "search", "name": "Search"},
    f"{STATUS}/services/update": {"slug": "api", "group": "Core"},
    f"{STATUS}/services/remove": {"slug": "api"},
    f"{STATUS}/incidents/add": DOWN,
    f"{STATUS}/incidents/update": {"id": "$incident", "status": "monitoring"},
    f"{STATUS}/incidents/remove": {"id": "$incident"},
    f"{STATUS}/incident-updates/add": {"incidentId": "$incident", "body": "Fixed."},
    f"{STATUS}/incident-updates/update": {"id": "$update", "body": "Fixed?"},
    f"{STATUS}/incident-updates/remove": {"id": "$update"},
    f"{STATUS}/incident-templates/add": TEMPLATE,
    f"{STATUS}/incident-templates/update": {"id": "$template", "name": "Slow mail"},
    f"{STATUS}/incident-templates/remove": {"id": "$template"},
    f"{STATUS}/maintenance/add": WORK,
    f"{STATUS}/maintenance/update": {"id": "$work", "status": "cancelled"},
    f"{STATUS}/maintenance/remove": {"id": "$work"},
    f"{STATUS}/sources/transfer": {"source": "probe", "keyId": "$key"},
    f"{STATUS}/subscriptions/add": HOOK,
    f"{STATUS}/subscriptions/update": {"id": "$hook", "services": ["api"]},
    f"{STATUS}/subscriptions/remove": {"id": "$hook"},
    f"{STATUS}/subscriptions/rotate-secret": {"id": "$hook"},
    f"{STATUS}/subscriptions/test": {"id": "$hook"},
    f"{STATUS}/deliveries/replay": {"id": "$delivery"},
    f"{STATUS}/measurements/record": {"source": "probe", "measurements": [READING]},
}
every = pytest.mark.parametrize("route", SAMPLES)


@pytest.fixture
def key(issue):
    return issue("*")


@pytest.fixture
def sample(api, key):
    """A possible change: the body of the route, about existing objects."""
    api(f"{STATUS}/services/add", API)
    made = {
        "$key": api("POST /platform/v1/keys/add", KEY | {"name": "old"}),
        "$own": api("POST /platform/v1/developer/keys/create", KEY, key=key),
        "$incident": api(f"{STATUS}/incidents/add", DOWN | {"title": "Old"}),
        "$hook": api(
            f"{STATUS}/subscriptions/add", HOOK | {"address": "https://old.example.com"}
        ),
        "$work": api(f"{STATUS}/maintenance/add", WORK | {"title": "Old"}),
        "$template": api(
            f"{STATUS}/incident-templates/add", TEMPLATE | {"name": "Old"}
        ),
    }
    ids = {noun: response.json["data"]["id"] for noun, response in made.items()}
    posted = {"incidentId": ids["$incident"], "body": "Still looking."}
    update = api(f"{STATUS}/incident-updates/add", posted)
    ids["$update"] = update.json["data"]["id"]
    ids["$delivery"] = delivered(ids["$hook"])

    def filled(route):
        body = SAMPLES[route]
        return {n: ids.get(v, v) if isinstance(v, str) else v for n, v in body.items()}

    return filled


def delivered(subscription_id):
    """Deliver an event, and return the id of the delivery."""
    row = SubscriptionRow.get_by_id(subscription_id)
    event = NewEvent("incident.opened", "1", "/status/incidents/1/", {})
    with writing():
        record_events([event], "status", None, row.created_at)
        fan_out(row.created_at, {})
    DeliveryRow.update(status="delivered").execute()
    return DeliveryRow.get(DeliveryRow.subscription == row.id).id


@pytest.fixture
def change(send, key, sample):
    """Make the change with an Idempotency-Key."""

    def changed(route, text="abc", **more):
        headers = {} if text is None else {"Idempotency-Key": text}
        return send(ROUTES[route], key, json=sample(route) | more, headers=headers)

    return changed


def stored_counts():
    """Count what any change stores: audit records, marks and responses."""
    return AuditRow.select().count(), marks(), StoredResponseRow.select().count()


@pytest.mark.parametrize("area", ["platform", "status"])
def test_every_change_has_a_sample(area):
    """Every change has a sample, so that a new one is held to these rules as well."""
    routes = {
        each.route for each in OPERATIONS if each.is_mutation and each.area == area
    }

    assert routes == {each for each in SAMPLES if f" /{area}/" in each}


@pytest.mark.both_engines
@every
def test_kept_with_its_audit_and_mark(route, change):
    """A change makes at most one audit record, and marks the areas that show it."""
    records, before, answers = stored_counts()

    response = change(route)

    operation = ROUTES[route]
    assert response.status_code == 200
    after = {each: n + (each == operation.rebuilds) for each, n in before.items()}
    assert stored_counts() == (records + bool(operation.audit), after, answers + 1)


@pytest.mark.both_engines
@every
def test_twice(route, change):
    """A repeat returns the response byte for byte, and stores nothing."""
    first = change(route)
    before = stored_counts()

    second = change(route)

    assert second.data == first.data
    assert second.headers["Idempotent-Replayed"] == "true"
    assert second.headers["X-Request-Id"] != first.headers["X-Request-Id"]
    assert stored_counts() == before


@pytest.mark.sqlite
@every
def test_tables_of_its_locks(route, change, raw_database):
    """A change writes only to the tables of the areas that it locks."""
    with raw_database.statements() as statements:
        assert change(route).status_code == 200

    assert changed_without_lock(statements, ROUTES[route].write_locks) == set()


@every
def test_repeat_wakes_nobody(route, change, woken):
    """Only an effective change wakes the builder, after its commit."""
    woken.clear()

    change(route)
    change(route)

    rebuilds = ROUTES[route].rebuilds
    assert woken == ([rebuilds] if rebuilds else [])


@every
def test_without_idempotency_key(route, change):
    """
    Where the Idempotency-Key is required, its absence is reported; elsewhere no
    response is stored without it.
    """
    before = stored_counts()

    response = change(route, None)

    if ROUTES[route].idempotent == "required":
        assert response.status_code == 400
        assert stored_counts() == before
    else:
        assert response.status_code == 200
        assert stored_counts()[2] == before[2]


@pytest.mark.parametrize("route", every_nth(SAMPLES, 4))
@pytest.mark.parametrize("text", ["", "a b", "é", '"', "x" * 256])
def test_idempotency_key_out_of_shape(route, text, change, refusal):
    """A malformed Idempotency-Key is rejected before the change, required or not."""
    before = stored_counts()

    response = change(route, text)

    assert response.status_code == 400
    refusal(response, "idempotency-key-invalid")
    assert stored_counts() == before


@every
def test_refused(route, change):
    """A rejected request stores nothing: no record, no mark, no response."""
    before = stored_counts()

    response = change(route, unknown=1)

    assert response.status_code == 422
    assert stored_counts() == before


@pytest.mark.both_engines
@every
def test_odd_values(route, sample, api, issue):
    """Any value of a member is answered with a problem, never with a 500."""
    able, body = issue("*", rate_capacity=10_000), sample(route)
    fields = ROUTES[route].request.model_fields

    for name, field in fields.items():
        for value in MEMBERS:
            payload = body | {field.alias or name: value}
            answer = api(route, payload, key=able)
            assert answer.status_code < 500, (name, value, answer.text)
