"""What other tools say, as measurements."""

import json
from datetime import UTC, datetime

import pytest

from models.errors import ValidationFailed
from models.status.converting import alertmanager, gatus, uptime_kuma
from models.status.converting.samples import Names, bodies, pairs, sample
from models.words import told_moment
from tests.conftest import NOON

# Each as its tool sends it, with all the members that it has.
WEBHOOK = {
    "receiver": "masthead",
    "status": "firing",
    "groupLabels": {"service": "checkout"},
    "commonLabels": {"service": "checkout", "region": "north"},
    "commonAnnotations": {},
    "externalURL": "http://alerts.internal:9093",
    "version": "4",
    "groupKey": '{}:{service="checkout"}',
    "truncatedAlerts": 0,
}
BEAT = {
    "monitorID": 4,
    "status": 0,
    "time": "2026-02-28 23:58:07.412",
    "msg": "connect ETIMEDOUT 192.0.2.7:443",
    "ping": None,
    "important": True,
    "duration": 61,
    "retries": 2,
    "timezone": "Europe/Vienna",
    "timezoneOffset": "+01:00",
    "localDateTime": "2026-03-01 00:58:07",
}
RESULT = {
    "status": 200,
    "hostname": "shop.example",
    "duration": 83_400_512,
    "conditionResults": [{"condition": "[STATUS] == 200", "success": True}],
    "success": True,
    "timestamp": "2026-03-01T11:59:30.123456789Z",
}


def alert(status="firing", **labels):
    return {
        "status": status,
        "labels": {"alertname": "TooSlow", "service": "checkout"} | labels,
        "annotations": {"summary": "Paying takes long."},
        "startsAt": "2026-03-01T11:40:00.000Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.internal:9090/graph",
        "fingerprint": "5ef0c3f6b0d1a2e4",
    }


def webhook(*alerts, **more):
    return json.dumps(WEBHOOK | {"alerts": alerts} | more)


def kuma(beat=BEAT, **more):
    monitor = {"id": 4, "name": "Check-out page", "type": "http", "tags": []}
    said = {"heartbeat": beat, "monitor": monitor, "msg": "[Check-out page] Down"}
    return json.dumps(said | more)


def statuses(*endpoints):
    return json.dumps(
        [
            {"name": name, "group": group, "key": f"{group}_{name}", "results": results}
            for name, group, results in endpoints
        ]
    )


def failing(*conditions):
    found = [{"condition": each, "success": False} for each in conditions]
    passed = RESULT["conditionResults"]
    return RESULT | {"success": False, "conditionResults": passed + found}


@pytest.mark.parametrize(
    ("severity", "status"),
    [
        ("critical", "down"),
        ("PAGE", "down"),
        ("warning", "degraded"),
        ("house word", "degraded"),
        ("", "degraded"),
        ("none", "operational"),
        ("info", "operational"),
    ],
)
def test_severity_of_an_alert(severity, status):
    """A word that is not known is trouble; only none and info are none."""
    (found,) = alertmanager.samples(webhook(alert(severity=severity)), Names(), NOON)

    assert found.told() == {
        "slug": "checkout",
        "status": status,
        "responseTimeMs": None,
        "observedAt": told_moment(NOON),
    }


def test_worst_alert_decides():
    """What fires outweighs what is over, and each service is told once."""
    said = webhook(
        alert("resolved", severity="critical"),
        alert(severity="warning"),
        alert("resolved", service="Log in", severity="critical"),
        {"status": "firing", "labels": {"alertname": "NodeDown"}},
    )

    found = alertmanager.samples(said, Names({"Log in": "login"}), NOON)

    told = {each.slug: each.status for each in found}
    assert told == {"checkout": "degraded", "login": "operational"}


def test_label_of_ones_own():
    """Another label may name the service."""
    found = alertmanager.samples(
        webhook(alert(app="Mail Room")), Names(), NOON, label="app"
    )

    assert [each.slug for each in found] == ["mail-room"]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("nonsense", "The webhook of Alertmanager: Invalid JSON"),
        (webhook(version="3"), "Alertmanager: version: Input should be '4'"),
        (webhook(truncatedAlerts=3), "3 alerts were left out of the webhook"),
        (webhook({"status": "firing"}), "alerts.0.labels: Field required"),
        (webhook(alert(service="")), "No alert has the label 'service'"),
        (webhook(alert(service="7")), "'7', for '7', is no slug"),
        ("[" * 100_000, "The webhook of Alertmanager: "),
    ],
)
def test_webhook_that_cannot_be_used(said, sentence):
    """What is wrong is told in a sentence."""
    with pytest.raises(ValidationFailed) as refused:
        alertmanager.samples(said, Names(), NOON)

    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".")


