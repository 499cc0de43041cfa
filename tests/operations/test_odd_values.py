"""Values that a database cannot keep are refused before they come to it."""

import pytest

from api.operation import OPERATIONS

GETS = [each for each in OPERATIONS if each.method == "GET" and each.takes]
# As a query has them: no text of UTF-8, NUL, and numbers of more than 64 bits.
ODD = [
    "%00",
    "a%00b",
    "%ED%A0%80",
    "%FF",
    "-1",
    f"{2**63}",
    f"{-(2**63) - 1}",
    "9" * 40,
]


def names(operation):
    fields = operation.takes.model_fields
    return [field.alias or name for name, field in fields.items()]


@pytest.mark.parametrize("operation", GETS, ids=lambda each: each.route)
def test_query(operation, send, issue):
    """Whatever stands in a query, the answer is one of ours and no mistake."""
    key = issue("*", rate_capacity=10_000)

    for name in names(operation):
        for value in ODD:
            answer = send(operation, key, path=f"{operation.path}?{name}={value}")
            assert answer.status_code < 500, (name, value, answer.text)
