"""Incidents through HTTP."""

import pytest

from models.changes import behind
from models.status.incidents import EntryRow, IncidentRow

ADD = "POST /status/v1/admin/incidents/add"


@pytest.fixture
def asked(ask):
    ask("POST /status/v1/admin/services/add", {"slug": "api", "name": "Public API"})
    return {
        "title": "Errors on the API",
        "severity": "partial-outage",
        "services": ["api"],
        "body": "We are looking into it.",
    }


def test_add(ask, asked, audited, woken):
    """
    An incident opens with one entry in its timeline, is audited, and leaves the
    status page to be rebuilt.
    """
    response = ask(ADD, asked)

    assert response.status_code == 200
    incident = response.json["data"]
    assert incident["status"] == "investigating"
    assert incident["startedAt"] == "2026-03-01T12:00:00.000Z"
    assert incident["services"] == [{"slug": "api", "name": "Public API"}]
    assert [entry.body for entry in EntryRow] == ["We are looking into it."]
    assert audited() == ["service.added", "incident.opened"]
    assert behind() == {"status"}
    assert woken == ["status", "status"]


def test_add_for_unknown_service(ask, asked, audited):
    """A slug that names no service is refused by name, and nothing is kept."""
    response = ask(ADD, asked | {"services": ["api", "ghost"]})

    assert response.status_code == 422
    assert response.json["detail"] == "No service has the slug 'ghost'."
    assert IncidentRow.select().count() == 0
    assert audited() == ["service.added"]


def test_add_twice(ask, asked, audited):
    """The same Idempotency-Key gets the same answer and opens nothing new."""
    first, second = ask(ADD, asked), ask(ADD, asked)

    assert second.data == first.data
    assert second.headers["Idempotent-Replayed"] == "true"
    assert audited() == ["service.added", "incident.opened"]
