"""Scopes: which are valid, which cover others, and which may be granted."""

import pytest

from models.platform.scopes import (
    ASSERT_ACTORS,
    ESCALATE,
    can_escalate,
    covers,
    is_scope,
    not_grantable,
)


@pytest.mark.parametrize(
    "text",
    [
        *("*", "a", "a:*", "a:b", "0.x_y-z:b", "a:b:*"),
        "a:b:c:d:e:f:g:h",
        "a:b:c:d:e:f:g:*",
        "a" * 128,
    ],
)
def test_scope(text):
    """A scope has lower-case segments, the last of which may be a star."""
    assert is_scope(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", ":", "a:", ":a", "a::b", "*:a", "a:*:b", "a*", "a:b*", "**", "*:*"),
        *("A", "a:B", "-a", ".a", "_a", "a b", "a\n", "é", "a:٣"),
        "a:b:c:d:e:f:g:h:i",
        "a:b:c:d:e:f:g:h:*",
        "a" * 129,
    ],
)
def test_no_scope(text):
    """Nine segments, 129 characters, or a star elsewhere are invalid."""
    assert not is_scope(text)


@pytest.mark.parametrize(
    ("granted", "required", "expected"),
    [
        ("a:b", "a:b", True),
        ("*", "a", True),
        ("*", "*", True),
        ("a:*", "a:b", True),
        ("a:*", "a:b:c", True),
        ("a:*", "a:b:*", True),
        ("a:*", "a:*", True),
        ("a:*", "a", False),
        ("a:*", "ab:c", False),
        ("a:*", "a:", False),
        ("a:*", "*", False),
        ("a:b:*", "a:*", False),
        ("a:b", "a:b:c", False),
        ("a:b:c", "a:b", False),
        ("a", "*", False),
    ],
)
def test_covers(granted, required, expected):
    """A trailing star covers one or more segments."""
    assert covers(granted, required) == expected


@pytest.mark.parametrize("granted", ["*", "platform:*", "platform:actors:*"])
def test_no_star_acts_for_others(granted):
    """Only the literal scope covers the right to act for others."""
    assert not covers(granted, ASSERT_ACTORS)
    assert covers(ASSERT_ACTORS, ASSERT_ACTORS)


@pytest.mark.parametrize(
    ("granted", "expected"),
    [
        *((ESCALATE, True), ("*", True)),
        *(("platform:keys:*", False), ("platform:*", False)),
    ],
)
def test_escalation(granted, expected):
    """Only a holder of the literal scope or of `*` grants beyond its own scopes."""
    assert can_escalate([granted]) == expected
    assert not_grantable([ESCALATE], [granted], {ESCALATE}) == (
        [] if expected else [ESCALATE]
    )


@pytest.mark.parametrize(
    ("own_scopes", "refused"),
    [
        ([], ["x", "y:*", ASSERT_ACTORS]),
        (["x"], ["y:*", ASSERT_ACTORS]),
        (["y:*"], ["x", ASSERT_ACTORS]),
        (["*"], [ASSERT_ACTORS]),
        ([ESCALATE], [ASSERT_ACTORS]),
        (["platform:keys:*"], ["x", "y:*", ASSERT_ACTORS]),
        ([ASSERT_ACTORS], ["x", "y:*"]),
    ],
)
def test_not_grantable(own_scopes, refused):
    """
    Scopes that are neither covered nor public are rejected, in the requested order.
    """
    requested = ["x", "public:read", "y:*", ASSERT_ACTORS]

    assert not_grantable(requested, own_scopes, {"public:read"}) == refused


def test_right_to_act_for_others_is_never_public():
    """
    The right to act for others is never public, even if it is configured as public.
    """
    assert not_grantable([ASSERT_ACTORS], ["*"], {ASSERT_ACTORS}) == [ASSERT_ACTORS]
