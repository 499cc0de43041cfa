"""Which key a hash belongs to: asked by every request, and by gateways."""

import json
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Annotated, NamedTuple

from pydantic import Field

from models.base import Schema, moment
from models.errors import KeyNotFound
from models.fields import SHA256, Id
from models.platform.keys import KeyRow, KeyStatus, status_at
from models.storage.database import database

# How long a gateway may trust what it was told of a key.
ACTIVE_SECONDS, REVOKED_SECONDS = 60, 5


class VerifyKey(Schema):
    hash: Annotated[str, Field(pattern=SHA256)]


class VerifiedKey(Schema):
    id: Id
    prefix: str
    name: str
    scopes: list[str]
    status: KeyStatus
    rate_capacity: int | None
    rate_refill: float | None


class HeldKey(NamedTuple):
    """What is asked of a key by those it is shown to; a row takes too long to make."""

    id: str
    prefix: str
    name: str
    rate_capacity: int | None
    rate_refill: float | None
    account_id: str | None
    issuer: str
    lineage: str
    scopes: tuple[str, ...]
    revoked_at: datetime | None
    expires_at: datetime | None

    def status(self, now: datetime) -> KeyStatus:
        return status_at(now, self.revoked_at, self.expires_at)

    def seen(self, now: datetime) -> dict[str, object]:
        """Return the members of what a gateway is told at `now`."""
        return {
            "id": self.id,
            "prefix": self.prefix,
            "name": self.name,
            "scopes": list(self.scopes),
            "status": self.status(now),
            "rate_capacity": self.rate_capacity,
            "rate_refill": self.rate_refill,
        }

    def trusted_seconds(self, now: datetime) -> int:
        """How long the answer holds: never beyond the end of the key."""
        if self.status(now) != "active":
            return REVOKED_SECONDS
        if self.expires_at is None:
            return ACTIVE_SECONDS
        return min(ACTIVE_SECONDS, (self.expires_at - now) // timedelta(seconds=1))


# Peewee needs far longer to say this than SQLite to answer it, and every request
# asks it: so it is said once.
_COLUMNS = [getattr(KeyRow, name) for name in HeldKey._fields]
_BY_HASH, _ = KeyRow.select(*_COLUMNS).where(KeyRow.hash == "").sql()


def key_hashed(hash: str) -> HeldKey | None:
    """Return the key whose secret has this SHA-256, whatever its state."""
    found = database.connection().execute(_BY_HASH, (hash,)).fetchone()
    if found is None:
        return None
    *members, scopes, revoked_at, expires_at = found
    times = _time(revoked_at), _time(expires_at)
    return HeldKey._make((*members, _read_scopes(scopes), *times))


@lru_cache
def _read_scopes(kept: str) -> tuple[str, ...]:
    return tuple(json.loads(kept))


def _time(kept: int | None) -> datetime | None:
    return None if kept is None else moment(kept)


def key_verified(request: VerifyKey) -> HeldKey:
    key = key_hashed(request.hash)
    if key is None:
        raise KeyNotFound("No key has this hash.")
    return key
