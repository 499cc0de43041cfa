"""When a delivery is attempted again, and when a subscription is quarantined."""

from datetime import UTC, datetime, timedelta

import pytest

from models.notifications.deliveries.outcomes import Outcome
from models.notifications.deliveries.schedule import PAUSES, decide, is_due

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FAILED = Outcome(is_delivered=False, status_code=500)
DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


def decided(outcome=FAILED, attempts=1, *, since=None, is_mail=False, random=0.0):
    return decide(
        outcome, attempts, NOW, failing_since=since, is_mail=is_mail, random=random
    )


def test_pauses_between_attempts():
    """Ten attempts over three days, each pause as the manual lists it."""
    pauses = [
        (decided(attempts=count).next_attempt_at - NOW).total_seconds()
        for count in range(1, 10)
    ]

    assert pauses == [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]
    assert decided(attempts=10) == ("given-up", None, False)


def test_jitter_only_lengthens_a_pause():
    """Jitter only lengthens pauses, so that receivers that fail together are spread."""
    assert decided(random=1.0).next_attempt_at == NOW + 5.5 * SECOND


@pytest.mark.parametrize(
    ("body", "pause"), [(3, 5), (120, 120), (10**9, PAUSES[-1]), (-5, 5)]
)
def test_retry_after(body, pause):
    """Retry-After can lengthen a pause, up to a day, and cannot shorten it."""
    outcome = Outcome(is_delivered=False, status_code=429, retry_after=body)

    assert decided(outcome).next_attempt_at == NOW + pause * SECOND


def test_delivered():
    """A success ends the delivery, even after days of failures."""
    outcome = Outcome(is_delivered=True, status_code=204)

    assert decided(outcome, 9, since=NOW - 9 * DAY) == ("delivered", None, False)


def test_permanent_failure():
    """
    A receiver that is gone is not called again, and its subscription is quarantined.
    """
    permanent = Outcome(is_delivered=False, status_code=410, is_permanent=True)

    assert decided(permanent) == ("given-up", None, True)


def test_failing_for_five_days():
    """Five days of only failures quarantine a webhook, but no mailbox."""
    almost = NOW - 5 * DAY + SECOND

    assert not decided(since=almost).is_quarantined
    assert decided(since=NOW - 5 * DAY) == ("given-up", None, True)
    assert not decided(since=NOW - 50 * DAY, is_mail=True).is_quarantined
    # Failures caused by our own bugs do not count against the receiver.
    bug = Outcome(is_delivered=False, is_internal=True)
    assert not decided(bug, since=NOW - 50 * DAY).is_quarantined


@pytest.mark.parametrize(
    ("generation", "live", "age", "due"),
    [
        (7, 6, 0, False),
        (7, 7, 0, True),
        (7, 8, 0, True),
        (7, 6, 59, False),
        (7, 6, 60, True),
        (None, 0, 0, True),
        # The clock was set back by an hour.
        (7, 6, -3600, True),
    ],
)
def test_event_is_due_with_its_page(generation, live, age, due):
    """An event waits for its page, but at most a minute."""
    assert is_due(generation, live, NOW - age * SECOND, NOW) == due
