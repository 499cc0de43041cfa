"""
Decide when a delivery is attempted again, and when a subscription is quarantined.

The module is pure: it reads no rows, no clock and no settings.
"""

from datetime import datetime, timedelta
from typing import NamedTuple

from models.notifications.deliveries.outcomes import Outcome

# The pause before each attempt, in seconds. After the last one it is given up.
PAUSES = (0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400)
MAX_PAUSE = timedelta(seconds=PAUSES[-1])
# Each pause is longer by up to this part, so that receivers are not called at once.
JITTER = 0.1
# A webhook or chat room is quarantined after failing for so long.
MAX_FAILING = timedelta(days=5)
# An event is delivered after this time even if its page is not live.
MAX_WAIT_FOR_PAGE = timedelta(seconds=60)


class Decision(NamedTuple):
    """What becomes of a delivery after an attempt, and of its subscription."""

    status: str
    next_attempt_at: datetime | None
    is_quarantined: bool


def decide(
    outcome: Outcome,
    attempts: int,
    now: datetime,
    *,
    failing_since: datetime | None,
    is_mail: bool,
    random: float,
) -> Decision:
    """
    Decide what follows from the outcome of the attempt with this number.

    `failing_since` is the first failure of the subscription since its last success,
    and `random` is from 0 to 1.
    """
    if outcome.is_delivered:
        return Decision("delivered", None, is_quarantined=False)
    since = failing_since or now
    # A mailbox is judged by what its server says of it, not by the relay's absence.
    is_judged = not is_mail and not outcome.is_internal
    has_failed_for_long = is_judged and now - since >= MAX_FAILING
    if outcome.is_permanent or has_failed_for_long:
        return Decision("given-up", None, is_quarantined=True)
    if attempts >= len(PAUSES):
        return Decision("given-up", None, is_quarantined=False)
    pause = timedelta(seconds=PAUSES[attempts] * (1 + JITTER * random))
    if outcome.retry_after is not None:
        requested = timedelta(seconds=max(0.0, outcome.retry_after))
        pause = max(pause, min(requested, MAX_PAUSE))
    return Decision("failed", now + pause, is_quarantined=False)


def is_due(
    generation: int | None, live_generation: int, at: datetime, now: datetime
) -> bool:
    """Return whether an event is due: its page is live, or it waited too long."""
    has_page = generation is None or generation <= live_generation
    return has_page or now - at >= MAX_WAIT_FOR_PAGE or now < at - MAX_WAIT_FOR_PAGE
