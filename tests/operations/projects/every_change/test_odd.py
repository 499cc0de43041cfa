"""Values that no database can store are rejected before they reach it."""

import pytest

from api.operation import OPERATIONS
from tests.factories.projects import OWNER
from tests.operations.projects.every_change.conftest import filled
from tests.operations.projects.every_change.world import CASES
from tests.samples.odd import MEMBERS

BY_SCOPE = {operation.scope: operation for operation in OPERATIONS}


@pytest.mark.parametrize("case", CASES)
def test_change(case, api, ids, issue):
    """Any value of a member is answered with a problem, never with a 500."""
    operation = BY_SCOPE[f"projects:{case.partition(' ')[0]}"]
    key = issue("*", rate_capacity=10_000)
    sample = filled(CASES[case], ids | {"$self": OWNER, "$own-comment": OWNER})

    for name, field in operation.request.model_fields.items():
        for value in MEMBERS:
            body = sample | {field.alias or name: value}
            answer = api(operation.route, body, key=key)
            assert answer.status_code < 500, (name, value, answer.text)
