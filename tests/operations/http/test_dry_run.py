"""Dry runs: the ordinary response, and nothing is stored."""

import pytest

from api.operation import DRY_RUN_SECRET
from models.audit import AuditRow
from models.changes import marks
from models.idempotency import StoredResponseRow
from models.status.services.rows import ServiceRow

ADD = "POST /status/v1/admin/services/add"
API = {"slug": "api", "name": "Public API"}


def test_rehearsal_keeps_nothing(api, woken):
    """A dry run stores no row, audit record, mark or response, and wakes no builder."""
    before = marks()

    response = api(ADD, API, headers={"Dry-Run": "true", "Idempotency-Key": "a"})

    assert response.status_code == 200
    assert response.headers["Dry-Run"] == "true"
    assert response.json["data"]["slug"] == "api"
    assert ServiceRow.select().count() == 0
    assert AuditRow.select().count() == 0
    assert StoredResponseRow.select().count() == 0
    assert (marks(), woken) == (before, [])


def test_rehearsal_leaves_its_idempotency_key_unused(api):
    """The Idempotency-Key of a dry run can still be used for the change."""
    api(ADD, API, headers={"Dry-Run": "true", "Idempotency-Key": "a"})

    response = api(ADD, API | {"name": "API"}, headers={"Idempotency-Key": "a"})

    assert response.status_code == 200
    assert "Idempotent-Replayed" not in response.headers


def test_rehearsal_with_a_wrong_idempotency_key(api, refusal):
    """A malformed Idempotency-Key is rejected, in a dry run as well."""
    response = api(ADD, API, headers={"Dry-Run": "true", "Idempotency-Key": ""})

    assert response.status_code == 400
    refusal(response, "idempotency-key-invalid")


def test_rehearsal_is_refused_as_the_change_is(api, refusal):
    """A dry run reports the problem that the change would have."""
    api(ADD, API)

    response = api(ADD, API, headers={"Dry-Run": "true", "Idempotency-Key": "b"})

    assert response.status_code == 409
    refusal(response, "slug-taken")


def test_change_follows_its_rehearsal(api):
    """`Dry-Run: false` is no dry run, and a change can follow its dry run."""
    api(ADD, API, headers={"Dry-Run": "true"})

    response = api(ADD, API, headers={"Dry-Run": "false"})

    assert response.status_code == 200
    assert "Dry-Run" not in response.headers
    assert ServiceRow.select().count() == 1


@pytest.mark.parametrize("text", ["", "yes", "True", "1"])
def test_dry_run_out_of_shape(text, api, refusal):
    """Any other value is rejected, so that no change is made by mistake."""
    response = api(ADD, API, headers={"Dry-Run": text})

    assert response.status_code == 422
    refusal(response, "validation-failed")
    assert ServiceRow.select().count() == 0


@pytest.mark.parametrize(
    ("path", "request_body"),
    [
        (
            "POST /platform/v1/keys/add",
            {"name": "k", "scopes": ["status:services:list"]},
        ),
        (
            "POST /status/v1/admin/subscriptions/add",
            {"channel": "webhook", "address": "https://tool.example.com/"},
        ),
    ],
)
def test_secret_of_a_rehearsal(api, path, request_body):
    """
    A dry run shows no secret, so that no client stores one that will never be valid.
    """
    response = api(path, request_body, headers={"Dry-Run": "true"})

    assert response.json["data"]["secret"] == DRY_RUN_SECRET


def test_rehearsal_without_a_secret(api):
    """An operation without a secret shows none in a dry run either."""
    mailbox = {"channel": "email", "address": "ada@example.com"}
    path = "POST /status/v1/admin/subscriptions/add"

    response = api(path, mailbox, headers={"Dry-Run": "true"})

    assert response.json["data"]["secret"] is None
