"""Values that a database cannot keep are refused before they come to it."""

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
    """Whatever stands in a query, the answer is one of ours and no mistake."""
    key = issue("*", rate_capacity=10_000)

    for name in names(operation):
        for value in QUERIES:
            answer = send(operation, key, path=f"{operation.path}?{name}={value}")
            assert answer.status_code < 500, (name, value, answer.text)
