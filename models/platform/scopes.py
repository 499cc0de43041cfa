"""Decide which scopes a granted scope covers, and which may be granted."""

import re
from collections.abc import Collection, Iterable

ASSERT_ACTORS = "platform:actors:assert"
ESCALATE = "platform:keys:escalate"

MAX_CHARACTERS, MAX_SEGMENTS = 128, 8
_SEGMENT = r"[a-z0-9][a-z0-9._-]*"
_SCOPE = re.compile(rf"\*|{_SEGMENT}(:{_SEGMENT})*(:\*)?", re.ASCII)


def is_scope(text: str) -> bool:
    """Return whether the text is `*`, or segments of which the last may be `*`."""
    return (
        len(text) <= MAX_CHARACTERS
        and text.count(":") < MAX_SEGMENTS
        and _SCOPE.fullmatch(text) is not None
    )


def covers(granted: str, required: str) -> bool:
    """
    Return whether the granted scope includes the required one.

    A trailing star stands for one or more segments: `status:*` includes
    `status:admin:*`, but not `status`. No star includes the scope to act for others,
    and only `*` includes the scope to grant any scope, so that `platform:keys:*` is
    not a key to everything.
    """
    if granted == required:
        return True
    if required == ASSERT_ACTORS:
        return False
    if granted == "*":
        return True
    if required == ESCALATE:
        return False
    stem = granted[:-1]
    return (
        granted.endswith(":*")
        and required.startswith(stem)
        and len(required) > len(stem)
    )


def any_covers(granted: Iterable[str], required: str) -> bool:
    return any(covers(scope, required) for scope in granted)


def not_grantable(
    requested: Iterable[str], granted: Collection[str], public: Collection[str]
) -> list[str]:
    """Return the requested scopes that a key with the granted ones may not grant."""
    is_unrestricted = can_escalate(granted)

    def may_grant(scope: str) -> bool:
        if scope == ASSERT_ACTORS:
            return scope in granted
        return (
            is_unrestricted
            or (scope in public and is_publishable(scope))
            or any_covers(granted, scope)
        )

    return [scope for scope in requested if not may_grant(scope)]


def can_escalate(granted: Iterable[str]) -> bool:
    """Return whether a key with these scopes may grant more than it has."""
    return any_covers(granted, ESCALATE)


def is_publishable(scope: str) -> bool:
    """Return whether the scope may be public, if the settings list it as such."""
    return scope not in (ASSERT_ACTORS, ESCALATE)
