"""Which cases of a test run in `make test`, and which only in `make nightly`."""

import pytest


def one_of_each_kind(operations):
    """
    Parametrize by operation: one of each kind of declaration, the others at night.

    Dispatch depends only on the declaration, so operations that are declared alike run
    through the same code.
    """
    kinds = set()
    parameters = []
    for operation in operations:
        kind = _kind(operation)
        marks = [pytest.mark.nightly] if kind in kinds else []
        kinds.add(kind)
        parameters.append(pytest.param(operation, id=operation.route, marks=marks))
    return pytest.mark.parametrize("operation", parameters)


def _kind(operation):
    return (
        operation.area,
        operation.method,
        operation.is_mutation,
        operation.idempotent,
        operation.pagination,
        operation.etag,
        operation.request is None,
        operation.secret_field is None,
        operation.max_body_bytes,
    )


def every_nth(cases, step):
    """Return the cases, with all but every nth marked nightly."""
    return [
        case if number % step == 0 else pytest.param(case, marks=pytest.mark.nightly)
        for number, case in enumerate(cases)
    ]
