"""What the command line tells of the keys: in lines, for people and for tools."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from models.fields import Id, Moment, format_moment
from models.platform.keys import ApiKey, KeyRow
from models.platform.secrets import FORM, hash_of, is_secret
from models.platform.verification import key_hashed

HEADS = ("prefix", "status", "created", "expires", "last used", "name", "scopes")


class InventoriedKey(ApiKey):
    """A key with all that is kept of it but its hash."""

    revoked_at: Moment | None
    last_used_at: Moment | None
    lifetime_days: int | None
    issuer: str
    lineage: Id


def listed(now: datetime) -> Iterator[InventoriedKey]:
    """Yield every key, newest first."""
    query = KeyRow.select().order_by(KeyRow.created_at.desc(), KeyRow.id.desc())
    return _seen(query.iterator(), now)


def stale(now: datetime, since: datetime) -> Iterator[InventoriedKey]:
    """Yield the active keys that nobody has used since then, longest unused first."""
    expired = KeyRow.expires_at.is_null(False) & (KeyRow.expires_at <= now)
    unused = KeyRow.last_used_at.is_null() | (KeyRow.last_used_at < since)
    query = KeyRow.select().where(
        KeyRow.revoked_at.is_null(), ~expired, unused, KeyRow.created_at < since
    )
    order = (KeyRow.last_used_at.asc(nulls="first"), KeyRow.created_at, KeyRow.id)
    return _seen(query.order_by(*order).iterator(), now)


def lines(keys: Iterable[InventoriedKey]) -> Iterator[str]:
    """Tell keys in columns, under their heads."""
    yield "\t".join(HEADS)
    for key in keys:
        moments = (key.created_at, key.expires_at, key.last_used_at)
        cells = [key.prefix, key.status, *map(_told, moments), key.name]
        yield "\t".join([*cells, ",".join(key.scopes)])


def looked_at(text: str, now: datetime) -> tuple[bool, list[str]]:
    """Tell whether the secret opens anything, and why; never the secret itself."""
    if FORM.fullmatch(text) is None:
        return False, ["form: wrong, this is no secret of ours"]
    told = ["form: right"]
    if not is_secret(text):
        return False, [*told, "checksum: wrong, a character is mistyped or missing"]
    told.append("checksum: right")
    key = key_hashed(hash_of(text))
    if key is None:
        return False, [*told, "database: does not know it"]
    status = key.status(now)
    told += [f"database: {status}", f"key: {key.id} {key.name}"]
    return status == "active", [*told, f"scopes: {', '.join(key.scopes)}"]


def _seen(rows: Iterable[KeyRow], now: datetime) -> Iterator[InventoriedKey]:
    return (InventoriedKey.model_validate(each.seen(now)) for each in rows)


def _told(at: datetime | None) -> str:
    return format_moment(at) if at else "never"
