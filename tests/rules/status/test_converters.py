"""The output of other monitoring tools, converted to measurements."""

import json
from datetime import UTC, datetime

import pytest

from models.errors import ValidationFailed
from models.fields import format_moment
from models.status.converters import alertmanager, gatus, uptime_kuma
from models.status.converters.conversion import batches
from models.status.converters.mapping import (
    ServiceNames,
    build_measurement,
    parse_service_options,
)
from tests.conftest import NOON
from tests.samples.tool_bodies import (
    BEAT,
    RESULT,
    SHOWN,
    alert,
    failing,
    kuma,
    statuses,
    webhook,
)


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
    """An unknown severity is trouble; only none and info are not."""
    (found,) = alertmanager.measurements(
        webhook(alert(severity=severity)), ServiceNames(), NOON
    )

    assert found.to_json() == {
        "slug": "checkout",
        "status": status,
        "responseTimeMs": None,
        "observedAt": format_moment(NOON),
    }


def test_worst_alert_decides():
    """A firing alert outweighs resolved ones, and each service is reported once."""
    message = webhook(
        alert("resolved", severity="critical"),
        alert(severity="warning"),
        alert("resolved", service="Log in", severity="critical"),
        {"status": "firing", "labels": {"alertname": "NodeDown"}},
    )

    found = alertmanager.measurements(message, ServiceNames({"Log in": "login"}), NOON)

    result = {each.slug: each.status for each in found}
    assert result == {"checkout": "degraded", "login": "operational"}


def test_label_of_ones_own():
    """Another label may name the service."""
    found = alertmanager.measurements(
        webhook(alert(app="Mail Room")), ServiceNames(), NOON, label="app"
    )

    assert [each.slug for each in found] == ["mail-room"]


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("nonsense", "The webhook of Alertmanager: Invalid JSON"),
        (webhook(version="3"), "Alertmanager: version: Input should be '4'"),
        (webhook(truncatedAlerts=3), "3 alerts were left out of the webhook"),
        (webhook({"status": "firing"}), "alerts.0.labels: Field required"),
        (webhook(alert(service="")), "No alert has the label 'service'"),
        (webhook(alert(service="7")), "'7', for '7', is not a valid slug"),
        ("[" * 100_000, "The webhook of Alertmanager: "),
    ],
)
def test_webhook_that_cannot_be_used(message, sentence):
    """An unusable webhook is rejected with a sentence."""
    with pytest.raises(ValidationFailed) as refused:
        alertmanager.measurements(message, ServiceNames(), NOON)

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
    """
    The time is UTC, whatever the server's zone; a failed check has no response time.
    """
    (found,) = uptime_kuma.measurements(
        kuma(beat), ServiceNames({"Check-out page": "checkout"})
    )

    assert (found.slug, found.status, found.response_time_ms) == (
        "checkout",
        status,
        took,
    )
    assert found.observed_at == datetime(2026, 2, 28, 23, 58, 7, 412_000, UTC)


@pytest.mark.parametrize(
    "message", [kuma(BEAT | {"status": 3}), kuma(None, monitor=None, msg="Testing")]
)
def test_beat_that_says_nothing(message):
    """Planned maintenance and test notifications give no measurement."""
    assert uptime_kuma.measurements(message, ServiceNames()) == []


def test_beats_of_a_status_page():
    """All beats of a page, by the ids of the configured monitors."""
    up = SHOWN | {"status": 1, "time": "2026-02-28 23:59:07.000", "ping": 53_885}
    listed = {"4": [SHOWN, up], "11": [up], "12": [SHOWN, up]}
    message = json.dumps({"heartbeatList": listed, "uptimeList": {"4_24": 0.9}})
    names = ServiceNames({"4": "checkout"})

    found = uptime_kuma.measurements(message, names)

    assert [each.status for each in found] == ["down", "operational"]
    assert [each.response_time_ms for each in found] == [None, 53_885]
    assert list(names.remarks()) == [
        "left out: 11: map it to a service with --service 11=SLUG.",
        "left out: 12: map it to a service with --service 12=SLUG.",
    ]
    with pytest.raises(ValidationFailed, match=r"the monitors 4, 11, 12\. Map them"):
        uptime_kuma.measurements(message, ServiceNames())


