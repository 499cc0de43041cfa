"""Find scopes that open no operation, although they look as if they did."""

from collections.abc import Collection, Iterable
from difflib import get_close_matches

from models.platform.scopes import ASSERT_ACTORS, ESCALATE, covers

# Scopes that operations check besides their own.
SPECIAL_SCOPES = (ASSERT_ACTORS, ESCALATE)
# A warning is one line of a header, and searching for similar scopes takes time.
MAX_NAMED = 5


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
        candidates = {f"{stem}:*" for name in operations for stem in _stems(name)}
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


def _stems(scope: str) -> list[str]:
    segments = scope.split(":")
    return [":".join(segments[:count]) for count in range(1, len(segments))]
