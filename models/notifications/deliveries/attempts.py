"""
Claim the deliveries that are due, and record what became of them.

Nothing is sent here. An attempt is written before it is made: whoever finds it without
an outcome after a crash makes it again, with the same id.
"""

import logging
import random
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from peewee import chunked, fn

from models.base import epoch_ms
from models.logs import LogLine
from models.notifications.deliveries.outcomes import MAX_ANSWER, Outcome
from models.notifications.deliveries.schedule import Decision, decide
from models.notifications.event_types import COLLAPSING_CHANNELS
from models.notifications.rows import DeliveryRow, EventRow, SubscriptionRow
from models.notifications.subscriptions.secrets import (
    TokenPurpose,
    notification_secret,
    signing_secrets,
    token_of,
)
from models.storage.database import database, reading, writing
from models.storage.write_locks import WriteLock

log = logging.getLogger("masthead.notifications")

# What an outcome can change of a subscription.
_STATE = (
    SubscriptionRow.state,
    SubscriptionRow.reason,
    SubscriptionRow.quarantined_at,
    SubscriptionRow.failing_since,
    SubscriptionRow.last_delivery_at,
)
# Fixed SQL, because Peewee takes longer to build it than the engine to run it.
_SAVE_STATE = (
    "UPDATE subscription SET state = ?, reason = ?, quarantined_at = ?,"
    " failing_since = ?, last_delivery_at = ? WHERE id = ?"
)
_END_ATTEMPT = (
    "UPDATE delivery SET status = ?, next_attempt_at = ?, status_code = ?,"
    " duration_ms = ?, answer = ?, delivered_at = ?, sending_at = NULL,"
    " possibly_repeated = possibly_repeated OR ?"
    " WHERE number = ? AND status = 'sending' AND attempts = ?"
)
# Engines limit the number of values in one statement.
BATCH_SIZE = 1000
UNFINISHED = ("waiting", "sending", "failed")
# How many deliveries to one receiver are made at the same time.
MAX_PER_SUBSCRIPTION = 4
NOTHING: Mapping[str, int] = {}


@dataclass(frozen=True)
class Attempt:
    """One attempt to deliver, with all that its message needs."""

    number: int
    delivery_id: str
    subscription_id: str
    channel: str
    address: str
    language: str | None
    type: str
    subject_id: str
    # The path of the page and the data of the webhook; empty without an event.
    path: str
    data: Mapping[str, Any]
    at: datetime
    attempts: int
    secrets: tuple[str, ...] = ()
    # Of the links in an e-mail: to confirm the subscription, or to manage it.
    token: str = ""
    # The first delivery of the subject to the subscription, if that is another one.
    thread_id: str | None = None
    # When the last event of the subject happened that the receiver has.
    delivered_up_to: datetime | None = None


class Earlier(NamedTuple):
    """A delivery that has arrived, with the time of its event."""

    number: int
    id: str
    at: datetime


def recover(now: datetime) -> int:
    """
    Make attempts without an outcome due again; return how many there were.

    Called before a dispatcher's first claim: whoever made them is gone.
    """
    with reading():
        if not DeliveryRow.select().where(DeliveryRow.status == "sending").exists():
            return 0
    with writing(WriteLock.NOTIFICATIONS):
        count: int = (
            DeliveryRow.update(
                status="waiting",
                possibly_repeated=True,
                next_attempt_at=now,
                sending_at=None,
            )
            .where(DeliveryRow.status == "sending")
            .execute()
        )
    return count


def due_channels(now: datetime) -> set[str]:
    """Return the channels over which something is due."""
    with reading():
        rows: Any = (
            DeliveryRow.select(SubscriptionRow.channel)
            .join(SubscriptionRow)
            .where(_is_due(now))
            .distinct()
            .tuples()
        )
        return {channel for (channel,) in rows}


