"""The sources of measurements: which keys report for them, and which may."""

import logging
from dataclasses import replace
from datetime import datetime

import pytest

from api.http.application import create_app
from models.audit import AuditRow, broken_links
from models.platform.keys import KeyRow
from models.status.measurements.measurements import MeasurementRow
from models.status.measurements.sources import (
    MAX_SOURCES,
    MAX_SOURCES_OF_KEY,
    shared_source_faults,
)
from tests.factories.status import ADD_SERVICE, RECORD

pytestmark = pytest.mark.both_engines

TRANSFER = "POST /status/v1/admin/sources/transfer"
LIST = "GET /status/v1/admin/sources/list"
SCOPE = "status:admin:measurements:record"


@pytest.fixture(params=["owned"])
def settings(settings, request):
    return replace(settings, source_policy=request.param)


open_policy = pytest.mark.parametrize("settings", ["open"], indirect=True)


@pytest.fixture
def record(api, clock):
    """Record one measurement of the service api, a second after the last."""
    api(ADD_SERVICE, {"slug": "api", "name": "API"})

    def recorded(key, source="frankfurt", status="operational", slug="api"):
        clock.pass_(seconds=1)
        at = clock.now.isoformat()
        sample = {"slug": slug, "status": status, "observedAt": at}
        return api(RECORD, {"source": source, "measurements": [sample]}, key=key)

    return recorded


def id_of(secret):
    return KeyRow.get(KeyRow.prefix == secret[:11]).id


def keys_of(api):
    return {
        source["source"]: [key["prefix"] for key in source["keys"]]
        for source in api(LIST).json["data"]
    }


def test_source_is_taken(record, issue, api, refusal):
    """A leaked key cannot report for a source that belongs to another probe."""
    probe, leaked = issue(SCOPE), issue(SCOPE)
    record(probe, status="down")

    refused = record(leaked, status="operational")

    assert refused.status_code == 409
    refusal(refused, "source-taken")
    assert MeasurementRow.select().count() == 1
    assert record(leaked, source="its-own").status_code == 200
    assert record(probe).status_code == 200
    assert keys_of(api) == {"frankfurt": [probe[:11]], "its-own": [leaked[:11]]}


def test_source_stays_with_the_lineage(record, issue, api):
    """The replacement of a probe's key reports for its source, and is shown."""
    probe = issue(SCOPE)
    record(probe)
    rotation = {"id": id_of(probe)}
    rotated = api("POST /platform/v1/keys/rotate", rotation, key=issue("*"))
    replacement = rotated.json["data"]["secret"]

    assert record(replacement).status_code == 200
    assert keys_of(api) == {"frankfurt": [replacement[:11]]}


def test_transfer(record, issue, api, refusal, audited):
    """
    An admin transfers a source; this is audited once, and the old key is rejected.
    """
    old, new = issue(SCOPE), issue(SCOPE)
    record(old)
    body = {"source": "frankfurt", "keyId": id_of(new)}

    tried = api(TRANSFER, body, headers={"Dry-Run": "true"})
    assert tried.json["data"]["keys"][0]["prefix"] == new[:11]
    assert record(old).status_code == 200
    data = api(TRANSFER, body).json["data"]
    api(TRANSFER, body)

    assert [key["id"] for key in data["keys"]] == [id_of(new)]
    refusal(record(old), "source-taken")
    assert record(new).status_code == 200
    assert audited().count("source.transferred") == 1
    record_of = AuditRow.get(AuditRow.action == "source.transferred")
    assert (record_of.target_type, record_of.target_id) == ("source", "frankfurt")
    assert record_of.detail.startswith(f"key: {old[:11]} -> {new[:11]}")
    assert broken_links("status") == []


def test_transfer_before_the_first_use(record, issue, api, refusal):
    """A source may be transferred before its first use, but not to a revoked key."""
    probe, other = issue(SCOPE), issue(SCOPE)
    api(TRANSFER, {"source": "frankfurt", "keyId": id_of(probe)})
    api("POST /platform/v1/keys/remove", {"id": id_of(other)})

    body = {"source": "paris", "keyId": id_of(other)}
    refusal(api(TRANSFER, body), "key-not-active")
    refusal(record(issue(SCOPE)), "source-taken")
    assert record(probe).status_code == 200


