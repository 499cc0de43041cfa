"""Only issued cursors are accepted."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from models.errors import InvalidCursor
from models.pagination import _decode, _encode

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
values = st.lists(st.one_of(st.integers(0, 2**53), st.text()), min_size=1, max_size=4)

# The fixture need not be reset: the database has nothing but the secret.
reuse_fixture = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@reuse_fixture
@given(last=values)
def test_read_as_written(last, store):
    """A cursor returns the values of the last row."""
    assert _decode(_encode("place", last), "place") == last


@reuse_fixture
@given(last=values, data=st.data())
def test_one_character_changed(last, data, store):
    """A cursor with one changed character is rejected."""
    cursor = _encode("place", last)
    at = data.draw(st.integers(0, len(cursor) - 1))
    other = data.draw(st.sampled_from(ALPHABET + "+/= \n"))
    assume(cursor[at] != other)

    with pytest.raises(InvalidCursor):
        _decode(cursor[:at] + other + cursor[at + 1 :], "place")


@reuse_fixture
@given(last=values, data=st.data())
def test_cut_or_lengthened(last, data, store):
    """A truncated or extended cursor is rejected."""
    cursor = _encode("place", last)
    end = data.draw(st.integers(0, len(cursor) - 1))
    more = data.draw(st.text(ALPHABET + "=", min_size=1, max_size=8))

    for text in (cursor[:end], cursor + more, more + cursor):
        with pytest.raises(InvalidCursor):
            _decode(text, "place")


@reuse_fixture
@given(text=st.text())
def test_any_text(text, store):
    """Any other text is rejected as a cursor and causes no error."""
    with pytest.raises(InvalidCursor):
        _decode(text, "place")