def claim(
    now: datetime,
    channels: Collection[str],
    limit: int,
    in_flight: Mapping[str, int] = NOTHING,
) -> list[Attempt]:
    """
    Claim the deliveries over these channels that are due, the longest waiting first.

    Of one subscription and subject only the oldest unfinished one is claimed, and of
    one subscription no more than MAX_PER_SUBSCRIPTION together with those `in_flight`,
    which are counted by its id. Deliveries to inactive subscriptions are given up, and
    so are those of events that were withdrawn.
    """
    busy = [id for id, count in in_flight.items() if count >= MAX_PER_SUBSCRIPTION]
    earlier = DeliveryRow.alias()
    is_behind_another = earlier.select().where(
        earlier.subscription == DeliveryRow.subscription,
        earlier.subject_id == DeliveryRow.subject_id,
        earlier.number < DeliveryRow.number,
        earlier.status.in_(UNFINISHED),
    )
    due = (
        DeliveryRow.select(DeliveryRow, SubscriptionRow)
        .join(SubscriptionRow)
        .where(
            _is_due(now),
            SubscriptionRow.channel.in_(list(channels)),
            DeliveryRow.subscription.not_in(busy),
            # Messages of the subscription itself have no order among each other.
            DeliveryRow.event.is_null() | ~fn.EXISTS(is_behind_another),
        )
        .order_by(DeliveryRow.next_attempt_at, DeliveryRow.number)
        .limit(limit)
    )
    with writing(WriteLock.NOTIFICATIONS):
        rows = list(due)
        events = _events_of(rows)
        deliverable = [row for row in rows if is_deliverable(row, events)]
        kept = {row.number for row in deliverable}
        _set_status(
            [row.number for row in rows if row.number not in kept],
            status="given-up",
            next_attempt_at=None,
        )
        claimed = _at_most(MAX_PER_SUBSCRIPTION, in_flight, deliverable)
        _set_status(
            [row.number for row in claimed],
            status="sending",
            attempts=DeliveryRow.attempts + 1,
            sending_at=now,
        )
        earlier_ones, secret = _earlier_deliveries(claimed), notification_secret()
        secrets = signing_secrets(_webhooks_of(claimed), now, secret)
        return [
            _attempt(row, events.get(row.event_id), earlier_ones, secret, secrets)
            for row in claimed
        ]


def release(attempts: Iterable[Attempt]) -> None:
    """Make claimed deliveries due again whose attempt was not begun."""
    numbers = [attempt.number for attempt in attempts]
    if numbers:
        with writing(WriteLock.NOTIFICATIONS):
            _set_status(
                numbers,
                status="waiting",
                attempts=DeliveryRow.attempts - 1,
                sending_at=None,
            )


def record_outcomes(
    outcomes: Iterable[tuple[Attempt, Outcome]],
    now: datetime,
    draw: Callable[[], float] = random.random,
) -> None:
    """
    Record what became of attempts, in one transaction.

    An attempt that somebody else has made due again meanwhile keeps that.
    """
    outcomes = list(outcomes)
    if not outcomes:
        return
    with writing(WriteLock.NOTIFICATIONS):
        subscriptions = _subscriptions_of(attempt for attempt, _ in outcomes)
        ends, quarantines = [], []
        for attempt, outcome in outcomes:
            subscription = subscriptions.get(attempt.subscription_id)
            if subscription is not None:
                decision = decide(
                    outcome,
                    attempt.attempts,
                    now,
                    failing_since=subscription.failing_since,
                    is_mail=attempt.channel == "email",
                    random=draw(),
                )
                ends.append(_end_of_attempt(attempt, outcome, decision, now))
                former = subscription.state
                _note_outcome(subscription, attempt, outcome, decision, now)
                if (former, subscription.state) == ("active", "quarantined"):
                    quarantines.append((attempt, outcome))
        cursor = database.connection().cursor()
        cursor.executemany(_END_ATTEMPT, ends)
        cursor.executemany(_SAVE_STATE, map(_state_of, subscriptions.values()))
    for attempt, outcome in quarantines:
        _log_quarantine(attempt, outcome)


def _log_quarantine(attempt: Attempt, outcome: Outcome) -> None:
    """Name the subscription, but neither its address nor what its receiver said."""
    line = LogLine(
        notifications="quarantined",
        subscription=attempt.subscription_id,
        channel=attempt.channel,
        status=outcome.status_code,
    )
    log.warning(line)


def _subscriptions_of(attempts: Iterable[Attempt]) -> dict[str, SubscriptionRow]:
    rows: dict[str, SubscriptionRow] = {}
    for ids in chunked({attempt.subscription_id for attempt in attempts}, BATCH_SIZE):
        query = SubscriptionRow.select(SubscriptionRow.id, *_STATE)
        rows |= {row.id: row for row in query.where(SubscriptionRow.id.in_(ids))}
    return rows


def _end_of_attempt(
    attempt: Attempt, outcome: Outcome, decision: Decision, now: datetime
) -> tuple[Any, ...]:
    """Return the values of _END_ATTEMPT."""
    return (
        decision.status,
        _to_ms(decision.next_attempt_at),
        outcome.status_code,
        outcome.duration_ms,
        outcome.answer[:MAX_ANSWER] if outcome.answer else None,
        _to_ms(now if outcome.is_delivered else None),
        outcome.is_unconfirmed,
        attempt.number,
        attempt.attempts,
    )


def _state_of(row: SubscriptionRow) -> tuple[Any, ...]:
    """Return the values of _SAVE_STATE."""
    moments = row.quarantined_at, row.failing_since, row.last_delivery_at
    return row.state, row.reason, *map(_to_ms, moments), row.id


def _to_ms(moment: datetime | None) -> int | None:
    return None if moment is None else epoch_ms(moment)


