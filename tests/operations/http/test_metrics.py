"""The metrics, compared with the requests sent and the state of the service."""

from dataclasses import replace

import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from api.http.application import create_app
from api.http.metrics import Metrics
from api.http.problem_types import PROBLEM_TYPES
from models.changes import note_built
from models.notifications.deliveries.deliveries import queue_message
from models.runtime.faults import Fault
from models.runtime.reports import BuildProgress
from models.storage.database import writing
from tests.factories.notifications import subscribe
from tests.pages.status.test_status import measured

ADMIN = "POST /status/v1/admin"
LIST = "GET /platform/v1/keys/list"


@pytest.fixture
def progress():
    return BuildProgress()


@pytest.fixture
def app(store, settings, clock, progress):
    metrics = Metrics(settings, clock, lambda: progress)
    return create_app(settings, clock=clock, metrics=metrics)


@pytest.fixture
def read_metrics(app):
    """Read /metrics as a dictionary; a key is a sample's name and its label values."""

    def read():
        response = app.test_client().get("/metrics")
        assert response.status_code == 200
        families = text_string_to_metric_families(response.text)
        samples = [each for family in families for each in family.samples]
        return {(each.name, *each.labels.values()): each.value for each in samples}

    return read


def test_requests(api, read_metrics):
    """Each response is counted by operation and status, with its duration."""
    api(LIST)
    api(LIST)
    api(LIST, {"nothing": "1"})

    found = read_metrics()

    name = "platform:keys:list"
    assert found["masthead_requests_total", name, "200"] == 2
    assert found["masthead_requests_total", name, "422"] == 1
    assert found["masthead_request_duration_seconds_count", name] == 3
    assert found["masthead_request_duration_seconds_bucket", "+Inf", name] == 3
    assert found["masthead_request_duration_seconds_sum", name] > 0


@pytest.mark.parametrize("address", ["/healthz", "/readyz", "/openapi.json"])
def test_own_addresses(app, read_metrics, address):
    """
    Requests for addresses of the service itself are counted under their own names.
    """
    app.test_client().get(address)

    name = address.removeprefix("/").removesuffix(".json")
    assert read_metrics()["masthead_requests_total", name, "200"] == 1


def test_unknown_is_one(app, read_metrics):
    """Unknown addresses and methods are counted under one name."""
    client = app.test_client()
    for number in range(20):
        client.get(f"/{number}")
        client.open(f"/status/v1/{number}", method=f"MADEUP{number}")
        client.delete("/platform/v1/keys/list")
        client.post("/healthz")

    found = read_metrics()

    names = {key[1:] for key in found if key[0] == "masthead_requests_total"}
    assert names == {("unknown", "404"), ("unknown", "405")}
    assert found["masthead_requests_total", "unknown", "404"] == 40


def test_site_is_one(app, read_metrics, build_site):
    """Files of the site are counted as one operation, whatever their names."""
    build_site()
    client = app.test_client()
    for path in ("/", "/status/", "/status/index.json", "/status"):
        client.get(path, buffered=True)

    found = read_metrics()

    assert found["masthead_requests_total", "site", "200"] == 3
    assert found["masthead_requests_total", "site", "308"] == 1


def test_refusals(api, issue, read_metrics):
    """
    Each kind of problem has a counter from the start, which counts rejected requests.
    """
    key = issue("*", rate_capacity=1, rate_refill=0.1)
    before = read_metrics()
    assert {key[1] for key in before if key[0] == "masthead_refusals_total"} == {
        *PROBLEM_TYPES
    }

    for _ in range(3):
        api(LIST, key=key)

    assert read_metrics()["masthead_refusals_total", "rate-limited"] == 2


def test_site_that_is_behind(api, read_metrics, progress, clock):
    """A change counts as unbuilt, and its age is measured, until it is built."""
    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})
    progress.request(clock.now)
    clock.pass_(seconds=40)

    found = read_metrics()

    assert found["masthead_area_behind", "status"] == 1
    assert found["masthead_area_behind", "docs"] == 0
    assert found["masthead_site_generation_wanted",] == 1
    assert found["masthead_site_generation",] == 0
    assert found["masthead_builder_lag_seconds",] == 40


def test_builds(read_metrics, progress, clock):
    """
    The last build is reported once there is one; failed ones are counted separately.
    """
    assert ("masthead_build_last_duration_seconds",) not in read_metrics()
    progress.record(clock.now, 1.5)
    progress.broken += 1

    found = read_metrics()

    assert found["masthead_builds_total", "done"] == 1
    assert found["masthead_builds_total", "broken"] == 1
    assert found["masthead_build_last_duration_seconds",] == 1.5
    assert found["masthead_build_last_timestamp_seconds",] == clock.now.timestamp()


def test_failed_pages(read_metrics, clock):
    """Pages that could not be rendered are counted."""
    note_built({"docs": 0}, [("a.html", "docs", "x"), ("b.html", "docs", "x")], clock())

    assert read_metrics()["masthead_pages_failed",] == 2


