"""Which scopes a granted scope covers. Pure: the rule of decisions 3.1."""

import re
from collections.abc import Collection, Iterable

ASSERT_ACTORS = "platform:actors:assert"
ESCALATE = "platform:keys:escalate"

MOST_CHARACTERS, MOST_SEGMENTS = 128, 8
_SEGMENT = r"[a-z0-9][a-z0-9._-]*"
_SCOPE = re.compile(rf"\*|{_SEGMENT}(:{_SEGMENT})*(:\*)?", re.ASCII)


def is_scope(text: str) -> bool:
    """Tell whether the text is `*`, or segments of which the last may be `*`."""
    return (
        len(text) <= MOST_CHARACTERS
        and text.count(":") < MOST_SEGMENTS
        and _SCOPE.fullmatch(text) is not None
    )


def covers(granted: str, required: str) -> bool:
    """
    Tell whether one scope includes another.

    A trailing star stands for one or more segments, so `status:*` includes
    `status:admin:*` and does not include `status`. No star confers the right to
    act for others: that scope is held literally or not at all.
    """
    if granted == required:
        return True
    if required == ASSERT_ACTORS:
        return False
    if granted == "*":
        return True
    stem = granted[:-1]
    return (
        granted.endswith(":*")
        and required.startswith(stem)
        and len(required) > len(stem)
    )


def any_covers(granted: Iterable[str], required: str) -> bool:
    return any(covers(each, required) for each in granted)


def not_grantable(
    wanted: Iterable[str], held: Collection[str], public: Collection[str]
) -> list[str]:
    """Return the wanted scopes that a holder of `held` may not grant."""
    escalates = any_covers(held, ESCALATE)

    def may(scope: str) -> bool:
        if scope == ASSERT_ACTORS:
            return scope in held
        return escalates or scope in public or any_covers(held, scope)

    return [each for each in wanted if not may(each)]
