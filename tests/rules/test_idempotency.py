"""Stored responses: found by their request, sealed, and deleted."""

import json
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from models.base import Schema
from models.errors import (
    IdempotencyInProgress,
    IdempotencyKeyReused,
    IdempotencySecretSealed,
    StorageBusy,
)
from models.idempotency import (
    IdempotentRequest,
    RequestsInProgress,
    StoredResponseRow,
    StoredResponseSubjectRow,
    delete_expired_responses,
    delete_responses_about,
    store_response,
    stored_response,
)
from models.status.measurements.measurements import StatusRecordMeasurements
from tests.conftest import NOON

pytestmark = pytest.mark.both_engines


class Sample(Schema):
    a: Any
    b: int = 0


REQUEST = IdempotentRequest(
    *("first", "None None", "op", "text", Sample(a=1)),
    *("first", "mh_first", "mh_first_bearer"),
)
ROTATED = replace(
    REQUEST, key_id="second", key_prefix="mh_second", bearer="mh_second_bearer"
)
SECRET = "mh_12345678_" + "s" * 49
BODY = f'{{"data":{{"secret":"{SECRET}"}}}}'.encode()


def test_found(store):
    """The same request gets its stored response, byte for byte."""
    store_response(REQUEST, b'{"data":1}', NOON)

    assert stored_response(REQUEST, NOON) == b'{"data":1}'


@pytest.mark.parametrize("name", ["lineage", "actor", "operation", "key"])
def test_not_found(name, store):
    """The caller's lineage, actor, operation and key identify a stored response."""
    store_response(REQUEST, b"{}", NOON)

    other = replace(REQUEST, key_id="other", **{name: "other"})

    assert stored_response(other, NOON) is None


def test_parts_are_separated(store):
    """The parts of the id are separated: the end of one is not the start of another."""
    store_response(replace(REQUEST, operation="a", key="bc"), b"{}", NOON)

    assert stored_response(replace(REQUEST, operation="ab", key="c"), NOON) is None


def test_other_request(store):
    """The same key with another request is rejected."""
    store_response(REQUEST, b"{}", NOON)

    with pytest.raises(IdempotencyKeyReused):
        stored_response(replace(REQUEST, request=Sample(a=2)), NOON)


def test_same_request(store):
    """The order of fields does not matter; an omitted field does."""
    first = Sample.model_validate_json('{"a": 1, "b": 0}')
    second = Sample.model_validate_json('{"b": 0, "a": 1}')
    store_response(replace(REQUEST, request=first), b"{}", NOON)

    assert stored_response(replace(REQUEST, request=second), NOON) == b"{}"
    with pytest.raises(IdempotencyKeyReused):
        stored_response(replace(REQUEST, request=Sample(a=1)), NOON)


def batch(*measurements, source="probe"):
    body = {"source": source, "measurements": measurements}
    return StatusRecordMeasurements.model_validate_json(json.dumps(body))


SAMPLE = {"slug": "api", "status": "down", "observedAt": "2026-03-01T12:00:00Z"}


def test_same_batch(store):
    """A batch is the same in any order of fields, and with null for omitted ones."""
    store_response(replace(REQUEST, request=batch(SAMPLE)), b"{}", NOON)
    fields = dict(reversed(SAMPLE.items())) | {"responseTimeMs": None}

    assert stored_response(replace(REQUEST, request=batch(fields)), NOON) == b"{}"


@pytest.mark.parametrize(
    "other",
    [
        batch(SAMPLE, source="other"),
        batch(SAMPLE, SAMPLE),
        batch(SAMPLE | {"slug": "mail"}),
        batch(SAMPLE | {"status": "degraded"}),
        batch(SAMPLE | {"responseTimeMs": 1}),
        batch(SAMPLE | {"observedAt": "2026-03-01T12:00:00.001Z"}),
    ],
)
def test_other_batch(other, store):
    """A batch that differs in any value is another request."""
    store_response(replace(REQUEST, request=batch(SAMPLE)), b"{}", NOON)

    with pytest.raises(IdempotencyKeyReused):
        stored_response(replace(REQUEST, request=other), NOON)


def test_names_in_another_order(store):
    """The order of client-chosen names does not matter."""
    store_response(replace(REQUEST, request=Sample(a={"x": 1, "y": 2})), b"{}", NOON)
    other = replace(REQUEST, request=Sample(a={"y": 2, "x": 1}))

    assert stored_response(other, NOON) == b"{}"


@pytest.mark.parametrize(
    "fields",
    [
        ("observed_at", "slug", "status"),
        ("slug", "status", "observed_at"),
    ],
)
def test_response_of_an_earlier_version(fields, store):
    """
    A response stored under the batch's JSON, by an earlier version, is found for a day.
    """
    keyed_request = replace(REQUEST, request=batch(SAMPLE))
    store_response(keyed_request, b"{}", NOON)
    values = SAMPLE | {"observed_at": "2026-03-01T12:00:00.000Z"}
    parts = {
        "source": "probe",
        "measurements": [{name: values[name] for name in fields}],
    }
    # One version sorted the names, the other wrote them in the order of the schema.
    text = json.dumps(
        parts, separators=(",", ":"), sort_keys=fields == tuple(sorted(fields))
    )
    digest = sha256(text.encode()).hexdigest()
    assert keyed_request.fingerprint != digest
    StoredResponseRow.update(fingerprint=digest).execute()

    assert stored_response(keyed_request, NOON) == b"{}"


