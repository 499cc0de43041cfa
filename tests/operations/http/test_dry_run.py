"""A change that is rehearsed: the ordinary answer, and nothing is kept."""

import pytest

from api.operation import DRY_RUN_SECRET
from models.audit import AuditRow
from models.changes import marks
from models.idempotency import StoredResponseRow
from models.status.services.rows import ServiceRow

ADD = "POST /status/v1/admin/services/add"
API = {"slug": "api", "name": "Public API"}


def test_rehearsal_keeps_nothing(api, woken):
    """No row, no audit, no mark, no stored answer; and nobody is woken."""
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
    """The change itself may be sent under it."""
    api(ADD, API, headers={"Dry-Run": "true", "Idempotency-Key": "a"})

    response = api(ADD, API | {"name": "API"}, headers={"Idempotency-Key": "a"})

    assert response.status_code == 200
    assert "Idempotent-Replayed" not in response.headers


def test_rehearsal_with_a_wrong_idempotency_key(api, refusal):
    """A header that is no key is refused, rehearsed or not."""
    response = api(ADD, API, headers={"Dry-Run": "true", "Idempotency-Key": ""})

    assert response.status_code == 400
    refusal(response, "idempotency-key-invalid")


def test_rehearsal_is_refused_as_the_change_is(api, refusal):
    """What could not be done is told."""
    api(ADD, API)

    response = api(ADD, API, headers={"Dry-Run": "true", "Idempotency-Key": "b"})

    assert response.status_code == 409
    refusal(response, "slug-taken")


def test_change_follows_its_rehearsal(api):
    """Dry-Run: false is no rehearsal, and what was rehearsed is still to do."""
    api(ADD, API, headers={"Dry-Run": "true"})

    response = api(ADD, API, headers={"Dry-Run": "false"})

    assert response.status_code == 200
    assert "Dry-Run" not in response.headers
    assert ServiceRow.select().count() == 1


@pytest.mark.parametrize("text", ["", "yes", "True", "1"])
def test_dry_run_out_of_shape(text, api, refusal):
    """Any other word is refused: nobody changes what they meant to rehearse."""
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
    """A secret that will never be valid is not shown, so that nobody stores it."""
    response = api(path, request_body, headers={"Dry-Run": "true"})

    assert response.json["data"]["secret"] == DRY_RUN_SECRET


def test_rehearsal_without_a_secret(api):
    """What has no secret shows none in a rehearsal either."""
    mailbox = {"channel": "email", "address": "ada@example.com"}
    path = "POST /status/v1/admin/subscriptions/add"

    response = api(path, mailbox, headers={"Dry-Run": "true"})

    assert response.json["data"]["secret"] is None