@pytest.mark.parametrize(
    ("beat", "status", "took"),
    [
        (BEAT, "down", None),
        (BEAT | {"status": 1, "ping": 41}, "operational", 41),
        (BEAT | {"status": 1, "ping": 700_000.4}, "operational", 600_000),
        (BEAT | {"status": 2, "ping": 9}, "degraded", 9),
    ],
)
def test_beat(beat, status, took):
    """The time is UTC, whatever the zone of the server; down has no answer to time."""
    (found,) = uptime_kuma.samples(kuma(beat), Names({"Check-out page": "checkout"}))

    assert (found.slug, found.status, found.response_time_ms) == (
        "checkout",
        status,
        took,
    )
    assert found.observed_at == datetime(2026, 2, 28, 23, 58, 7, 412_000, UTC)


@pytest.mark.parametrize(
    "said", [kuma(BEAT | {"status": 3}), kuma(None, monitor=None, msg="Testing")]
)
def test_beat_that_says_nothing(said):
    """Maintenance is planned here, and a test of the notification is about nothing."""
    assert uptime_kuma.samples(said, Names()) == []


def test_beats_of_a_status_page():
    """All beats of a page, by the number of the monitor, which must be mapped."""
    beats = [BEAT, BEAT | {"status": 1, "time": "2026-02-28 23:59:07.000"}]
    said = json.dumps({"heartbeatList": {"4": beats}, "uptimeList": {"4_24": 0.9}})

    found = uptime_kuma.samples(said, Names({"4": "checkout"}))

    assert [each.status for each in found] == ["down", "operational"]
    with pytest.raises(ValidationFailed, match="--service NAME=SLUG"):
        uptime_kuma.samples(said, Names())


@pytest.mark.parametrize(
    "said", ["{}", kuma(BEAT | {"time": "yesterday"}), kuma({"status": 1})]
)
def test_beat_that_cannot_be_used(said):
    """A word of another form is refused, not guessed."""
    with pytest.raises(ValidationFailed, match="What Uptime Kuma says"):
        uptime_kuma.samples(said, Names())


@pytest.mark.parametrize(
    ("result", "status", "took"),
    [
        (RESULT, "operational", 83),
        (failing("[STATUS] (502) == 200"), "down", None),
        (failing("[RESPONSE_TIME] (612) < 300"), "degraded", 83),
        (failing("[RESPONSE_TIME] (612) < 300", "[BODY] == ok"), "down", None),
        (failing() | {"conditionResults": None}, "down", None),
    ],
)
def test_result(result, status, took):
    """Slow, or soon without a certificate, is degraded; any other failure is down."""
    (found,) = gatus.samples(statuses(("Shop", "web", [result])), Names())

    assert (found.slug, found.status, found.response_time_ms) == ("shop", status, took)
    assert found.observed_at == datetime(2026, 3, 1, 11, 59, 30, 123_000, UTC)


def test_endpoints_of_one_name():
    """Two endpoints are not one service; the key tells them apart."""
    said = statuses(("Shop", "eu", [RESULT]), ("Shop", "us", [RESULT]))

    with pytest.raises(ValidationFailed, match=r"'shop': eu_Shop and us_Shop\."):
        gatus.samples(said, Names())
    found = gatus.samples(said, Names({"us_Shop": "shop-us"}))

    assert [each.slug for each in found] == ["shop", "shop-us"]
    both = gatus.samples(said, Names({"Shop": "any", "us_Shop": "shop-us"}))
    assert [each.slug for each in both] == ["any", "shop-us"]


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (200, [200]), (201, [200, 1])])
def test_bodies(count, sizes):
    """A body holds at most what one request may."""
    found = bodies("eye", [sample("a", status="down", observed_at=NOON)] * count)

    assert [len(each.measurements) for each in found] == sizes


def test_pairs():
    """A name may hold a sign of equality; nothing may be empty."""
    assert pairs(["a=b", "x=y=z"]) == {"a": "b", "x=y": "z"}
    for wrong in ("a", "=a", "a="):
        with pytest.raises(ValidationFailed, match=f"and '{wrong}' is not"):
            pairs([wrong])


@pytest.mark.parametrize("told", [{"a": "A"}, {"a": "1"}, {"a": "x" * 65}])
def test_slug_that_is_none(told):
    """A slug that the API would refuse is refused at once."""
    with pytest.raises(ValidationFailed, match="is no slug"):
        Names(told)
