"""What a role in a project allows."""

from typing import Literal

Role = Literal["owner", "maintainer", "contributor", "reader"]

# Each role includes those after it.
ROLES: tuple[Role, ...] = ("owner", "maintainer", "contributor", "reader")


def effective_role(
    membership: Role | None, *, builtin: bool, for_account: bool
) -> Role | None:
    """
    Return the role in which a caller acts.

    In a built-in project every account is at least a contributor. A key that
    acts for no account passes every test of roles: an operator gave it its
    scopes on purpose, and it is the rescue for a project without an owner.
    """
    if not for_account:
        return "owner"
    if builtin and not includes(membership, "contributor"):
        return "contributor"
    return membership


def includes(role: Role | None, needed: Role) -> bool:
    """Tell whether the role allows what needs the other."""
    return role is not None and ROLES.index(role) <= ROLES.index(needed)
