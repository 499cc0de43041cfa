"""The header that warns about scopes that match no operation."""

import pytest

from api.operation import OPERATIONS
from tests.operations.platform.test_developer_keys import CREATE
from tests.operations.platform.test_keys import ADD, NEW_KEY
from tests.operations.platform.test_update_key import UPDATE

WRONG = "status:service:list"
WARNING = f"Scopes that open no operation: {WRONG} (nearest: status:services:list)."


@pytest.fixture
def manager(issue):
    return issue("*")


@pytest.mark.parametrize("headers", [{}, {"Dry-Run": "true"}])
def test_add(headers, api, manager):
    """The key is issued; the response warns, and so does its repeat."""
    body = NEW_KEY | {"scopes": [WRONG, *NEW_KEY["scopes"]]}

    first, again = (api(ADD, body, key=manager, headers=headers) for _ in "ab")

    for response in (first, again):
        assert response.status_code == 200
        assert response.headers["Masthead-Warning"] == WARNING


def test_update(api, manager):
    """An update warns about the scopes that it sends, and about no others."""
    id = api(ADD, NEW_KEY, key=manager).json["data"]["id"]

    scopes = api(UPDATE, {"id": id, "scopes": [WRONG]}, key=manager)
    name = api(UPDATE, {"id": id, "name": "new"}, key=manager)

    assert scopes.headers["Masthead-Warning"] == WARNING
    assert "Masthead-Warning" not in name.headers


def test_without_reason(api, manager):
    """
    Scopes that match an operation, or belong to another product, are not reported.
    """
    body = NEW_KEY | {"scopes": [*NEW_KEY["scopes"], "status:*", "orders:read"]}

    response = api(ADD, body, key=manager)

    assert "Masthead-Warning" not in response.headers


def test_operations_that_warn():
    """Every operation that accepts scopes warns about them."""
    warning = {f"{each.method} {each.path}" for each in OPERATIONS if each.warning}
    taking = {
        f"{each.method} {each.path}"
        for each in OPERATIONS
        if each.request and "scopes" in each.request.model_fields
    }

    assert warning == taking == {ADD, UPDATE, CREATE}
