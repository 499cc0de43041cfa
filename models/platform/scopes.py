"""
Decide which scopes a granted scope covers, and which may be granted.

Scopes that open no operation, although they look as if they did, are found too.
"""

import re
from collections.abc import Collection, Iterable
from difflib import get_close_matches

ASSERT_ACTORS = "platform:actors:assert"
ESCALATE = "platform:keys:escalate"
# Scopes that operations check besides their own.
SPECIAL_SCOPES = (ASSERT_ACTORS, ESCALATE)
# A warning is one line of a header, and searching for similar scopes takes time.
MAX_NAMED = 5

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


def unknown_scopes(scopes: Iterable[str], operations: Collection[str]) -> list[str]:
    """
    Return the scopes of Masthead's own areas that open no operation.

    `operations` has the scope of each operation; their first segments are the areas.
    Scopes of other products are never unknown.
    """
    areas = {operation.partition(":")[0] for operation in operations}
    known = [*operations, *SPECIAL_SCOPES]
    return [
        scope
        for scope in scopes
        if scope.partition(":")[0] in areas
        and not any(covers(scope, operation) for operation in known)
    ]


def nearest_scope(scope: str, operations: Collection[str]) -> str:
    """
    Return the most similar scope that opens an operation.

    It has a wildcard only if the scope has one, or is the name of an area: nobody is
    led to grant more.
    """
    candidates = {*operations, *SPECIAL_SCOPES}
    if scope.endswith(":*") or ":" not in scope:
        candidates = {
            ":".join([*segments[:count], "*"])
            for segments in (name.split(":") for name in operations)
            for count in range(1, len(segments))
        }
    (nearest,) = get_close_matches(scope, sorted(candidates), n=1, cutoff=0)
    return nearest


def scope_warning(scopes: Iterable[str], operations: Collection[str]) -> str | None:
    """Return a sentence about the scopes that open no operation, None without any."""
    unknown = unknown_scopes(scopes, operations)
    if not unknown:
        return None
    named = [
        f"{scope} (nearest: {nearest_scope(scope, operations)})"
        for scope in unknown[:MAX_NAMED]
    ]
    more = len(unknown) - len(named)
    rest = f", and {more} more" if more else ""
    return f"Scopes that open no operation: {', '.join(named)}{rest}."
