"""API keys: what they are, and how they are issued, changed, revoked and verified."""

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Annotated, Any, Literal

from peewee import FloatField, IntegerField, TextField
from pydantic import AfterValidator, Field

from models.audit import Target
from models.base import Change, ListField, MomentField, Row, Schema, new_id
from models.errors import KeyNotActive, KeyNotFound
from models.fields import TRIMMED, Id, MayOmit, Moment, SingleLine, Whole
from models.pagination import CursorQuery, Page, descending, page_of
from models.platform.scopes import any_covers, is_scope
from models.platform.secrets import Secret, make_secret

KeyStatus = Literal["active", "revoked"]


def _scope(text: str) -> str:
    if not is_scope(text):
        raise ValueError(
            "Must be *, or segments joined by : of which the last may be *."
        )
    return text


def _distinct(scopes: list[str]) -> list[str]:
    return list(dict.fromkeys(scopes))


Scope = Annotated[str, AfterValidator(_scope)]
Scopes = Annotated[
    list[Scope], Field(min_length=1, max_length=100), AfterValidator(_distinct)
]
KeyName = Annotated[str, TRIMMED, Field(min_length=1, max_length=120), SingleLine]
Capacity = Annotated[Whole, Field(ge=1, le=100_000)]
Refill = Annotated[float, Field(ge=0.1, le=10_000)]


class ApiKey(Schema):
    """A key as it may be seen; its secret is not among its members."""

    id: Id
    prefix: str
    name: str
    scopes: list[str]
    status: KeyStatus
    created_at: Moment
    expires_at: Moment | None
    rate_capacity: int | None
    rate_refill: float | None
    account_id: Id | None


class CreatedApiKey(ApiKey):
    secret: str


class CreateKey(Schema):
    name: KeyName
    scopes: Scopes
    rate_capacity: MayOmit[Capacity] = None
    rate_refill: MayOmit[Refill] = None
    expires_in_days: MayOmit[Annotated[Whole, Field(ge=1, le=3650)]] = None


class UpdateKey(Schema):
    """What is left out stays; a rate of null is the default rate again."""

    id: Id
    name: MayOmit[KeyName] = None
    scopes: MayOmit[Scopes] = None
    rate_capacity: Capacity | None = None
    rate_refill: Refill | None = None


class RemoveKey(Schema):
    id: Id


class RotateKey(Schema):
    id: Id
    grace_seconds: Annotated[Whole, Field(ge=0, le=2_592_000)] = 86_400

    @property
    def grace(self) -> timedelta:
        return timedelta(seconds=self.grace_seconds)


class GetKey(Schema):
    id: Id


class ListKeys(CursorQuery):
    status: KeyStatus | None = None
    account_id: str | None = None


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
    # The admin who issued it, and the line of keys that replaced one another.
    issuer = TextField()
    lineage = TextField()
    last_used_at = MomentField(null=True)

    class Meta:
        indexes = ((("created_at", "id"), False),)

    @property
    def audited(self) -> Target:
        return Target("key", self.id, self.name, self.prefix)

    def touch(self, now: datetime) -> None:  # noqa: ARG002
        """Save; that a key has changed is told by the audit alone."""
        self.save()

    def status(self, now: datetime) -> KeyStatus:
        return status_at(now, self.revoked_at, self.expires_at)

    def seen(self, now: datetime, secret: str | None = None) -> SimpleNamespace:
        """Return what may be shown at `now`; whose status depends on the time."""
        members = {name: getattr(self, name) for name in self._meta.fields}
        return SimpleNamespace(
            **members | {"status": self.status(now), "secret": secret}
        )


def status_at(
    now: datetime, revoked_at: datetime | None, expires_at: datetime | None
) -> KeyStatus:
    """Revoked when revoked or expired: what no longer opens is not active."""
    expired = expires_at is not None and now >= expires_at
    return "revoked" if revoked_at is not None or expired else "active"


def issue_key(
    request: CreateKey, now: datetime, *, issuer: str, account_id: str | None = None
) -> tuple[KeyRow, Secret]:
    """Make a key and return it with its secret, which is not kept."""
    return _keep(
        now,
        name=request.name,
        scopes=request.scopes,
        rate_capacity=request.rate_capacity,
        rate_refill=request.rate_refill,
        account_id=account_id,
        lifetime_days=request.expires_in_days,
        issuer=issuer,
    )


# What a replacement has of the key before it; its lineage is its one rate bucket.
_INHERITED = (
    *("name", "scopes", "rate_capacity", "rate_refill", "account_id"),
    *("lifetime_days", "issuer", "lineage"),
)


def replace_key(key: KeyRow, now: datetime, grace: timedelta) -> tuple[KeyRow, Secret]:
    """
    Make the key's replacement, with the lifetime that the key began with.

    The key itself ends with the grace, and never later than it would have.
    """
    ends = now + grace
    key.expires_at = min(ends, key.expires_at or ends)
    key.save()
    return _keep(now, **{name: getattr(key, name) for name in _INHERITED})


def told_rotation(new: KeyRow, request: RotateKey) -> str:
    return f"replaced by {new.prefix} ({new.id}); grace: {request.grace_seconds} s"


def _keep(now: datetime, **members: Any) -> tuple[KeyRow, Secret]:
    secret, id = make_secret(), new_id(now)
    days = members["lifetime_days"]
    named = {"id": id, "lineage": id, "prefix": secret.prefix, "hash": secret.hash}
    expires_at = now + timedelta(days=days) if days else None
    made = named | members | {"created_at": now, "expires_at": expires_at}
    return KeyRow.create(**made), secret


def any_key() -> bool:
    return bool(KeyRow.select().exists())


def adopt_key(hash: str, now: datetime) -> None:
    """Make the first admin key from its hash alone, while there is no key at all."""
    if not any_key():
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


def key_with(id: str) -> KeyRow:
    key = KeyRow.get_or_none(KeyRow.id == id)
    if key is None:
        raise no_key(id)
    return key


def no_key(id: str) -> KeyNotFound:
    return KeyNotFound(f"No key has the id {id}.")


def keys_listed(query: ListKeys, now: datetime) -> Page[KeyRow]:
    rows = KeyRow.select()
    if query.account_id is not None:
        rows = rows.where(KeyRow.account_id == query.account_id)
    over = KeyRow.revoked_at.is_null(False) | (
        KeyRow.expires_at.is_null(False) & (KeyRow.expires_at <= now)
    )
    if query.status is not None:
        rows = rows.where(over if query.status == "revoked" else ~over)
    return page_of(rows, query, descending(KeyRow.created_at), descending(KeyRow.id))


def change_key(key: KeyRow, request: UpdateKey, now: datetime) -> dict[str, Change]:
    """Give the key what was sent; return what that changed."""
    wanted = request.given()
    del wanted["id"]
    return key.change(wanted, now)


def revoke_key(key: KeyRow, now: datetime) -> bool:
    """Revoke for good; tell whether that changed anything."""
    if key.status(now) == "revoked":
        return False
    key.revoked_at = now
    key.save()
    return True


def gained(key: KeyRow, request: UpdateKey) -> list[str]:
    """Return the scopes that the update would add to what the key covers."""
    return [each for each in request.scopes or [] if not any_covers(key.scopes, each)]


def require_active(key: KeyRow, now: datetime) -> None:
    if key.status(now) != "active":
        raise KeyNotActive("The key is revoked or has expired.")
