"""Times in and out, and spans cut by windows."""

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from models.fields import format_moment, parse_moment
from models.status.maintenance.intervals import spans_inside, spans_outside

EPOCH, LAST = datetime(1970, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
moments = st.integers(0, (LAST - EPOCH) // MICROSECOND).map(
    lambda number: EPOCH + number * MICROSECOND
)
offsets = st.integers(-1439, 1439).map(lambda m: timezone(timedelta(minutes=m)))
ends = st.lists(st.integers(0, 30), min_size=2, max_size=2, unique=True).map(sorted)
windows = st.lists(ends.map(tuple), max_size=6).map(sorted)


@given(at=moments, offset=offsets)
def test_moment_is_told_as_it_was_read(at, offset):
    """A time with any offset is returned in UTC, truncated to the millisecond."""
    result = format_moment(parse_moment(at.astimezone(offset).isoformat()))

    expected = at.replace(microsecond=at.microsecond // 1000 * 1000)
    assert datetime.fromisoformat(result) == expected
    assert result.endswith("Z")
    assert format_moment(parse_moment(result)) == result


@given(text=st.text(alphabet="0123456789-:TZtz.+ ", max_size=30))
def test_moment_or_a_refusal(text):
    """Text that looks like a time is one, or is rejected with a sentence."""
    try:
        found = parse_moment(text)
    except ValueError as error:
        result = str(error)
    else:
        result = "Must be in UTC." if found.tzinfo is UTC else ""
    assert result.startswith("Must be")


def covered(spans):
    """The whole numbers that begin a unit within one of the spans."""
    return [unit for start, end in spans for unit in range(start, end)]


@given(cut=windows, span=ends.map(tuple))
def test_span_is_parted(cut, span):
    """The excluded and the remaining parts are the whole period, each part once."""
    within, left = covered(spans_inside(cut, span)), covered(spans_outside(cut, span))

    assert sorted(within + left) == covered([span])
    assert set(within) == set(covered(cut)) & set(covered([span]))