def test_sealed(store):
    """A secret is sealed under the caller's secret, which is not stored."""
    store_response(REQUEST, BODY, NOON, secret=SECRET)

    row = StoredResponseRow.get()
    assert SECRET.encode() not in bytes(row.body) + bytes(row.sealed_secret)
    assert stored_response(REQUEST, NOON) == BODY


def test_sealed_for_another(store):
    """Under another secret, such as a session token, nothing is returned."""
    store_response(REQUEST, BODY, NOON, secret=SECRET)
    session = replace(REQUEST, bearer="token", key="session")
    store_response(session, BODY, NOON, secret=SECRET)

    with pytest.raises(IdempotencySecretSealed, match="is the API key mh_first"):
        stored_response(replace(REQUEST, bearer="token"), NOON)
    for bearer in ("another", REQUEST.bearer):
        with pytest.raises(IdempotencySecretSealed, match="a session of the console"):
            stored_response(replace(session, bearer=bearer), NOON)
    assert stored_response(session, NOON) == BODY
    assert "token" not in str(StoredResponseRow.get_by_id(session.id).__data__)


def test_found_after_a_rotation(store):
    """A replacement of the key gets the response, but no secret in it."""
    store_response(REQUEST, b"{}", NOON)
    other = replace(REQUEST, key="other")
    store_response(other, BODY, NOON, secret=SECRET)

    assert stored_response(ROTATED, NOON) == b"{}"
    with pytest.raises(IdempotencySecretSealed, match="mh_first"):
        stored_response(replace(ROTATED, key="other"), NOON)
    assert stored_response(other, NOON) == BODY


def test_stored_for_the_key_itself(store):
    """A response that an earlier version stored for the key alone is found."""
    earlier = replace(ROTATED, lineage=ROTATED.key_id)
    store_response(earlier, BODY, NOON, secret=SECRET)
    StoredResponseRow.update(sealed_by=None).execute()

    assert stored_response(ROTATED, NOON) == BODY
    assert stored_response(ROTATED, NOON + timedelta(hours=24)) is None


def test_secret_stored_for_the_first_key(store):
    """A secret that an earlier version stored is sealed with the caller's key."""
    store_response(REQUEST, BODY, NOON, secret=SECRET)
    StoredResponseRow.update(sealed_by=None).execute()

    assert stored_response(REQUEST, NOON) == BODY
    with pytest.raises(IdempotencySecretSealed):
        stored_response(ROTATED, NOON)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("completed_at", NOON + timedelta(hours=1)),
        ("secret_offset", 0),
        ("body", b'{"data":{"secret":"","name":"Mallory"}}'),
        ("sealed_secret", b""),
        (
            "sealed_secret",
            b"s" * 16 + b"x" * len(SECRET),
        ),  # as an earlier version sealed
    ],
)
def test_tampered(column, value, store):
    """A sealed secret is bound to its record: after a change nothing is returned."""
    store_response(REQUEST, BODY, NOON, secret=SECRET)
    StoredResponseRow.update({column: value}).execute()

    with pytest.raises(RuntimeError, match="cannot be opened"):
        stored_response(REQUEST, NOON + timedelta(hours=2))


def test_seal_of_another_record(store):
    """A secret that was sealed for one request does not open for another."""
    other = replace(REQUEST, key="other")
    for request in (REQUEST, other):
        store_response(request, BODY, NOON, secret=SECRET)
    sealed = StoredResponseRow.get_by_id(other.id).sealed_secret
    StoredResponseRow.update(sealed_secret=sealed).where(
        StoredResponseRow.id == REQUEST.id
    ).execute()

    with pytest.raises(RuntimeError, match="cannot be opened"):
        stored_response(REQUEST, NOON)
    assert stored_response(other, NOON) == BODY


def test_expired(store):
    """After 24 hours a response is not returned, and can be deleted."""
    day = timedelta(hours=24)
    store_response(REQUEST, b"{}", NOON)
    store_response(
        replace(REQUEST, key="later"), b"{}", NOON + timedelta(milliseconds=1)
    )

    assert stored_response(REQUEST, NOON + day) is None
    assert delete_expired_responses(NOON + day) == 1
    assert StoredResponseRow.select().count() == 1


def test_deleted_with_its_subject(store):
    """The responses about a subject are deleted with it, and no others."""
    for key, subjects in (("one", {"a", "b"}), ("two", {"b"}), ("three", set())):
        store_response(replace(REQUEST, key=key), b"{}", NOON, subjects=subjects)

    delete_responses_about("a")

    responses = {
        key: stored_response(replace(REQUEST, key=key), NOON)
        for key in ("one", "two", "three")
    }
    assert responses == {"one": None, "two": b"{}", "three": b"{}"}
    assert [row.subject for row in StoredResponseSubjectRow] == ["b"]


def test_new_response_after_a_day(store):
    """The new response replaces the expired one and its subjects."""
    store_response(REQUEST, b"{}", NOON, subjects={"a"})
    store_response(REQUEST, b"{}", NOON + timedelta(days=2), subjects={"b"})

    assert [row.subject for row in StoredResponseSubjectRow] == ["b"]


def test_repeat_while_the_storage_is_busy():
    """A repeat is rejected as in progress; a first request, as busy storage."""
    progress = RequestsInProgress()

    def fail():
        with progress.track(REQUEST):
            raise StorageBusy("busy")

    with progress.track(REQUEST), pytest.raises(IdempotencyInProgress):
        fail()
    with pytest.raises(StorageBusy):
        fail()
