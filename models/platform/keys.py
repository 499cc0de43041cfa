"""Issue, change, rotate and revoke API keys."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Annotated, Any, Literal

from peewee import FloatField, IntegerField, TextField
from pydantic import AfterValidator, Field

from models.audit import AuditTarget
from models.base import Change, ListField, MomentField, Row, Schema, new_id
from models.errors import KeyNotActive, KeyNotFound
from models.fields import (
    TRIMMED,
    CreatedAt,
    Id,
    MayOmit,
    Moment,
    SingleLine,
    WholeNumber,
    WithoutDuplicates,
)
from models.instants import next_instant
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.platform import descriptions
from models.platform.scopes import any_covers, is_scope
from models.platform.secrets import Secret, generate_secret

KeyStatus = Literal["active", "revoked"]


def _validate_scope(text: str) -> str:
    if not is_scope(text):
        raise ValueError(
            "Must be *, or segments separated by colons, of which the last may be *."
        )
    return text


Scope = Annotated[str, AfterValidator(_validate_scope)]
Scopes = Annotated[list[Scope], Field(min_length=1, max_length=100), WithoutDuplicates]
KeyName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]
RateCapacity = Annotated[WholeNumber, Field(ge=1, le=100_000)]
RateRefill = Annotated[float, Field(ge=0.1, le=10_000)]

# What several fields mean.
ACCOUNT_ID = Field(description="The ID of the account that owns the key.")


class ApiKey(Schema):
    """A key without its secret."""

    id: Annotated[Id, descriptions.KEY_ID]
    prefix: str = Field(
        description="The first characters of the secret, which identify it.",
        examples=["mh_7Gk2pQ9x"],
    )
    name: Annotated[str, descriptions.KEY_NAME]
    scopes: Annotated[list[str], descriptions.SCOPES]
    status: Annotated[KeyStatus, descriptions.KEY_STATUS]
    created_at: CreatedAt
    expires_at: Moment | None = Field(
        description="When the key expires. null: never.", examples=[None]
    )
    rate_capacity: Annotated[int | None, descriptions.RATE_CAPACITY]
    rate_refill: Annotated[float | None, descriptions.RATE_REFILL]
    account_id: Annotated[Id | None, ACCOUNT_ID]


class CreatedApiKey(ApiKey):
    secret: str = Field(
        description="The secret. It is returned only once.",
        examples=["mh_" + "7Gk2pQ9x" * 5 + "4vTz0c"],
    )


class CreateKey(Schema, example=("expiresInDays",)):
    name: Annotated[KeyName, descriptions.KEY_NAME]
    scopes: Annotated[Scopes, descriptions.SCOPES]
    rate_capacity: Annotated[MayOmit[RateCapacity], descriptions.RATE_CAPACITY] = None
    rate_refill: Annotated[MayOmit[RateRefill], descriptions.RATE_REFILL] = None
    expires_in_days: MayOmit[Annotated[WholeNumber, Field(ge=1, le=3650)]] = Field(
        default=None,
        description="The number of days until the key expires. Default: never.",
        examples=[365],
    )


class UpdateKey(Schema, example=("name", "rateCapacity")):
    """A field that is left out stays as it is; a rate of null is the default rate."""

    id: Annotated[Id, descriptions.KEY_ID]
    name: Annotated[MayOmit[KeyName], descriptions.KEY_NAME] = None
    scopes: Annotated[MayOmit[Scopes], descriptions.SCOPES] = None
    rate_capacity: Annotated[RateCapacity | None, descriptions.RATE_CAPACITY] = None
    rate_refill: Annotated[RateRefill | None, descriptions.RATE_REFILL] = None


class RemoveKey(Schema):
    id: Annotated[Id, descriptions.KEY_ID]


class RotateKey(Schema, example=("graceSeconds",)):
    id: Annotated[Id, descriptions.KEY_ID]
    grace_seconds: Annotated[WholeNumber, Field(ge=0, le=2_592_000)] = Field(
        default=86_400,
        description="The number of seconds for which the old secret remains valid.",
    )

    @property
    def grace(self) -> timedelta:
        return timedelta(seconds=self.grace_seconds)


class GetKey(Schema):
    id: Annotated[Id, descriptions.KEY_ID]


class ListKeys(CursorQuery):
    status: Annotated[KeyStatus | None, descriptions.KEY_STATUS] = None
    account_id: Annotated[str | None, ACCOUNT_ID] = None


class KeyRow(Row):
    id = TextField(primary_key=True)
    prefix = TextField(unique=True)
    hash = TextField(unique=True)
    name = TextField()
    scopes = ListField()
    created_at = MomentField()
    expires_at = MomentField(null=True)
    revoked_at = MomentField(null=True)
    rate_capacity = IntegerField(null=True)
    rate_refill = FloatField(null=True)
    account_id = TextField(null=True, index=True)
    lifetime_days = IntegerField(null=True)
    # When it was rotated: it is then in its grace period, or over.
    replaced_at = MomentField(null=True)
    # Who issued it, and the id that it shares with the keys it replaced.
    issuer = TextField()
    lineage = TextField()
    last_used_at = MomentField(null=True)

    class Meta:
        indexes = ((("created_at", "id"), False),)

    @property
    def audited(self) -> AuditTarget:
        return AuditTarget("key", self.id, self.name, self.prefix)

    def touch(self, now: datetime) -> None:  # noqa: ARG002
        """Save without updated_at, which keys do not have."""
        self.save()

    def status(self, now: datetime) -> KeyStatus:
        return status_at(now, self.revoked_at, self.expires_at)

    def to_response(self, now: datetime, secret: str | None = None) -> SimpleNamespace:
        """Return the fields of the key, and its status at `now`, for a response."""
        values = {name: getattr(self, name) for name in self._meta.fields}
        return SimpleNamespace(
            **values | {"status": self.status(now), "secret": secret}
        )


def status_at(
    now: datetime, revoked_at: datetime | None, expires_at: datetime | None
) -> KeyStatus:
    """Return the status of a key; an expired key is shown as revoked."""
    expired = expires_at is not None and now >= expires_at
    return "revoked" if revoked_at is not None or expired else "active"


def issue_key(
    request: CreateKey,
    now: datetime,
    *,
    issuer: str,
    account_id: str | None = None,
    latest_end: datetime | None = None,
) -> tuple[KeyRow, Secret]:
    """
    Create a key; return it with its secret, of which only a hash is stored.

    The key expires at `latest_end` at the latest.
    """
    return _create_key(
        now,
        latest_end,
        name=request.name,
        scopes=request.scopes,
        rate_capacity=request.rate_capacity,
        rate_refill=request.rate_refill,
        account_id=account_id,
        lifetime_days=request.expires_in_days,
        issuer=issuer,
    )


# A replacement inherits these; keys of one lineage share a rate limit.
_INHERITED = (
    *("name", "scopes", "rate_capacity", "rate_refill", "account_id"),
    *("lifetime_days", "lineage"),
)


def rotate_key(
    key: KeyRow,
    now: datetime,
    grace_ends_at: datetime,
    *,
    issuer: str,
    latest_end: datetime | None = None,
    limited_rate: Mapping[str, float] | None = None,
) -> tuple[KeyRow, Secret]:
    """
    Create the key's replacement, with the lifetime that the key was issued with.

    The replacement expires at `latest_end` at the latest, and has the rates of
    `limited_rate` instead of the key's. The key itself expires after
    the grace period, or earlier if it would have.
    """
    key.expires_at = _earlier(grace_ends_at, key.expires_at)
    key.replaced_at = now
    key.save()
    inherited = {name: getattr(key, name) for name in _INHERITED}
    inherited |= limited_rate or {}
    return _create_key(now, latest_end, issuer=issuer, **inherited)


def describe_rotation(new: KeyRow, request: RotateKey) -> str:
    return f"replaced by {new.prefix} ({new.id}); grace: {request.grace_seconds} s"


def end_of_life(now: datetime, days: int | None) -> datetime | None:
    """Return the end of a key that is issued now for so many days, None for never."""
    return now + timedelta(days=days) if days else None


def _earlier(end: datetime | None, other: datetime | None) -> datetime | None:
    """Return the earlier of two ends; None is never."""
    return min((at for at in (end, other) if at), default=None)


def _create_key(
    now: datetime, latest_end: datetime | None, **values: Any
) -> tuple[KeyRow, Secret]:
    secret, id = generate_secret(), new_id(now)
    identity = {"id": id, "lineage": id, "prefix": secret.prefix, "hash": secret.hash}
    expires_at = _earlier(end_of_life(now, values["lifetime_days"]), latest_end)
    times = {"created_at": now, "expires_at": expires_at}
    return KeyRow.create(**identity | values | times), secret


def has_keys() -> bool:
    return bool(KeyRow.select().exists())


def add_bootstrap_key(hash: str, now: datetime) -> None:
    """Create the first admin key from the hash of its secret, if there is no key."""
    if not has_keys():
        now = next_instant("platform", now)
        KeyRow.create(
            id=(id := new_id(now)),
            prefix=f"mh_{hash[:8]}",
            hash=hash,
            name="Bootstrap key",
            scopes=["*"],
            created_at=now,
            issuer="the environment",
            lineage=id,
        )


def get_key(id: str) -> KeyRow:
    key = KeyRow.get_or_none(KeyRow.id == id)
    if key is None:
        raise key_not_found(id)
    return key


def key_not_found(id: str) -> KeyNotFound:
    return KeyNotFound(f"No key has the id {id}.")


def revoked_or_expired(now: datetime) -> Any:
    """Return the SQL condition for the keys that are not active."""
    expired = KeyRow.expires_at.is_null(False) & (KeyRow.expires_at <= now)
    return KeyRow.revoked_at.is_null(False) | expired


def list_keys(query: ListKeys, now: datetime) -> Page[KeyRow]:
    rows = KeyRow.select()
    if query.account_id is not None:
        rows = rows.where(KeyRow.account_id == query.account_id)
    if query.status is not None:
        inactive = revoked_or_expired(now)
        rows = rows.where(inactive if query.status == "revoked" else ~inactive)
    return cursor_page(
        rows, query, descending(KeyRow.created_at), descending(KeyRow.id)
    )


def update_key(key: KeyRow, request: UpdateKey, now: datetime) -> dict[str, Change]:
    """Change the fields that were sent; return the changes."""
    values = request.sent_fields()
    del values["id"]
    return key.change(values, now)


def revoke_key(key: KeyRow, now: datetime) -> bool:
    """Revoke the key permanently; return whether that changed anything."""
    if key.status(now) == "revoked":
        return False
    key.revoked_at = now
    key.save()
    return True


def added_scopes(key: KeyRow, request: UpdateKey) -> list[str]:
    """Return the scopes of the update that the key does not cover yet."""
    requested = request.scopes or []
    return [scope for scope in requested if not any_covers(key.scopes, scope)]


def require_active(key: KeyRow, now: datetime) -> None:
    if key.status(now) != "active":
        raise KeyNotActive("The key is revoked or has expired.")
