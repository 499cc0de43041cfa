"""
Subscribe readers by e-mail: they ask, confirm, change their choices, and end it.

Whoever asks learns nothing about a mailbox: what follows is only told in a mail to it.
The links in the mails have tokens, so that nobody needs an account.
"""

import logging
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Literal, get_args

from peewee import Case, fn

from models.base import epoch_ms, new_id
from models.instance import read_instance_value, set_instance_value
from models.logs import LogLine
from models.notifications.addresses.mail_address import folded_address, mailbox_of
from models.notifications.deliveries.deliveries import queue_message
from models.notifications.event_types import EventType, MessageType, default_events
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.notifications.subscriptions.secrets import TokenPurpose, subscription_id_of
from models.notifications.subscriptions.subscriptions import (
    create_subscription,
    end_subscription,
    live_subscription,
)
from models.runtime.faults import Fault
from models.storage.database import reading, writing
from models.storage.write_locks import WriteLock

Kind = Literal["incidents", "maintenance"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ENDED_BY_READER = "Ended by the reader."
# Who does not confirm for so long is forgotten.
CONFIRM_WITHIN = timedelta(days=7)
# How many mails strangers can have sent to one mailbox.
MAILS_PER_DAY = 3
MANAGE_MAIL_INTERVAL = timedelta(hours=1)
# How many mailboxes can wait for their confirmation at a time.
MAX_PENDING = 10_000
# By how much the mailboxes that were asked within an hour can outnumber those that have
# confirmed: of one domain, and of all. A crowd of readers confirms, a flood does not.
MAX_UNCONFIRMED_OF_DOMAIN, MAX_UNCONFIRMED = 100, 1000
# Rows are deleted in slices, which hold no other write up.
SLICE_SIZE = 250

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
# The name of the time at which one of the limits of all mailboxes was reached.
LIMITED_AT = "subscriptions-limited"

log = logging.getLogger("masthead.notifications")


class InvalidToken(Exception):
    """A token that was not made here."""


class SubscriptionEnded(Exception):
    """The subscription of a token has ended, or was never confirmed in time."""


class TooManyUnconfirmed(Exception):
    """Too many have asked for a subscription whose mailboxes have not confirmed it."""


def events_of(kinds: Collection[str]) -> list[EventType]:
    """Return the events of the kinds, in their usual order."""
    events = default_events("email")
    return [event for event in events if _kind_of(event) in kinds]


def kinds_of(subscription: SubscriptionRow) -> list[Kind]:
    """Return the kinds of events that the subscription is told of."""
    chosen = {_kind_of(event) for event in subscription.events}
    return [kind for kind in KINDS if kind in chosen]


def _kind_of(event: str) -> Kind:
    return "incidents" if event.startswith("incident.") else "maintenance"


def request_subscription(
    address: str,
    services: Collection[str],
    kinds: Collection[str],
    now: datetime,
    language: str | None = None,
) -> None:
    """
    Have the owner of a mail address asked whether to subscribe.

    `services` are slugs, none for all. A subscribed mailbox gets a link to its
    subscription instead. The caller learns nothing: beyond the bounds of a mailbox,
    nothing is sent. Mails are in the `language`, and without one in that of the site.

    Raise TooManyUnconfirmed, whatever the mailbox, beyond those of all mailboxes.
    """
    folded, mailbox = folded_address(address), mailbox_of(address)
    with writing(WriteLock.NOTIFICATIONS):
        # Each request writes something, so that all take the time of a commit.
        set_instance_value("subscription-requested", epoch_ms(now))
        if is_flood := _is_flood(mailbox, now):
            _note_limit("unconfirmed", now)
        else:
            row = live_subscription("email", folded)
            if row is not None and _has_expired(row, now):
                row.delete_instance()
                row = None
            may_be_sent = _may_be_sent(row, mailbox, now)
            if row is None and may_be_sent:
                _make_room(now)
                row = create_subscription(
                    "email",
                    address,
                    folded_address=folded,
                    events=events_of(kinds),
                    services=_unique(services),
                    source="self",
                    now=now,
                    language=language,
                )
            elif row is not None and row.state == "pending":
                _add_choices(row, services, kinds, language)
            if row is not None and may_be_sent:
                _send(row, now)
    if is_flood:
        raise TooManyUnconfirmed


def subscription_faults(now: datetime) -> list[Fault]:
    """Return a fault if the limits of all mailboxes were reached within an hour."""
    with reading():
        limited_at = read_instance_value(LIMITED_AT)
    if limited_at is None or limited_at <= epoch_ms(now - HOUR):
        return []
    detail = (
        "Within the last hour, far more mailboxes were asked to confirm a subscription"
        " than have confirmed one."
    )
    return [Fault("subscriptions-limited", detail)]


def _is_flood(mailbox: str, now: datetime) -> bool:
    """Return whether too many mailboxes were asked, and have not confirmed."""
    row, domain = SubscriptionRow, mailbox.rpartition("@")[2]
    of_domain = Case(None, [(row.mailbox.endswith(f"@{domain}"), 1)], 0)
    counts = row.select(fn.COUNT(row.id), fn.COALESCE(fn.SUM(of_domain), 0))
    asked = counts.where(row.state == "pending", row.updated_at > now - HOUR)
    # Ids sort by the time of their creation.
    confirmed = counts.where(row.state == "active", row.id > new_id(now - HOUR))
    (asked_all, asked_there), (confirmed_all, confirmed_there) = (
        query.scalar(as_tuple=True) for query in (asked, confirmed)
    )
    return bool(
        asked_all >= MAX_UNCONFIRMED + confirmed_all
        or asked_there >= MAX_UNCONFIRMED_OF_DOMAIN + confirmed_there
    )


def _make_room(now: datetime) -> None:
    """Forget who has waited longest, if as many wait as may."""
    row = SubscriptionRow
    waiting = row.select(row.id).where(row.state == "pending")
    if waiting.count() >= MAX_PENDING:
        row.delete().where(row.id == waiting.order_by(row.id).limit(1)).execute()
        _note_limit("pending", now)


def _note_limit(reason: str, now: datetime) -> None:
    """Note that a limit was reached; the log has one line for each hour of it."""
    former = read_instance_value(LIMITED_AT)
    if former is None or former <= epoch_ms(now - HOUR):
        log.warning(LogLine(state="subscriptions-limited", reason=reason))
    set_instance_value(LIMITED_AT, epoch_ms(now))


def _send(row: SubscriptionRow, now: datetime) -> None:
    if row.state == "pending":
        # The mail gives the owner as long as the first one did. A request without a
        # mail does not, or strangers could keep an address for ever.
        SubscriptionRow.update(updated_at=now).where(
            SubscriptionRow.id == row.id
        ).execute()
    # A mailbox that refused mails is asked again: a confirmation shows that it works.
    is_known = row.state == "active"
    type: MessageType = "subscription.manage" if is_known else "subscription.confirm"
    queue_message(row, type, now)


def _add_choices(
    row: SubscriptionRow,
    services: Collection[str],
    kinds: Collection[str],
    language: str | None,
) -> None:
    """Merge a repeated request into the one that waits."""
    is_of_all = not row.services or not services
    row.services = [] if is_of_all else _unique([*row.services, *services])
    row.events = events_of({*kinds_of(row), *kinds})
    row.language = language or row.language
    row.save()


def _may_be_sent(row: SubscriptionRow | None, mailbox: str, now: datetime) -> bool:
    """Return whether the mailbox may be sent one more mail that a stranger caused."""
    if row is not None and row.state == "active":
        # Whoever has just confirmed and lost the mail gets the link at once.
        is_repeat = (DeliveryRow.subscription == row.id) & (
            DeliveryRow.type == "subscription.manage"
        )
        if _mails_since(now - MANAGE_MAIL_INTERVAL, is_repeat):
            return False
    row_ids = SubscriptionRow.select(SubscriptionRow.id)
    of_mailbox = [each.id for each in row_ids.where(SubscriptionRow.mailbox == mailbox)]
    sent = _mails_since(now - DAY, DeliveryRow.subscription.in_(of_mailbox))
    return sent < MAILS_PER_DAY


def _mails_since(at: datetime, condition: object) -> int:
    count: int = (
        DeliveryRow.select()
        .where(
            condition,
            DeliveryRow.type.in_(("subscription.confirm", "subscription.manage")),
            DeliveryRow.created_at > at,
        )
        .count()
    )
    return count


def subscription_of(
    token: str, purpose: TokenPurpose, now: datetime
) -> SubscriptionRow:
    """
    Return the subscription whose owner has the token.

    Raise InvalidToken or SubscriptionEnded.
    """
    with reading():
        return _live_row(_id_of(token, purpose), now)


def confirm_subscription(
    token: str, services: Collection[str], kinds: Collection[str], now: datetime
) -> SubscriptionRow:
    """
    Begin to tell the owner of the mailbox of these services and kinds.

    The choices are those of the owner: what waits may have been widened by whoever
    entered the address. Once confirmed, the subscription stays as it is.
    """
    id = _id_of(token, "confirm")
    with writing(WriteLock.NOTIFICATIONS):
        row = _live_row(id, now)
        if row.state in ("pending", "quarantined"):
            _choose(row, services, kinds)
            row.state, row.confirmed_at, row.updated_at = "active", now, now
            row.quarantined_at = row.failing_since = row.reason = None
            row.save()
    return row


def change_subscription(
    token: str,
    services: Collection[str],
    kinds: Collection[str],
    now: datetime,
    language: str | None = None,
) -> SubscriptionRow:
    """
    Replace what the subscription is told of; `services` are slugs, none for all.

    Without a `language`, that of the mails stays as it is.
    """
    id = _id_of(token, "manage")
    with writing(WriteLock.NOTIFICATIONS):
        row = _live_row(id, now)
        _choose(row, services, kinds)
        row.language = language or row.language
        row.updated_at = now
        row.save()
    return row


def _choose(
    row: SubscriptionRow, services: Collection[str], kinds: Collection[str]
) -> None:
    """Replace what the subscription is told of, without saving it."""
    former_kinds = kinds_of(row)
    # An operator may have chosen single events of a kind, which stay chosen.
    row.events = [
        *(event for event in row.events if _kind_of(event) in kinds),
        *events_of(set(kinds) - set(former_kinds)),
    ]
    row.services = _unique(services)


def unsubscribe(token: str, now: datetime) -> SubscriptionRow | None:
    """
    Tell the owner of the mailbox nothing more; one that has ended stays as it is.

    Return the subscription, None if it is forgotten.
    """
    id = _id_of(token, "manage")
    with writing(WriteLock.NOTIFICATIONS):
        row: SubscriptionRow | None = SubscriptionRow.get_or_none(
            SubscriptionRow.id == id
        )
        if row is not None and row.state != "ended":
            end_subscription(row, ENDED_BY_READER, now)
    return row


def forget_unconfirmed(now: datetime) -> None:
    """Delete the subscriptions that were not confirmed in time, with their mails."""
    has_expired = (SubscriptionRow.state == "pending") & (
        SubscriptionRow.updated_at <= now - CONFIRM_WITHIN
    )
    expired = SubscriptionRow.select(SubscriptionRow.id).where(has_expired)
    while rows := list(expired.limit(SLICE_SIZE)):
        with writing(WriteLock.NOTIFICATIONS):
            # A request may have renewed one meanwhile.
            SubscriptionRow.delete().where(
                SubscriptionRow.id.in_([row.id for row in rows]), has_expired
            ).execute()


def _id_of(token: str, purpose: TokenPurpose) -> str:
    """Return the id of a subscription, before anything is locked for a forged token."""
    with reading():
        id = subscription_id_of(token, purpose)
    if id is None:
        raise InvalidToken
    return id


def _live_row(id: str, now: datetime) -> SubscriptionRow:
    row: SubscriptionRow | None = SubscriptionRow.get_or_none(SubscriptionRow.id == id)
    if row is None or row.state == "ended" or _has_expired(row, now):
        raise SubscriptionEnded
    return row


def _has_expired(row: SubscriptionRow, now: datetime) -> bool:
    return row.state == "pending" and bool(now - row.updated_at >= CONFIRM_WITHIN)


def _unique(services: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(services))
