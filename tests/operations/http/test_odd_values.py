"""Values that a database cannot store are rejected before they reach it."""

import pytest

from api.operation import OPERATIONS
from tests.samples.odd import QUERIES

pytestmark = pytest.mark.both_engines

GETS = [each for each in OPERATIONS if each.method == "GET" and each.request]


def names(operation):
    fields = operation.request.model_fields
    return [field.alias or name for name, field in fields.items()]


@pytest.mark.parametrize("operation", GETS, ids=lambda each: each.route)
def test_query(operation, send, issue):
    """Any value in a query is answered with a problem, never with a 500."""
    key = issue("*", rate_capacity=10_000)

    for name in names(operation):
        for value in QUERIES:
            answer = send(operation, key, path=f"{operation.path}?{name}={value}")
            assert answer.status_code < 500, (name, value, answer.text)


def test_time_without_offset(api):
    """Only the message for a query explains how to encode a plus sign."""
    measurement = {"slug": "api", "status": "down", "observedAt": "2026-03-01"}
    batch = {"source": "a", "measurements": [measurement]}

    in_body = api("POST /status/v1/admin/measurements/record", batch)
    in_query = api("GET /status/v1/incidents/list", {"from": "2026-03-01"})

    assert in_body.json["detail"].endswith("such as 2026-03-01T12:00:00Z.")
    assert in_query.json["detail"].endswith("write a plus sign as %2B.")


@pytest.mark.parametrize(
    ("measurements", "ending"), [([], "at least 1 item."), ([{}] * 201, "200 items.")]
)
def test_number_of_items(api, measurements, ending):
    """The message uses the singular for one item, and the plural for many."""
    batch = {"source": "a", "measurements": measurements}

    response = api("POST /status/v1/admin/measurements/record", batch)

    assert response.json["detail"].endswith(ending)


def test_errors_of_a_list(api):
    """Of the items of a list, the first twenty errors are listed."""
    right = {"slug": "a", "status": "down", "observedAt": "2026-03-01T12:00:00Z"}
    batch = {"source": "a", "measurements": [right, *[right | {"slug": 1}] * 199]}

    response = api("POST /status/v1/admin/measurements/record", batch)

    pointers = [error["pointer"] for error in response.json["errors"]]
    assert pointers == [f"/measurements/{number}/slug" for number in range(1, 21)]


def test_text_with_many_marks(docs_project, api):
    """JSON punctuation inside a string does not count as values."""
    text = '[{,,"\\' * 80_000
    document = {"projectId": docs_project.project.id, "title": "A", "slug": "a"}

    response = api(
        "POST /projects/v1/documents/create",
        document | {"type": "note", "content": text},
    )

    assert response.json["data"]["content"] == text
