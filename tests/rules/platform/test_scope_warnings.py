"""Scopes that match no operation, and the nearest existing scopes."""

import pytest

from api.operation import operation_scopes
from models.platform.scopes import nearest_scope, scope_warning, unknown_scopes


@pytest.mark.parametrize(
    ("scope", "nearest"),
    [
        ("status:incident:list", "status:incidents:list"),
        ("status:admin:incident:*", "status:admin:incidents:*"),
        ("status:services:list:*", "status:services:*"),
        ("status", "status:*"),
        ("platform:keys:escalation", "platform:keys:escalate"),
        ("platform:actor:assert", "platform:actors:assert"),
        ("projects:document:get", "projects:documents:get"),
    ],
)
def test_unknown(scope, nearest):
    """A scope that matches no operation is reported, with or without a star."""
    operations = operation_scopes()

    assert unknown_scopes([scope], operations) == [scope]
    assert nearest_scope(scope, operations) == nearest


@pytest.mark.parametrize(
    "scope",
    [
        *("*", "status:*", "platform:keys:*", "status:services:list"),
        *("platform:keys:escalate", "platform:actors:assert"),
        *("orders:read", "statuses:list", "platforms:*"),
    ],
)
def test_known(scope):
    """
    A scope that matches an operation, or belongs to another product, is not reported.
    """
    assert unknown_scopes([scope], operation_scopes()) == []


def test_many():
    """The sentence names some scopes, and counts the rest."""
    scopes = ["status:services:list", *(f"status:x{number}" for number in range(7))]

    warning = scope_warning(scopes, operation_scopes())

    assert warning.startswith("Scopes that open no operation: status:x0 (nearest: ")
    assert warning.count("(nearest: ") == 5
    assert warning.endswith("), and 2 more.")
