"""Measurements over HTTP."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from models.audit import AuditRow
from models.changes import behind, marks
from models.status.measurements.measurements import MeasurementRow
from models.status.measurements.retention import compact_measurements
from models.status.measurements.rollups import HourRow, roll_up
from tests.factories.status import GET_UPTIME, LIST, RECORD, REMOVE, World


@pytest.fixture
def world(api, clock):
    world = World(api, clock)
    world.service("api")
    return world


@pytest.fixture
def sample(world):
    return {"slug": "api", "status": "operational", "observedAt": world.text(-10)}


@pytest.fixture
def send_text(app, issue):
    """Send the text of a batch unchanged."""
    headers = {"Authorization": f"Bearer {issue('*')}"}
    path = RECORD.removeprefix("POST ")
    return lambda text: app.test_client().post(path, data=text, headers=headers)


def batch(*samples, source="probe-1"):
    return {"source": source, "measurements": list(samples)}


def test_record(api, sample, woken):
    """A sample is stored as it was sent, is not audited, and wakes the builder."""
    response = api(RECORD, batch(sample | {"responseTimeMs": 12}))

    assert response.json == {"data": {"recorded": 1, "unknown": []}}
    row = MeasurementRow.get()
    assert (row.source, row.status, row.response_time_ms) == (
        "probe-1",
        "operational",
        12,
    )
    assert [each.action for each in AuditRow.select()] == ["service.added"]
    assert woken == ["status", "status"]


def test_repeat(api, sample, woken):
    """The same instant of the same source counts as recorded and changes nothing."""
    api(RECORD, batch(sample))
    before = marks()

    again = api(RECORD, batch(sample | {"status": "down"}, sample))

    assert again.json["data"] == {"recorded": 2, "unknown": []}
    assert [row.status for row in MeasurementRow.select()] == ["operational"]
    assert api(LIST).json["data"]["overall"] == "operational"
    assert marks() == before
    assert woken == ["status", "status"]


@pytest.fixture
def world_of_two(world, sample, api, woken):
    """One source reports api as working and mail as down; no wake-up is pending."""
    world.service("mail")
    api(RECORD, batch(sample, sample | {"slug": "mail", "status": "down"}))
    woken.clear()
    return world


@pytest.mark.parametrize(
    ("reported", "source", "pass_", "expected"),
    [
        ([("api", "operational")], "probe-1", 60, "status, deferrable"),
        ([("mail", "down")], "probe-1", 60, "status, deferrable"),
        (
            [("api", "operational"), ("ghost", "down")],
            "probe-1",
            60,
            "status, deferrable",
        ),
        # Each of these may change a state, and so is built at once.
        ([("api", "degraded")], "probe-1", 60, "status"),
        ([("mail", "operational")], "probe-1", 60, "status"),
        ([("api", "operational"), ("api", "down")], "probe-1", 60, "status"),
        ([("api", "operational")], "probe-2", 60, "status"),
        ([("api", "operational")], "probe-1", 290.001, "status"),
        ([("api", "operational")], "probe-1", 290, "status, deferrable"),
    ],
)
def test_deferrable_batch(
    world_of_two, api, clock, woken, reported, source, pass_, expected
):
    """Only a batch that repeats each source's fresh values may be built later."""
    clock.pass_(seconds=pass_)
    text = world_of_two.text()
    samples = [{"slug": s, "status": w, "observedAt": text} for s, w in reported]

    # Two samples of one instant would be one.
    samples[0]["observedAt"] = world_of_two.text(-1)
    api(RECORD, batch(*samples, source=source))

    assert woken == [expected]
    assert behind() == {"status"}


@pytest.mark.parametrize("position", [0, 1, 2])
def test_newest_of_a_batch(api, world, sample, position):
    """The newest of several samples of a service decides, in any order."""
    older = [sample | {"observedAt": world.text(-at)} for at in (20, 30)]
    older.insert(position, sample | {"status": "down"})

    api(RECORD, batch(*older))

    assert api(LIST).json["data"]["overall"] == "major-outage"


def test_two_of_one_time(api, sample):
    """Of two samples of one source and time, the first is stored and decides."""
    api(RECORD, batch(sample | {"status": "down"}, sample))

    assert [row.status for row in MeasurementRow.select()] == ["down"]
    assert api(LIST).json["data"]["overall"] == "major-outage"


@pytest.mark.parametrize(
    "name", ['"slug":', '"slug" :', '"slug"\n:', '"\\u0073lug"\t:']
)
@pytest.mark.parametrize("space", ["", " "])
def test_repeated_field(send_text, sample, refusal, name, space):
    """A field may occur once in a sample, in any spelling."""
    text = json.dumps(batch(sample), separators=(",", ":" + space))
    at = text.index('"status"')

    response = send_text(f'{text[:at]}{name}"api",{text[at:]}')

    assert "slug is repeated" in refusal(response, "malformed-request")["detail"]
    assert MeasurementRow.select().count() == 0


def test_repeated_field_beside_a_wrong_one(send_text, sample, refusal):
    """A repeated field is reported first, because either value may be the wrong one."""
    text = json.dumps(batch(sample)).replace('"status"', '"slug": 1, "status"')

    refusal(send_text(text), "malformed-request")


