"""The permissions of a role in a project."""

import pytest

from models.projects.roles import (
    ROLES,
    effective_role,
    role_allows_operation,
    role_includes,
)


@pytest.mark.parametrize("role", [*ROLES, None])
def test_key_that_acts_for_no_account(role):
    """A key without an account has every role, in every project."""
    for builtin in (True, False):
        assert effective_role(role, builtin=builtin, for_account=False) == "owner"


@pytest.mark.parametrize(
    ("membership", "effective"),
    [
        (None, "contributor"),
        ("reader", "contributor"),
        ("contributor", "contributor"),
        ("maintainer", "maintainer"),
        ("owner", "owner"),
    ],
)
def test_account_in_a_builtin_project(membership, effective):
    """
    Every account is at least a contributor; a stronger membership takes precedence.
    """
    role = effective_role(membership, builtin=True, for_account=True)

    assert role == effective


@pytest.mark.parametrize("role", [*ROLES, None])
def test_account_in_an_ordinary_project(role):
    """In an ordinary project the role is that of the membership."""
    assert effective_role(role, builtin=False, for_account=True) == role


def test_order_of_roles():
    """
    Each role includes itself and those below it; without a role there is no permission.
    """
    allowed = {
        role: [required for required in ROLES if role_includes(role, required)]
        for role in ROLES
    }

    assert allowed == {
        "owner": ["owner", "maintainer", "contributor", "reader"],
        "maintainer": ["maintainer", "contributor", "reader"],
        "contributor": ["contributor", "reader"],
        "reader": ["reader"],
    }
    assert not role_includes(None, "reader")


@pytest.mark.parametrize(
    ("operation", "weakest"),
    [
        ("projects:create", None),
        ("projects:update", "maintainer"),
        ("projects:transfer", "owner"),
        ("members:add", None),
        ("members:update", "maintainer"),
        ("specifications:update", "contributor"),
        ("specifications:supersede", "maintainer"),
        ("comments:remove", None),
        ("work-items:list", None),
    ],
)
def test_open_operations(operation, weakest):
    """An operation is allowed if one of its cases is; reads are allowed for all."""
    open_to = [
        role for role in [*ROLES, None] if role_allows_operation(role, operation)
    ]

    assert open_to == [role for role in [*ROLES, None] if role_includes(role, weakest)]