def test_list(record, issue, api, clock):
    """Each source is listed with the services that it measures, or only with one."""
    api(ADD_SERVICE, {"slug": "mail", "name": "Mail"})
    probe, body = issue(SCOPE), {"source": "unused", "keyId": id_of(issue(SCOPE))}
    api(TRANSFER, body)
    record(probe, source="paris")
    record(probe, source="frankfurt", slug="mail")
    record(probe, source="frankfurt")

    listed = api(LIST).json["data"]
    of_mail = api(LIST, {"slug": "mail"}).json["data"]

    assert [(s["source"], [m["slug"] for m in s["services"]]) for s in listed] == [
        ("frankfurt", ["api", "mail"]),
        ("paris", ["api"]),
        ("unused", []),
    ]
    newest = datetime.fromisoformat(listed[0]["services"][0]["observedAt"])
    assert newest == clock.now
    mail = listed[0]["services"][1]
    assert of_mail == [listed[0] | {"services": [mail]}]
    assert api(LIST, {"slug": "ghost"}).json["data"] == []


@open_policy
def test_open_policy(record, issue, api, clock, caplog):
    """
    By default any key may report for any source; two keys are reported for an hour.
    """
    one, other = issue(SCOPE), issue(SCOPE)
    record(one)
    assert shared_source_faults(clock.now) == []

    with caplog.at_level(logging.WARNING):
        assert record(other).status_code == 200

    (fault,) = shared_source_faults(clock.now)
    assert fault.state == "source-shared"
    assert fault.is_harmless
    assert one[:11] in fault.detail
    assert other[:11] in fault.detail
    assert "source-shared" in caplog.text
    assert keys_of(api) == {"frankfurt": [one[:11], other[:11]]}
    clock.pass_(hours=1)
    assert shared_source_faults(clock.now) == []


@open_policy
def test_policy_that_is_set_later(record, issue, api, settings, clock):
    """
    A source that several keys used before the policy belongs to the first of them.
    """
    first, second = issue(SCOPE), issue(SCOPE)
    record(first)
    record(second)
    app = create_app(replace(settings, source_policy="owned"), clock=clock)

    def answer(key):
        sample = {"slug": "api", "status": "down", "observedAt": clock.now.isoformat()}
        body = {"source": "frankfurt", "measurements": [sample]}
        headers = {"Authorization": f"Bearer {key}"}
        return app.test_client().post(RECORD.split()[1], json=body, headers=headers)

    assert answer(second).status_code == 409
    assert answer(first).status_code == 200


@open_policy
def test_most_sources(record, issue, api, clock, refusal):
    """A service may have 64 sources within a week; existing ones keep working."""
    keys = [issue(SCOPE) for _ in range(MAX_SOURCES // MAX_SOURCES_OF_KEY)]
    for number in range(MAX_SOURCES):
        key = keys[number // MAX_SOURCES_OF_KEY]
        assert record(key, source=f"probe-{number}").status_code == 200

    key = issue(SCOPE)
    refusal(record(key, source="one-more"), "limit-exceeded")
    clock.pass_(hours=1)

    assert record(key, source="probe-0").status_code == 200
    assert len(keys_of(api)) == MAX_SOURCES
    api(ADD_SERVICE, {"slug": "mail", "name": "Mail"})
    assert record(key, source="one-more", slug="mail").status_code == 200
    clock.pass_(days=7)
    assert record(key, source="one-more").status_code == 200


@pytest.mark.parametrize("settings", ["open", "owned"], indirect=True)
def test_sources_of_one_key(record, issue, api, refusal):
    """A leaked key and its replacement leave room for the sources of others."""
    leaked, probe = issue(SCOPE), issue(SCOPE)
    for number in range(MAX_SOURCES_OF_KEY):
        assert record(leaked, source=f"made-up-{number}").status_code == 200
    rotation = {"id": id_of(leaked)}
    rotated = api("POST /platform/v1/keys/rotate", rotation, key=issue("*"))
    replacement = rotated.json["data"]["secret"]

    refused = record(replacement, source="made-up")

    refusal(refused, "limit-exceeded")
    assert "at most 16 sources of one API key in 7 days" in refused.json["detail"]
    assert record(replacement, source="made-up-0").status_code == 200
    assert record(probe).status_code == 200


def test_unknown_services_claim_no_source(record, issue):
    """A batch without known services claims no source."""
    record(issue(SCOPE), slug="ghost")

    assert record(issue(SCOPE)).status_code == 200