def test_batches_at_once(app, api, world, issue, sample):
    """
    Concurrent batches are answered separately: those that are accepted are stored once,
    and a rejected one does not affect the others.
    """
    secret, path = issue("*"), RECORD.removeprefix("POST ")

    def send(number):
        # Every fifth is too old, and each pair of batches has one Idempotency-Key.
        is_old = number % 5 == 0
        at = world.text(-200 * 86400 if is_old else -(number // 2))
        body = batch(sample | {"observedAt": at}, source=f"probe-{number % 20 // 2}")
        headers = {
            "Authorization": f"Bearer {secret}",
            "Idempotency-Key": f"{number // 2}-{is_old}",
        }
        response = app.test_client().post(path, json=body, headers=headers)
        return response.status_code

    with ThreadPoolExecutor(8) as threads:
        codes = list(threads.map(send, range(80)))

    assert codes == [422 if number % 5 == 0 else 200 for number in range(80)]
    times = {row.observed_at for row in MeasurementRow.select()}
    assert times == {world.clock.now - timedelta(seconds=n) for n in range(40)}
    assert MeasurementRow.select().count() == 40


def test_two_sources(api, sample):
    """Another source may report another value for the same instant."""
    api(RECORD, batch(sample))
    api(RECORD, batch(sample | {"status": "down"}, source="probe-2"))

    assert api(LIST).json["data"]["overall"] == "partial-outage"


def test_unknown_slugs(api, sample):
    """Each unknown slug is reported once, in order; the rest is stored."""
    strange = [sample | {"slug": slug} for slug in ("ghost", "other", "ghost")]

    response = api(RECORD, batch(strange[0], sample, *strange[1:]))

    assert response.json["data"] == {"recorded": 1, "unknown": ["ghost", "other"]}
    assert MeasurementRow.select().count() == 1


def test_all_unknown(api, sample, woken):
    """A batch of unknown slugs is no error, and wakes no builder."""
    data = api(RECORD, batch(sample | {"slug": "ghost"})).json["data"]

    assert data == {"recorded": 0, "unknown": ["ghost"]}
    assert woken == ["status"]


def test_off_the_page(api, sample):
    """A service off the page is still measured."""
    api(REMOVE, {"slug": "api"})

    assert api(RECORD, batch(sample)).json["data"]["recorded"] == 1


@pytest.mark.parametrize(
    "member",
    [
        {"status": "down"},
        {"status": "degraded"},
        {"responseTimeMs": None},
        {"responseTimeMs": 0},
        {"responseTimeMs": 600_000},
        {"responseTimeMs": 1.0},
    ],
)
def test_at_the_limit(api, sample, member):
    """Each limit itself is accepted."""
    assert api(RECORD, batch(sample | member)).status_code == 200


@pytest.mark.parametrize(
    "member",
    [
        {"status": "maintenance"},
        {"status": None},
        {"responseTimeMs": -1},
        {"responseTimeMs": 600_001},
        {"responseTimeMs": "1"},
        {"responseTimeMs": 0.5},
        {"responseTimeMs": False},
        {"slug": ""},
        {"slug": None},
        {"observedAt": None},
        {"observedAt": "2026-03-01T12:00:00"},
        {"observedAt": "yesterday"},
        {"observedAt": 1772366400},
        {"region": "eu"},
    ],
)
def test_one_bad_item(api, sample, member):
    """One invalid item rejects the whole batch and is named by its index."""
    response = api(RECORD, batch(sample, sample | member))

    assert response.status_code == 422
    pointer = f"/measurements/1/{next(iter(member))}"
    assert response.json["errors"][0]["pointer"] == pointer
    assert MeasurementRow.select().count() == 0


@pytest.mark.parametrize("missing", ["slug", "status", "observedAt"])
def test_item_without(api, sample, missing):
    """Slug, status and observedAt are required."""
    del sample[missing]

    assert api(RECORD, batch(sample)).status_code == 422


@pytest.mark.parametrize("source", ["", "A", "1a", "a" * 65, None, 5])
def test_wrong_source(api, sample, source):
    """The name of a source has the form of a slug."""
    assert api(RECORD, batch(sample, source=source)).status_code == 422


@pytest.mark.parametrize(
    ("count", "status"), [(0, 422), (1, 200), (200, 200), (201, 422)]
)
def test_length_of_a_batch(api, world, sample, count, status):
    """A batch has 1 to 200 samples."""
    samples = [sample | {"observedAt": world.text(-n)} for n in range(count)]

    assert api(RECORD, batch(*samples)).status_code == status


@pytest.mark.parametrize(
    ("seconds", "status"),
    [(60, 200), (60.001, 422), (-100 * 86400, 200), (-100 * 86400 - 0.001, 422)],
)
def test_times(api, world, sample, seconds, status):
    """
    Times up to 60 s ahead and back to the retention of raw samples are stored, to the
    millisecond.
    """
    response = api(RECORD, batch(sample | {"observedAt": world.text(seconds)}))

    assert response.status_code == status
    if status == 422:
        assert response.json["errors"][0]["pointer"] == "/measurements/0/observedAt"


def test_before_what_is_folded(api, world, sample):
    """Samples of folded days are not accepted, whatever the retention is now."""
    compact_measurements(world.clock.now, timedelta(days=91))

    old = sample | {"observedAt": world.text(-92 * 86400)}
    response = api(RECORD, batch(old))

    assert response.status_code == 422
    assert "2025-11-30T00:00:00.000Z" in response.json["detail"]


def test_late_sample(api, world, sample):
    """A sample of an hour that was rolled up already is counted too."""
    api(RECORD, batch(sample | {"observedAt": world.text(-7200)}))
    roll_up(world.clock.now)

    api(RECORD, batch(sample | {"observedAt": world.text(-7100), "status": "down"}))

    assert [(row.operational, row.down) for row in HourRow.select()] == [(1, 1)]
    assert api(GET_UPTIME, {"slug": "api"}).json["data"]["uptimePct"] == 50.0
