"""Two writers of the status area, one stopped before each of its statements."""

from datetime import timedelta

import pytest

from api.http.application import create_app
from models.audit import broken_links
from models.base import epoch_ms, new_id
from models.changes import marks
from models.platform.keys import KeyRow
from models.status.measurements import sources
from models.status.measurements.measurements import MeasurementRow
from models.status.measurements.retention import compact_measurements
from models.status.measurements.rollups import (
    HOUR_MS,
    HourRow,
    compacted_until,
    roll_up,
)
from models.status.measurements.sources import SourceKeyRow
from models.status.services.rows import ServiceRow
from models.storage.database import database
from tests.conftest import NOON
from tests.servers.stepwise import (
    interleaved,
    require_wait_for_the_generation_alone,
    service_writer,
    writers,
)

pytestmark = pytest.mark.postgresql

RECORD = "/status/v1/admin/measurements/record"


def sample(at, host, slug="api", source=None):
    observed_at = NOON - timedelta(hours=3) + timedelta(seconds=2 * at + host)
    return {
        "source": source or f"probe-{host}",
        "measurements": [
            {
                "slug": slug,
                "status": "operational",
                "observedAt": observed_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            }
        ],
    }


@pytest.fixture
def api(store):
    return ServiceRow.create(
        id=new_id(NOON),
        slug="api",
        name="API",
        display_order=1,
        enabled=True,
        created_at=NOON,
        updated_at=NOON,
    )


def fresh(at, host):
    observed_at = NOON + timedelta(milliseconds=at)
    body = sample(at, host)
    text = observed_at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    body["measurements"][0]["observedAt"] = text
    return body


def test_one_request_for_a_key(post, settings, api):
    """Of two requests with one Idempotency-Key on two hosts, one is rejected."""
    for host in (0, 1):
        assert post(host, RECORD, fresh(0, host))[0] == 200

    def writer(host):
        return lambda at: post(
            host, RECORD, fresh(at, host), Idempotency_Key=f"once-{at}"
        )

    for _, results, _ in interleaved(settings.database, writer(0), writer(1)):
        assert sorted(status for status, _ in results) == [200, 422]


def test_chain_and_generation_of_status(post, settings):
    """Two changes of operators leave the chain whole, and get two generations."""
    one, two = (
        lambda at, h=host: post(
            h,
            "/status/v1/admin/services/add",
            {"slug": f"s{at}-{h}", "name": "S"},
            Idempotency_Key=f"s-{at}-{h}",
        )
        for host in (0, 1)
    )

    rounds = list(interleaved(settings.database, one, two))

    assert all(
        [status for status, _ in results] == [200, 200] for _, results, _ in rounds
    )
    assert broken_links("status") == []
    assert marks()["status"] == 2 * len(rounds)


def test_operators_do_not_wait_for_measurements(post, settings, api):
    """
    Wherever a batch is stopped, the status page can be changed; only at the end, when
    the batch gives the site its generation, does that wait for the commit.
    """

    def record(at):
        return post(0, RECORD, fresh(at, 0))

    rounds = list(interleaved(settings.database, record, service_writer(post)))

    require_wait_for_the_generation_alone(rounds)


def test_late_measurements_of_two_hosts(post, settings, api):
    """An hour that was counted has the late samples of both."""
    roll_up(NOON)
    for host in (0, 1):
        # Hosts that know their sources do not wait for that.
        assert post(host, RECORD, fresh(0, host))[0] == 200
    one, two = writers(post, RECORD, sample)

    hour = epoch_ms(NOON) - 3 * HOUR_MS

    for at, *_ in interleaved(settings.database, one, two):
        counted = HourRow.get(HourRow.service == api, HourRow.starts_at == hour)
        assert counted.operational == 2 * at