def test_page_without_beats():
    """A page whose monitors have no beats gives no measurement and no error."""
    assert (
        uptime_kuma.measurements('{"heartbeatList": {"4": []}}', ServiceNames()) == []
    )


@pytest.mark.parametrize(
    "message", ["{}", kuma(BEAT | {"time": "yesterday"}), kuma({"status": 1})]
)
def test_beat_that_cannot_be_used(message):
    """A beat in another form is rejected, not guessed."""
    with pytest.raises(ValidationFailed, match="The data of Uptime Kuma"):
        uptime_kuma.measurements(message, ServiceNames())


@pytest.mark.parametrize(
    ("result", "status", "took"),
    [
        (RESULT, "operational", 83),
        (failing("[STATUS] (502) == 200"), "down", None),
        (failing("[RESPONSE_TIME] (612) < 300"), "degraded", 83),
        (failing("[RESPONSE_TIME] (612) < 300", "[BODY] == ok"), "down", None),
        (failing("300 > [RESPONSE_TIME] (612)"), "degraded", 83),
        (failing("[CERTIFICATE_EXPIRATION] (200h) > 336h"), "degraded", 83),
        (failing("has([BODY].errors) == false"), "down", None),
        (failing() | {"conditionResults": None}, "down", None),
        (
            failing("[RESPONSE_TIME] (0) > 1")
            | {"errors": ["Get https://shop.example: context deadline exceeded"]},
            "down",
            None,
        ),
    ],
)
def test_result(result, status, took):
    """
    A slow target, or an expiring certificate, is degraded; any other failure is down.
    """
    (found,) = gatus.measurements(statuses(("Shop", "web", [result])), ServiceNames())

    assert (found.slug, found.status, found.response_time_ms) == ("shop", status, took)
    assert found.observed_at == datetime(2026, 3, 1, 11, 59, 30, 123_000, UTC)


def test_endpoint_that_was_not_asked_yet():
    """An endpoint without results does not affect the others."""
    message = statuses(("New", "", None), ("Shop", "web", [RESULT]))

    assert [each.slug for each in gatus.measurements(message, ServiceNames())] == [
        "shop"
    ]


def test_endpoints_of_one_name():
    """Two endpoints of one name are ambiguous; the key distinguishes them."""
    message = statuses(("Shop", "eu", [RESULT]), ("Shop", "us", [RESULT]))

    with pytest.raises(ValidationFailed, match=r"'shop': eu_Shop and us_Shop\."):
        gatus.measurements(message, ServiceNames())
    found = gatus.measurements(message, ServiceNames({"us_Shop": "shop-us"}))

    assert [each.slug for each in found] == ["shop", "shop-us"]
    both = gatus.measurements(
        message, ServiceNames({"Shop": "any", "us_Shop": "shop-us"})
    )
    assert [each.slug for each in both] == ["any", "shop-us"]


@pytest.mark.parametrize(("count", "sizes"), [(0, []), (200, [200]), (201, [200, 1])])
def test_bodies(count, sizes):
    """A body has at most as many samples as one request may."""
    found = batches("eye", [build_measurement("a", "down", NOON)] * count)

    assert [len(each.measurements) for each in found] == sizes


def test_pairs():
    """A name may contain an equals sign; neither part may be empty."""
    assert parse_service_options(["a=b", "x=y=z"]) == {"a": "b", "x=y": "z"}
    for wrong in ("a", "=a", "a="):
        with pytest.raises(ValidationFailed, match=f"not '{wrong}'"):
            parse_service_options([wrong])


@pytest.mark.parametrize("expected", [{"a": "A"}, {"a": "1"}, {"a": "x" * 65}])
def test_slug_that_is_none(expected):
    """A slug that the API would reject is rejected at once."""
    with pytest.raises(ValidationFailed, match="is not a valid slug"):
        ServiceNames(expected)
