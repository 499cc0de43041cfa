"""Scopes as sets: a scope is the set of the scopes that it covers."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from models.platform.scopes import ASSERT_ACTORS, covers, is_scope, not_grantable

WORDS = ("a", "b", "ab")
# All plain scopes of a small world, three segments deep.
PLAIN = frozenset(
    ":".join(parts) for n in (1, 2, 3) for parts in product(WORDS, repeat=n)
)
STARRED = frozenset({"*", *(f"{plain}:*" for plain in PLAIN if plain.count(":") < 2)})
scopes = st.sampled_from(sorted(PLAIN | STARRED))


def opened(scope):
    """Return what a scope covers, without using covers()."""
    if scope == "*":
        return PLAIN
    stem = scope.split(":")
    if stem[-1] != "*":
        return frozenset({scope})
    stem = stem[:-1]
    return frozenset(
        plain
        for plain in PLAIN
        if plain.split(":")[: len(stem)] == stem and plain.count(":") >= len(stem)
    )


@given(granted=scopes, required=scopes)
def test_covering_is_containing(granted, required):
    """One scope covers another if it covers all that the other covers."""
    assert covers(granted, required) == (opened(granted) >= opened(required))


@given(a=scopes, b=scopes, c=scopes)
def test_covering_passes_on(a, b, c):
    """Covering is transitive."""
    assert not (covers(a, b) and covers(b, c)) or covers(a, c)


@given(wanted=st.lists(scopes), held=st.lists(scopes, min_size=1))
def test_granting_widens_nothing(wanted, held):
    """A granted scope covers nothing that the key does not cover."""
    refused = not_grantable(wanted, held, ())

    beyond = {each for each in wanted if each not in refused}
    everything = frozenset().union(*map(opened, held))
    assert frozenset().union(*map(opened, beyond)) <= everything


@given(st.text(max_size=140))
def test_any_text(text):
    """A text is a valid scope or not; no other text covers acting for others."""
    if is_scope(text):
        assert text == text.strip().lower()
        assert covers(text, ASSERT_ACTORS) == (text == ASSERT_ACTORS)