@pytest.mark.parametrize("is_roll_up_first", [True, False])
def test_measurement_and_roll_up(post, settings, api, is_roll_up_first):
    """A sample that is recorded during the roll-up of its hour is counted."""
    hours = []

    def record(at):
        moment = NOON + timedelta(hours=at - 200, minutes=1)
        body = sample(at, 0)
        text = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
        body["measurements"][0]["observedAt"] = text
        hours.append(epoch_ms(moment) // HOUR_MS * HOUR_MS)
        return post(0, RECORD, body)[0]

    def count(at):
        return roll_up(NOON + timedelta(hours=at - 199))

    pair = (count, record) if is_roll_up_first else (record, count)
    for _ in interleaved(settings.database, *pair):
        pass
    roll_up(NOON)

    rows = HourRow.select().where(HourRow.service == api)
    counted = {epoch_ms(row.starts_at): row.operational for row in rows}
    assert {hour: counted.get(hour) for hour in hours} == dict.fromkeys(hours, 1)


@pytest.mark.parametrize("is_record_first", [True, False])
def test_measurement_of_a_purged_service(post, settings, store, is_record_first):
    """A batch for a service that is being purged finds it, or reports its slug."""
    for at in range(60):
        body = {"slug": f"s{at}", "name": "S"}
        post(0, "/status/v1/admin/services/add", body, Idempotency_Key=f"add-{at}")

    def record(at):
        return post(0, RECORD, fresh(at, 0) | {"measurements": [measurement(at)]})[0]

    def measurement(at):
        return fresh(at, 0)["measurements"][0] | {"slug": f"s{at}"}

    def purge(at):
        body = {"slug": f"s{at}", "purge": True}
        return post(1, "/status/v1/admin/services/remove", body)[0]

    pair = (record, purge) if is_record_first else (purge, record)
    for _, results, _ in interleaved(settings.database, *pair):
        assert results == (200, 200)
    assert broken_links("status") == []


def test_owner_of_a_source(strict_post, settings, issue, api):
    """Of two keys that use a new source at once, one owns it."""
    probes = [issue("*") for _ in range(2)]

    def record(host):
        return lambda at: strict_post(
            host,
            RECORD,
            fresh(at, host) | {"source": f"source-{at}"},
            probes[host],
            f"{at}",
        )

    for _, results, _ in interleaved(settings.database, record(0), record(1)):
        assert sorted(results) == [200, 409]


def test_sources_of_a_service(post, settings, store, monkeypatch):
    """Of two new sources for a service with room for one, one is rejected."""
    monkeypatch.setattr(sources, "MAX_SOURCES", 1)
    for at in range(60):
        body = {"slug": f"s{at}", "name": "S"}
        post(0, "/status/v1/admin/services/add", body, Idempotency_Key=f"add-{at}")

    def body(at, host):
        batch = fresh(at, host)
        (one,) = batch["measurements"]
        return batch | {"measurements": [one | {"slug": f"s{at}"}]}

    one, two = writers(post, RECORD, body)

    for _, results, _ in interleaved(settings.database, one, two):
        assert sorted(status for status, _ in results) == [200, 409]


@pytest.mark.parametrize("is_transfer_first", [True, False])
def test_transfer_of_a_source(strict, settings, issue, api, clock, is_transfer_first):
    """After the transfer of a source, no earlier batch makes it a shared one."""
    owner, heir = issue("*"), issue("*")
    owner_id, heir_id = (
        KeyRow.get(KeyRow.prefix == key[:11]).id for key in (owner, heir)
    )
    client = create_app(strict, clock=clock).test_client()

    def send(path, secret, body):
        headers = {
            "Authorization": f"Bearer {secret}",
            "Idempotency-Key": body["source"],
        }
        return client.post(path, json=body, headers=headers).status_code

    def record(at):
        return send(RECORD, owner, fresh(at, 0) | {"source": f"source-{at}"})

    def transfer(at):
        body = {"source": f"source-{at}", "keyId": heir_id}
        return send("/status/v1/admin/sources/transfer", heir, body)

    for at in range(60):
        SourceKeyRow.create(
            source=f"source-{at}",
            lineage=owner_id,
            key_id=owner_id,
            key_prefix=owner[:11],
            first_used_at=NOON,
        )
    pair = (transfer, record) if is_transfer_first else (record, transfer)
    for at, results, _ in interleaved(settings.database, *pair):
        assert sorted(results) in ([200, 200], [200, 409])
        rows = SourceKeyRow.select().where(SourceKeyRow.source == f"source-{at}")
        assert [row.lineage for row in rows] == [heir_id]


@pytest.mark.parametrize("is_record_first", [True, False])
def test_measurement_and_retention(post, settings, api, is_record_first):
    """A sample of a day that is being compacted is counted, or rejected."""
    retention = settings.raw_retention

    def record(at):
        observed_at = NOON - retention + timedelta(days=at, minutes=1)
        body = sample(at, 0)
        text = observed_at.strftime("%Y-%m-%dT%H:%M:%SZ")
        body["measurements"][0]["observedAt"] = text
        return post(0, RECORD, body)[0]

    def compact(at):
        return compact_measurements(NOON + timedelta(days=at + 1), retention)

    pair = (record, compact) if is_record_first else (compact, record)
    counted = 0
    for _, results, _ in interleaved(settings.database, *pair):
        recorded, _ = results if is_record_first else reversed(results)
        assert recorded in (200, 422)
        counted += recorded == 200
        is_compacted = MeasurementRow.observed_at < compacted_until()
        assert not MeasurementRow.select().where(is_compacted).exists()
    days = database.execute_sql("SELECT SUM(operational)::int FROM day").fetchone()[0]
    assert days == counted
