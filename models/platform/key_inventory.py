"""List keys with their last use, for people, and diagnose a secret."""

from collections.abc import Collection, Iterable, Iterator
from datetime import datetime
from functools import reduce
from operator import or_

from models.fields import Id, Moment, format_moment
from models.pagination import CursorQuery, Page, cursor_page, descending
from models.platform.keys import (
    ApiKey,
    KeyRow,
    KeyStatus,
    get_key,
    revoked_or_expired,
)
from models.platform.scopes import unknown_scopes
from models.platform.secrets import SECRET_PATTERN, hash_secret, is_well_formed
from models.platform.verification import key_by_hash

COLUMNS = ("prefix", "status", "created", "expires", "last used", "name", "scopes")
UNKNOWN_MARK = " (opens no operation)"


class InventoriedKey(ApiKey):
    """A key with all its fields except its hash."""

    revoked_at: Moment | None
    replaced_at: Moment | None
    last_used_at: Moment | None
    lifetime_days: int | None
    issuer: str
    lineage: Id


class FindKeys(CursorQuery):
    """`q` is in the name, the prefix or the issuer of a key."""

    q: str | None = None
    status: KeyStatus | None = None


def find_keys(query: FindKeys, now: datetime) -> Page[InventoriedKey]:
    """Return a page of keys, newest first."""
    rows = KeyRow.select()
    if query.q:
        names = (KeyRow.name, KeyRow.prefix, KeyRow.issuer)
        rows = rows.where(reduce(or_, [name.contains(query.q) for name in names]))
    if query.status is not None:
        inactive = revoked_or_expired(now)
        rows = rows.where(inactive if query.status == "revoked" else ~inactive)
    page = cursor_page(
        rows, query, descending(KeyRow.created_at), descending(KeyRow.id)
    )
    return Page(list(_inventoried(page.items, now)), page.meta)


def inventoried_key(id: str, now: datetime) -> InventoriedKey:
    """Return a key with its last use; raise KeyNotFound."""
    (key,) = _inventoried([get_key(id)], now)
    return key


def all_keys(now: datetime) -> Iterator[InventoriedKey]:
    """Yield every key, newest first."""
    query = KeyRow.select().order_by(KeyRow.created_at.desc(), KeyRow.id.desc())
    return _inventoried(query.iterator(), now)


def stale_keys(now: datetime, since: datetime) -> Iterator[InventoriedKey]:
    """Yield the active keys that were not used since then, longest unused first."""
    unused = KeyRow.last_used_at.is_null() | (KeyRow.last_used_at < since)
    query = KeyRow.select().where(
        ~revoked_or_expired(now), unused, KeyRow.created_at < since
    )
    order = (KeyRow.last_used_at.asc(nulls="first"), KeyRow.created_at, KeyRow.id)
    return _inventoried(query.order_by(*order).iterator(), now)


def key_table(
    keys: Iterable[InventoriedKey], operations: Collection[str]
) -> Iterator[str]:
    """
    Yield the lines of a table with tabs, headings first.

    `operations` has the scope of each operation; scopes that open none are marked.
    """
    yield "\t".join(COLUMNS)
    for key in keys:
        moments = (key.created_at, key.expires_at, key.last_used_at)
        times = [format_moment(at) if at else "never" for at in moments]
        cells = [key.prefix, key.status, *times, key.name]
        unknown = unknown_scopes(key.scopes, operations)
        scopes = (f"{name}{UNKNOWN_MARK * (name in unknown)}" for name in key.scopes)
        yield "\t".join([*cells, ",".join(scopes)])


def diagnose_secret(text: str, now: datetime) -> tuple[bool, list[str]]:
    """Return whether the secret is accepted, and the findings, without the secret."""
    if SECRET_PATTERN.fullmatch(text) is None:
        return False, ["form: invalid, this is not a secret of Masthead"]
    findings = ["form: valid"]
    if not is_well_formed(text):
        return False, [
            *findings,
            "checksum: invalid, a character is mistyped or missing",
        ]
    findings.append("checksum: valid")
    key = key_by_hash(hash_secret(text))
    if key is None:
        return False, [*findings, "database: no key has this secret"]
    status = key.status(now)
    findings += [f"database: {status}", f"key: {key.id} {key.name}"]
    return status == "active", [*findings, f"scopes: {', '.join(key.scopes)}"]


def _inventoried(rows: Iterable[KeyRow], now: datetime) -> Iterator[InventoriedKey]:
    return (InventoriedKey.model_validate(row.to_response(now)) for row in rows)
