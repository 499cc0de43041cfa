"""Decide which role in a project allows which change."""

from collections.abc import Collection
from typing import Literal

Role = Literal["owner", "maintainer", "contributor", "reader"]

# Each role includes those after it.
ROLES: tuple[Role, ...] = ("owner", "maintainer", "contributor", "reader")

# The role that each change requires in its project. A key is an operation, or an
# operation, a space and the case of it that requires another role. None means that
# no role is required. That only authors may update a comment is checked in its rule.
REQUIRED_ROLES: dict[str, Role | None] = {
    "projects:create": None,
    "projects:update": "maintainer",
    "projects:export": "maintainer",
    "projects:transfer": "owner",
    "projects:remove": "owner",
    "projects:restore": "owner",
    "members:add": "maintainer",
    "members:add of an owner": "owner",
    "members:add of oneself as reader": None,
    "members:update": "maintainer",
    "members:update of an owner": "owner",
    "members:remove": "maintainer",
    "members:remove of an owner": "owner",
    "members:remove of oneself": None,
    "labels:create": "maintainer",
    "labels:update": "maintainer",
    "labels:remove": "maintainer",
    "milestones:create": "maintainer",
    "milestones:update": "maintainer",
    "milestones:remove": "maintainer",
    "milestones:restore": "maintainer",
    "work-items:create": "contributor",
    "work-items:update": "contributor",
    "work-items:remove": "contributor",
    "work-items:restore": "contributor",
    "work-items:bulk-update": "contributor",
    "work-items:bulk-create": "contributor",
    "relationships:add": "contributor",
    "relationships:remove": "contributor",
    "specifications:create": "contributor",
    "specifications:create as approved or implemented": "maintainer",
    "specifications:update": "contributor",
    "specifications:update to approved or implemented": "maintainer",
    "specifications:supersede": "maintainer",
    "specifications:remove": "contributor",
    "specifications:remove beyond review": "maintainer",
    "specifications:restore": "contributor",
    "specifications:restore beyond review": "maintainer",
    "specification-revisions:restore": "contributor",
    "specification-revisions:restore of approved or implemented": "maintainer",
    "documents:create": "contributor",
    "documents:update": "contributor",
    "documents:update of the placement while published": "maintainer",
    "documents:move": "contributor",
    "documents:move while published": "maintainer",
    "documents:redirect": "maintainer",
    "documents:publish": "maintainer",
    "documents:unpublish": "maintainer",
    "documents:remove": "contributor",
    "documents:restore": "contributor",
    "document-revisions:restore": "contributor",
    "document-imports:start": "maintainer",
    "document-imports:add-texts": "maintainer",
    "document-imports:add-file": "maintainer",
    "document-imports:apply": "maintainer",
    "files:add": "contributor",
    "files:remove": "contributor",
    "comments:add": "contributor",
    "comments:update": "contributor",
    "comments:remove": "maintainer",
    "comments:remove of one's own": None,
    "references:add": "contributor",
    "references:add on a project, milestone or member": "maintainer",
    "references:update": "contributor",
    "references:update on a project, milestone or member": "maintainer",
    "references:remove": "contributor",
    "references:remove on a project, milestone or member": "maintainer",
}

# The changes that an archived project still permits: everything else in it is
# read-only.
OPEN_WHEN_ARCHIVED = frozenset(
    {
        "projects:create",
        "projects:export",
        "projects:remove",
        "projects:restore",
        "members:remove of oneself",
    }
)


def effective_role(
    membership: Role | None, *, builtin: bool, for_account: bool
) -> Role | None:
    """
    Return the role in which a caller acts.

    In a built-in project every account is at least a contributor. A key that acts
    for no account is treated as an owner: an operator chose its scopes, and it can
    rescue a project that has no owner left.
    """
    if not for_account:
        return "owner"
    if builtin and not role_includes(membership, "contributor"):
        return "contributor"
    return membership


def role_includes(role: Role | None, required: Role | None) -> bool:
    """Return whether the role is at least the required one."""
    if required is None:
        return True
    return role is not None and ROLES.index(role) <= ROLES.index(required)


def role_allows(role: Role | None, case: str) -> bool:
    """Return whether the role allows a change that REQUIRED_ROLES names."""
    return role_includes(role, REQUIRED_ROLES[case])


def open_cases(*, is_archived: bool, for_account: bool) -> list[str]:
    """
    Return the cases that the state of a project leaves open, whatever the role.

    A caller that acts for no account has no membership of its own.
    """
    return [
        case
        for case in REQUIRED_ROLES
        if (not is_archived or case in OPEN_WHEN_ARCHIVED)
        and (for_account or " of oneself" not in case)
    ]


def role_allows_operation(
    role: Role | None, operation: str, cases: Collection[str] = REQUIRED_ROLES.keys()
) -> bool:
    """Return whether the role allows one of the cases; reads need no role."""
    if not any(_operation_of(case) == operation for case in REQUIRED_ROLES):
        return True
    return any(
        role_allows(role, case) for case in cases if _operation_of(case) == operation
    )


def _operation_of(case: str) -> str:
    return case.partition(" ")[0]
