"""Look up the key of a hash, for every request and for API gateways."""

import json
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Annotated, NamedTuple

from pydantic import Field

from models.base import Schema, from_epoch_ms
from models.errors import KeyNotFound
from models.fields import SHA256_HEX, Id
from models.platform import descriptions
from models.platform.keys import KeyRow, KeyStatus, status_at
from models.storage.database import database

# For how long a gateway may cache the result.
ACTIVE_SECONDS, REVOKED_SECONDS = 60, 5


class VerifyKey(Schema):
    hash: Annotated[str, Field(pattern=SHA256_HEX)] = Field(
        description="The SHA-256 of the secret, in hexadecimal.",
        examples=["9f86d081884c7d65" * 4],
    )


class VerifiedKey(Schema):
    id: Annotated[Id, descriptions.KEY_ID]
    prefix: str = Field(
        description="The first characters of the secret, which identify it.",
        examples=["mh_7Gk2pQ9x"],
    )
    name: Annotated[str, descriptions.KEY_NAME]
    scopes: Annotated[list[str], descriptions.SCOPES]
    status: Annotated[KeyStatus, descriptions.KEY_STATUS]
    rate_capacity: Annotated[int | None, descriptions.RATE_CAPACITY]
    rate_refill: Annotated[float | None, descriptions.RATE_REFILL]


class VerifiedKeyRecord(NamedTuple):
    """The fields of a key that authentication needs; a Peewee row is slower."""

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

    def to_response(self, now: datetime) -> dict[str, object]:
        """Return the fields of VerifiedKey at `now`."""
        return {
            "id": self.id,
            "prefix": self.prefix,
            "name": self.name,
            "scopes": list(self.scopes),
            "status": self.status(now),
            "rate_capacity": self.rate_capacity,
            "rate_refill": self.rate_refill,
        }

    def max_age(self, now: datetime) -> int:
        """Return the seconds to cache the result, at most until the key expires."""
        if self.status(now) != "active":
            return REVOKED_SECONDS
        if self.expires_at is None:
            return ACTIVE_SECONDS
        return min(ACTIVE_SECONDS, (self.expires_at - now) // timedelta(seconds=1))


# Built once, since every request runs it, and Peewee takes much longer to build it than
# SQLite to run it.
_COLUMNS = [getattr(KeyRow, name) for name in VerifiedKeyRecord._fields]
_BY_HASH, _ = KeyRow.select(*_COLUMNS).where(KeyRow.hash == "").sql()


def key_by_hash(hash: str) -> VerifiedKeyRecord | None:
    """
    Return the key whose secret has this SHA-256, whatever its status.

    Each call looks the key up, so a revoked key is refused at once in all processes.
    """
    row = database.fetch_one(_BY_HASH, (hash,))
    if row is None:
        return None
    *values, scopes, revoked_at, expires_at = row
    times = _to_datetime(revoked_at), _to_datetime(expires_at)
    return VerifiedKeyRecord._make((*values, _parse_scopes(scopes), *times))


@lru_cache
def _parse_scopes(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


def _to_datetime(value: int | None) -> datetime | None:
    return None if value is None else from_epoch_ms(value)


def verify_key(request: VerifyKey) -> VerifiedKeyRecord:
    key = key_by_hash(request.hash)
    if key is None:
        raise KeyNotFound("No key has this hash.")
    return key