def test_services(api, read_metrics, clock):
    """Each service reports the age of its last measurement, and whether it is stale."""
    for slug in ("api", "mail"):
        api(f"{ADMIN}/services/add", {"slug": slug, "name": slug})
    api(f"{ADMIN}/measurements/record", measured(clock, "api", "operational"))
    at = clock.now.timestamp() - 10
    fresh = read_metrics()
    clock.pass_(minutes=6)

    stale = read_metrics()

    assert fresh["masthead_service_stale", "api"] == 0
    assert fresh["masthead_services", "operational"] == 1
    assert stale["masthead_service_stale", "api"] == 1
    assert stale["masthead_services", "unknown"] == 2
    assert stale["masthead_service_observed_timestamp_seconds", "api"] == at
    assert ("masthead_service_observed_timestamp_seconds", "mail") not in stale


def test_services_off_the_page(api, app):
    """Services off the page are private and not reported."""
    body = {"slug": "hidden", "name": "Hidden", "enabled": False}
    api(f"{ADMIN}/services/add", body)

    assert "hidden" not in app.test_client().get("/metrics").text


def test_audit(api, read_metrics):
    """The number of the newest record of each audit log is reported."""
    assert read_metrics()["masthead_audit_newest_record", "status"] == 0

    api(f"{ADMIN}/services/add", {"slug": "api", "name": "Public API"})

    assert read_metrics()["masthead_audit_newest_record", "status"] == 1


@pytest.mark.sqlite
def test_files(read_metrics):
    """Database, log and disks have sizes; a missing folder has none."""
    found = read_metrics()

    assert found["masthead_database_readable",] == 1
    assert found["masthead_database_bytes",] > 10_000
    assert found["masthead_database_wal_bytes",] >= 0
    assert found["masthead_disk_free_bytes", "database"] > 0
    assert ("masthead_disk_free_bytes", "output") not in found


@pytest.mark.postgresql
def test_server(read_metrics):
    """On PostgreSQL the database has a size too; log and disk belong to its server."""
    found = read_metrics()

    assert found["masthead_database_readable",] == 1
    assert found["masthead_database_bytes",] > 1_000_000
    assert ("masthead_database_wal_bytes",) not in found
    assert ("masthead_disk_free_bytes", "database") not in found


def test_database_that_cannot_be_read(app, read_metrics, raw_database):
    """Without the database, the other metrics and its absence are reported."""
    raw_database.lose()

    found = read_metrics()

    assert found["masthead_database_readable",] == found["masthead_ready",] == 0
    assert found["masthead_state", raw_database.lost] == 1
    assert found["masthead_builds_total", "done"] == 0
    assert ("masthead_pages_failed",) not in found


def test_what_is_wrong(store, settings, clock):
    """Each state has a number; a harmless one leaves the service ready."""
    found = [Fault("second-server", "x"), Fault("pages-failed", "y")]
    app = create_app(settings, clock=clock, list_faults=lambda: found)
    text = app.test_client().get("/metrics").text
    assert 'masthead_state{state="pages-failed"} 1.0' in text
    assert 'masthead_state{state="database-full"} 0.0' in text
    assert "masthead_ready 0.0" in text

    found.pop()

    assert "masthead_ready 1.0" in app.test_client().get("/metrics").text


def test_switched_off(store, settings, clock, refusal):
    """Switched off, the address does not exist."""
    app = create_app(replace(settings, metrics="off"), clock=clock)

    response = app.test_client().get("/metrics")

    assert response.status_code == 404
    refusal(response, "not-found")


@pytest.mark.parametrize("accept", ["", "application/openmetrics-text; version=é", "x"])
def test_format(app, accept):
    """
    The response is Prometheus' text format whatever is accepted, and is not cached.
    """
    response = app.test_client().get("/metrics", headers={"Accept": accept})

    assert response.status_code == 200
    assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4;")
    assert response.headers["Cache-Control"] == "no-store"
    assert "_created" not in response.text


def test_collected_by_one_thread(settings, clock, store):
    """While one request collects the metrics, others get the previous ones at once."""
    metrics = Metrics(settings, clock)
    client = create_app(settings, clock=clock, metrics=metrics).test_client()
    before, texts = client.get("/metrics").text, []

    class Nested(Collector):
        def collect(self):
            # A collector runs in the midst of a request.
            if not texts:
                texts.append(client.get("/metrics").text)
            return []

    metrics.registry.register(Nested())
    after = client.get("/metrics").text

    assert texts == [before]
    assert after != before


@pytest.mark.both_engines
def test_notifications(app, read_metrics, clock):
    """Subscriptions and deliveries are counted, without any address."""
    before = read_metrics()
    hook = subscribe(clock.now, "https://tell-nobody.example.com/")
    subscribe(clock.now, "tell-nobody@example.com", channel="email", secret=None)
    with writing():
        queue_message(hook, "subscription.test", clock.now)

    found = read_metrics()

    assert before["masthead_subscriptions", "webhook", "active"] == 0
    assert found["masthead_subscriptions", "webhook", "active"] == 1
    assert found["masthead_subscriptions", "email", "active"] == 1
    assert found["masthead_subscriptions", "email", "quarantined"] == 0
    assert found["masthead_deliveries", "waiting"] == 1
    assert found["masthead_deliveries", "given-up"] == 0
    assert "tell-nobody" not in app.test_client().get("/metrics").text
