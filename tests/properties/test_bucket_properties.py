"""Token buckets against a bucket that counts its tokens."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from models.platform.rate_limits import SECOND, Rate, take_token

NOW = 1_772_366_400 * SECOND
rates = st.builds(Rate, capacity=st.integers(1, 50), refill=st.floats(0.1, 10_000))
# Pauses from none to long enough for any bucket to be full again.
pauses = st.lists(
    st.one_of(st.just(0), st.integers(0, SECOND), st.integers(0, 600 * SECOND)),
    max_size=60,
)


class Counted:
    """A simple model of a bucket: tokens are refilled, and one is taken."""

    def __init__(self, rate):
        self.capacity = Fraction(rate.capacity)
        self.each = round(SECOND / rate.refill)
        self.tokens = self.capacity

    def drip(self, time):
        self.tokens = min(self.capacity, self.tokens + Fraction(time, self.each))

    def take(self):
        allowed = self.tokens >= 1
        self.tokens -= 1 if allowed else 0
        return allowed


@given(rate=rates, pauses=pauses)
def test_same_as_counting(rate, pauses):
    """One number remembers as much as a count of tokens and its time."""
    bucket, full_at, now = Counted(rate), None, NOW
    for pause in pauses:
        now += pause
        bucket.drip(pause)

        outcome = take_token(full_at, now, rate)
        full_at = outcome.full_at

        assert outcome.allowed == bucket.take()
        assert outcome.remaining == int(bucket.tokens)


@given(rate=rates, pauses=pauses)
def test_waiting_helps(rate, pauses):
    """
    A client that waits for Retry-After is accepted, and knows when its bucket is full.
    """
    full_at, now = None, NOW
    for pause in pauses:
        now += pause
        outcome = take_token(full_at, now, rate)
        full_at = outcome.full_at

        assert (outcome.retry_after >= 1) == (not outcome.allowed)
        assert take_token(
            full_at, now + outcome.retry_after * SECOND, rate
        ).allowed or (outcome.allowed)
        full = take_token(full_at, now + outcome.full_in * SECOND, rate)
        assert full.remaining == rate.capacity - 1


@given(
    full_at=st.one_of(st.none(), st.integers(0, 2 * NOW)),
    now=st.integers(1, 2 * NOW),
    rate=rates,
)
def test_never_locked_out(full_at, now, rate):
    """Whatever the clock did, a bucket is full again after its own time."""
    outcome = take_token(full_at, now, rate)

    assert outcome.full_at - now <= rate.capacity * round(SECOND / rate.refill)
