"""Add, find, change and end subscriptions."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from itertools import product
from typing import Annotated, Any, Literal, cast, get_args

from peewee import ModelSelect, fn
from pydantic import AfterValidator, Field

from models.base import Change, Schema, new_id
from models.errors import (
    SubscriptionExists,
    SubscriptionNotActive,
    SubscriptionNotFound,
    ValidationFailed,
)
from models.fields import (
    ID,
    TRIMMED,
    CreatedAt,
    Id,
    MayOmit,
    Moment,
    SingleLine,
    StatusSlug,
)
from models.idempotency import delete_responses_about
from models.locales import match_language
from models.notifications.addresses.http_address import folded_url, refused_address
from models.notifications.addresses.mail_address import (
    folded_address,
    mailbox_of,
    parse_mail_address,
)
from models.notifications.deliveries.deliveries import (
    give_up_unfinished,
    queue_message,
)
from models.notifications.event_types import (
    CHANNELS,
    Channel,
    EventType,
    default_events,
    events_of_channel,
)
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.notifications.subscriptions.secrets import (
    new_webhook_secret,
    replace_secret,
    seal_secret,
)
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.storage.database import truncate_wal_after_commit

SubscriptionState = Literal["pending", "active", "quarantined", "ended"]
SubscriptionSource = Literal["self", "operator"]

LANGUAGE_TAG = r"^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$"
REMOVED_BY_OPERATOR = "Removed by an operator."


def _deduplicate(values: list[str]) -> list[str]:
    return list(dict.fromkeys(values))


Address = Annotated[str, TRIMMED, Field(min_length=1, max_length=2000), SingleLine]
Services = Annotated[
    list[StatusSlug], Field(max_length=1000), AfterValidator(_deduplicate)
]
Events = Annotated[
    list[EventType], Field(min_length=1, max_length=100), AfterValidator(_deduplicate)
]
Language = Annotated[str, Field(max_length=35, pattern=LANGUAGE_TAG)]

# What several fields mean.
NOTIFIED_SERVICES = Field(
    description="The slugs of the services to tell of; without any, of all of them.",
    examples=[["api"]],
)
CHANNEL = Field(
    description="The channel over which the subscription is told.", examples=["webhook"]
)
LANGUAGE = Field(
    description="The language of messages, as a tag of BCP 47.", examples=[None]
)
ADDRESS = Field(
    description="The mail address, or the URL of the webhook or the chat room.",
    examples=["https://tools.example.com/hooks/status"],
)
EVENTS = Field(
    description="The types of events that the subscription is told of.",
    examples=[["incident.opened", "incident.updated", "incident.resolved"]],
)


class Subscription(Schema):
    id: Annotated[Id, ID]
    channel: Annotated[Channel, CHANNEL]
    address: Annotated[str, ADDRESS]
    services: Annotated[list[StatusSlug], NOTIFIED_SERVICES]
    events: Annotated[list[EventType], EVENTS]
    language: Annotated[str | None, LANGUAGE]
    state: SubscriptionState = Field(
        description="The state of the subscription.", examples=["active"]
    )
    source: SubscriptionSource = Field(
        description="Who subscribed: the reader, or an operator.", examples=["operator"]
    )
    created_at: CreatedAt
    confirmed_at: Moment | None = Field(
        description="When the subscription became active."
    )
    quarantined_at: Moment | None = Field(
        description="When the quarantine began.", examples=[None]
    )
    ended_at: Moment | None = Field(
        description="When the subscription ended.", examples=[None]
    )
    last_delivery_at: Moment | None = Field(
        description="When the receiver last took a delivery."
    )
    reason: str | None = Field(
        description="Why the subscription was quarantined or has ended.",
        examples=[None],
    )


class CreatedSubscription(Subscription):
    """A subscription with the secret of its webhook, which other channels lack."""

    secret: str | None = Field(
        description="The secret with which messages to the webhook are signed.",
        examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
    )


class RemovedSubscription(Schema):
    id: Annotated[Id, ID]
    erased: bool = Field(
        description="Whether the address and the deliveries were deleted."
    )


class AddSubscription(Schema, example=("services",)):
    """Without services it is told of all; without events, of all of its channel."""

    channel: Annotated[Channel, CHANNEL]
    address: Annotated[Address, ADDRESS]
    services: Annotated[Services, NOTIFIED_SERVICES] = Field(default_factory=list)
    events: MayOmit[Events] = Field(
        default=None,
        description="The types of events to tell of. Default: all that the channel"
        " takes.",
        examples=[["incident.opened", "incident.updated", "incident.resolved"]],
    )
    language: Annotated[Language | None, LANGUAGE] = None


class UpdateSubscription(Schema, example=("services",)):
    """A field that is left out stays as it is."""

    id: Annotated[Id, ID]
    services: Annotated[MayOmit[Services], NOTIFIED_SERVICES] = None
    events: Annotated[MayOmit[Events], EVENTS] = None
    language: Annotated[Language | None, LANGUAGE] = None


class RemoveSubscription(Schema):
    id: Annotated[Id, ID]
    erase: bool = Field(
        default=False,
        description="Whether to delete the address and the deliveries at once.",
        examples=[False],
    )


class RotateSecret(Schema):
    id: Annotated[Id, ID]


class TestSubscription(Schema):
    id: Annotated[Id, ID]


class GetSubscription(Schema):
    id: Annotated[Id, ID]


class ListSubscriptions(CursorQuery, example=("state",)):
    channel: Channel | None = Field(
        default=None, description="Subscriptions over this channel."
    )
    state: SubscriptionState | None = Field(
        default=None,
        description="Subscriptions in this state.",
        examples=["quarantined"],
    )


def add_subscription(
    request: AddSubscription,
    networks: Iterable[str],
    languages: Sequence[str],
    now: datetime,
) -> tuple[SubscriptionRow, str | None]:
    """
    Add an operator's subscription, which is active at once; return its secret too.

    `networks` is the value of MASTHEAD_NOTIFY_NETWORKS, and `languages` are those that
    messages can have. The caller checks that the services exist.
    """
    language = _available_language(request.language, languages)
    address, folded = _checked_address(request.channel, request.address, networks)
    _require_events_of_channel(request.channel, request.events)
    existing = live_subscription(request.channel, folded)
    if existing is not None and existing.state == "pending":
        # Whoever entered the address on the status page keeps no operator from it.
        erase_subscription(existing)
    elif existing is not None:
        raise SubscriptionExists(
            f"The address has a subscription over this channel: {existing.id}."
            " Update or remove that one.",
            subscriptionId=existing.id,
        )
    secret = new_webhook_secret() if request.channel == "webhook" else None
    row = create_subscription(
        request.channel,
        address,
        folded_address=folded,
        events=request.events or default_events(request.channel),
        services=request.services,
        source="operator",
        now=now,
        language=language,
        secret=secret,
    )
    return row, secret


def create_subscription(
    channel: Channel,
    address: str,
    *,
    folded_address: str,
    events: Sequence[str],
    services: Sequence[str],
    source: SubscriptionSource,
    now: datetime,
    language: str | None = None,
    secret: str | None = None,
) -> SubscriptionRow:
    """
    Store a new subscription: active if an operator adds it, otherwise pending.

    `secret` is that of a webhook. The caller makes sure that no live subscription has
    the channel and the folded address.
    """
    id, is_active = new_id(now), source == "operator"
    row: SubscriptionRow = SubscriptionRow.create(
        id=id,
        channel=channel,
        address=address,
        live_key=live_key(channel, folded_address),
        mailbox=mailbox_of(address) if channel == "email" else None,
        state="active" if is_active else "pending",
        events=list(events),
        services=list(services),
        language=language,
        source=source,
        sealed_secret=seal_secret(id, secret) if secret else None,
        created_at=now,
        updated_at=now,
        confirmed_at=now if is_active else None,
    )
    return row


def live_subscription(channel: Channel, folded_address: str) -> SubscriptionRow | None:
    """Return the subscription that has not ended, None if there is none."""
    row: SubscriptionRow | None = SubscriptionRow.get_or_none(
        SubscriptionRow.live_key == live_key(channel, folded_address)
    )
    return row


def live_key(channel: Channel, folded_address: str) -> str:
    return f"{channel} {folded_address}"


def subscription_with_id(id: str) -> SubscriptionRow:
    """Return the subscription in any state; raise SubscriptionNotFound."""
    row: SubscriptionRow | None = SubscriptionRow.get_or_none(SubscriptionRow.id == id)
    if row is None:
        raise SubscriptionNotFound(f"No subscription has the id {id}.")
    return row


def list_subscriptions(query: ListSubscriptions) -> Page[SubscriptionRow]:
    """Return a page of subscriptions, newest first."""
    rows: ModelSelect[SubscriptionRow] = SubscriptionRow.select()
    if query.channel is not None:
        rows = rows.where(SubscriptionRow.channel == query.channel)
    if query.state is not None:
        rows = rows.where(SubscriptionRow.state == query.state)
    # Ids sort by the time of their creation.
    return cursor_page(rows, query, descending(SubscriptionRow.id))


def count_subscriptions() -> dict[tuple[str, str], int]:
    """Return how many subscriptions each channel has in each state, 0 for none."""
    rows: Any = (
        SubscriptionRow.select(
            SubscriptionRow.channel, SubscriptionRow.state, fn.COUNT(SubscriptionRow.id)
        )
        .group_by(SubscriptionRow.channel, SubscriptionRow.state)
        .tuples()
    )
    counts = dict.fromkeys(product(CHANNELS, get_args(SubscriptionState)), 0)
    return counts | {(channel, state): count for channel, state, count in rows}


def update_subscription(
    request: UpdateSubscription, languages: Sequence[str], now: datetime
) -> tuple[SubscriptionRow, dict[str, Change]]:
    """Change the fields that were sent; return the subscription and what changed."""
    row = subscription_with_id(request.id)
    if row.state == "ended":
        raise SubscriptionNotActive("The subscription has ended. Add a new one.")
    _require_events_of_channel(cast(Channel, row.channel), request.events)
    values = request.sent_fields()
    del values["id"]
    if "language" in values:
        values["language"] = _available_language(request.language, languages)
    return row, row.change(values, now)


def remove_subscription(
    request: RemoveSubscription, now: datetime
) -> tuple[SubscriptionRow, bool]:
    """
    End or erase a subscription; return it and whether anything changed.

    An erased subscription leaves neither its address nor its deliveries, not even in
    stored responses and in the write-ahead log.
    """
    row = subscription_with_id(request.id)
    if request.erase:
        erase_subscription(row)
        return row, True
    if row.state == "ended":
        return row, False
    end_subscription(row, REMOVED_BY_OPERATOR, now)
    return row, True


def rotate_secret(
    request: RotateSecret, now: datetime, clock_at: datetime
) -> tuple[SubscriptionRow, str]:
    """
    Give a webhook a new secret; return its subscription and the secret.

    The former secret signs for a day from `clock_at`, the time on the clock. Raise
    LimitExceeded if the secret was rotated too often within a day.
    """
    row = _confirmed_subscription(request.id)
    if row.channel != "webhook":
        raise _invalid("id", "channel", "Only the messages to webhooks are signed.")
    secret = new_webhook_secret()
    replace_secret(row, secret, clock_at)
    row.touch(now)
    return row, secret


def test_subscription(
    request: TestSubscription, clock_at: datetime, *, has_relay: bool
) -> tuple[SubscriptionRow, DeliveryRow]:
    """
    Have a test delivered; return the subscription and the delivery, which waits.

    Without a mail relay, that to a mailbox would wait for ever: raise ValidationFailed.
    """
    row = _confirmed_subscription(request.id)
    if row.channel == "email" and not has_relay:
        detail = "No relay takes e-mail: set MASTHEAD_SMTP and MASTHEAD_MAIL_FROM."
        raise _invalid("id", "relay", detail)
    return row, queue_message(row, "subscription.test", clock_at)


def all_subscriptions() -> Iterator[Subscription]:
    """Yield all subscriptions, oldest first, without their secrets."""
    rows = SubscriptionRow.select().order_by(SubscriptionRow.id)
    return map(Subscription.model_validate, rows.iterator())


def end_subscription(row: SubscriptionRow, reason: str, now: datetime) -> None:
    """End a subscription: it is told of nothing more, and its address is free."""
    row.change(
        {"state": "ended", "live_key": None, "ended_at": now, "reason": reason}, now
    )
    give_up_unfinished(row.id)


def erase_subscription(row: SubscriptionRow) -> None:
    """Delete a subscription with its address, its deliveries and stored responses."""
    delete_responses_about(row.id)
    truncate_wal_after_commit()
    # Its deliveries go with it: ON DELETE CASCADE.
    row.delete_instance()


def with_secret(row: SubscriptionRow, secret: str | None) -> CreatedSubscription:
    """Return a subscription and its new secret, which no other response shows."""
    fields = Subscription.model_validate(row).all_fields()
    return CreatedSubscription(**fields, secret=secret)


def _confirmed_subscription(id: str) -> SubscriptionRow:
    """Return a subscription that is active or quarantined; raise if it is not."""
    row = subscription_with_id(id)
    if row.state not in ("active", "quarantined"):
        raise SubscriptionNotActive(
            f"The subscription is {row.state}, so nothing is delivered to it."
        )
    return row


def _checked_address(
    channel: Channel, text: str, networks: Iterable[str]
) -> tuple[str, str]:
    """Return the address as it is stored, and folded; raise ValidationFailed."""
    if channel == "email":
        try:
            address = parse_mail_address(text)
        except ValueError as error:
            raise _invalid("address", "address", str(error)) from None
        return address, folded_address(address)
    if (reason := refused_address(text, networks)) is not None:
        raise _invalid("address", "address", reason)
    return text, folded_url(text)


def _available_language(wanted: str | None, languages: Sequence[str]) -> str | None:
    """Return the language that messages have; raise ValidationFailed without one."""
    if wanted is None:
        return None
    language = match_language([wanted], languages)
    if language is None:
        names = ", ".join(languages)
        detail = f"There are no texts in the language {wanted}. There are: {names}."
        raise _invalid("language", "language", detail)
    return language


def _require_events_of_channel(
    channel: Channel, events: list[EventType] | None
) -> None:
    """Raise ValidationFailed if the channel does not take one of the events."""
    strange = [e for e in events or () if e not in events_of_channel(channel)]
    if strange:
        names = ", ".join(strange)
        detail = f"Subscriptions over the channel {channel} are not told of {names}."
        raise _invalid("events", "events", detail)


def _invalid(field: str, code: str, detail: str) -> ValidationFailed:
    error = {"pointer": f"/{field}", "code": code, "detail": detail}
    return ValidationFailed(detail, error)