def _note_outcome(
    subscription: SubscriptionRow,
    attempt: Attempt,
    outcome: Outcome,
    decision: Decision,
    now: datetime,
) -> None:
    """Note in the row what the outcome says of the subscription."""
    if outcome.is_delivered:
        subscription.last_delivery_at, subscription.failing_since = now, None
    elif subscription.failing_since is None and not outcome.is_internal:
        subscription.failing_since = now
    if decision.is_quarantined and subscription.state == "active":
        subscription.state, subscription.quarantined_at = "quarantined", now
        subscription.reason = outcome.reason
    elif _ends_quarantine(attempt, outcome) and subscription.state == "quarantined":
        subscription.state = "active"
        subscription.quarantined_at = subscription.reason = None


def _ends_quarantine(attempt: Attempt, outcome: Outcome) -> bool:
    return outcome.is_delivered and attempt.type == "subscription.test"


def _is_due(now: datetime) -> Any:
    is_open = DeliveryRow.status.in_(("waiting", "failed"))
    return is_open & (DeliveryRow.next_attempt_at <= now)


def _at_most(
    maximum: int, in_flight: Mapping[str, int], rows: Iterable[DeliveryRow]
) -> list[DeliveryRow]:
    """Return the first rows of each subscription, as many as it may still have."""
    counts, chosen = Counter(in_flight), []
    for row in rows:
        counts[row.subscription_id] += 1
        if counts[row.subscription_id] <= maximum:
            chosen.append(row)
    return chosen


def is_deliverable(row: DeliveryRow, events: Mapping[int | None, EventRow]) -> bool:
    """
    Return whether the subscription still gets the delivery.

    An event needs an active subscription, a message about the subscription a live one.
    """
    event = events.get(row.event_id)
    if event is not None and event.withdrawn_at is not None:
        return False
    state = row.subscription.state
    return state == "active" or (row.event_id is None and state != "ended")


def _set_status(numbers: list[int], **values: Any) -> None:
    if numbers:
        DeliveryRow.update(**values).where(DeliveryRow.number.in_(numbers)).execute()


def _earlier_deliveries(rows: list[DeliveryRow]) -> dict[int, list[Earlier]]:
    """Return the deliveries that people have of the subject of each row, by number."""
    collapsing = [
        row
        for row in rows
        if row.subscription.channel in COLLAPSING_CHANNELS and row.event_id
    ]
    if not collapsing:
        return {}
    query: Any = (
        DeliveryRow.select(
            DeliveryRow.subscription,
            DeliveryRow.subject_id,
            DeliveryRow.number,
            DeliveryRow.id,
            EventRow.at,
        )
        .join(EventRow)
        .where(
            DeliveryRow.subscription.in_([row.subscription_id for row in collapsing]),
            DeliveryRow.subject_id.in_({row.subject_id for row in collapsing}),
            DeliveryRow.delivered_at.is_null(False),
        )
        .order_by(DeliveryRow.number)
    )
    delivered: dict[tuple[str, str], list[Earlier]] = {}
    for subscription, subject, *earlier in query.tuples():
        delivered.setdefault((subscription, subject), []).append(Earlier(*earlier))
    return {
        row.number: [
            earlier
            for earlier in delivered.get((row.subscription_id, row.subject_id), ())
            if earlier.number < row.number
        ]
        for row in collapsing
    }


def _events_of(rows: list[DeliveryRow]) -> dict[int | None, EventRow]:
    """Return the events of deliveries by number; many have the same one."""
    numbers = {row.event_id for row in rows if row.event_id is not None}
    events = EventRow.select().where(EventRow.number.in_(numbers))
    return {event.number: event for event in events} if numbers else {}


def _webhooks_of(rows: list[DeliveryRow]) -> list[SubscriptionRow]:
    """Return the webhooks of deliveries, each once."""
    webhooks = {
        row.subscription_id: row.subscription
        for row in rows
        if row.subscription.channel == "webhook"
    }
    return list(webhooks.values())


def _attempt(
    row: DeliveryRow,
    event: EventRow | None,
    earlier_ones: Mapping[int, list[Earlier]],
    secret: str,
    secrets: Mapping[str, tuple[str, ...]],
) -> Attempt:
    subscription, earlier = row.subscription, earlier_ones.get(row.number, [])
    return Attempt(
        number=row.number,
        delivery_id=row.id,
        subscription_id=subscription.id,
        channel=subscription.channel,
        address=subscription.address,
        language=subscription.language,
        type=row.type,
        subject_id=row.subject_id,
        path=event.path if event else "",
        data=event.data if event else {},
        at=event.at if event else row.created_at,
        attempts=row.attempts + 1,
        secrets=secrets.get(subscription.id, ()),
        token=_token(row, secret) if subscription.channel == "email" else "",
        thread_id=earlier[0].id if earlier else None,
        delivered_up_to=max((delivery.at for delivery in earlier), default=None),
    )


def _token(row: DeliveryRow, secret: str) -> str:
    purpose: TokenPurpose = (
        "confirm" if row.type == "subscription.confirm" else "manage"
    )
    return token_of(row.subscription_id, purpose, secret)
