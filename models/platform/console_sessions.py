"""
Remember who is signed in to the console, and under which API key.

A session is a random id that the browser keeps in a cookie; stored is its SHA-256.
What the session may do is decided by its key at each request, so a session of a revoked
key can do nothing.
"""

import hashlib
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple

from peewee import TextField

from models.base import MomentField, Row, epoch_ms, from_epoch_ms
from models.storage.database import database

UNUSED_FOR = timedelta(hours=12)
AT_MOST = timedelta(days=7)
MOST_OF_A_KEY = 50
# How late the last use may be stored, so that reading pages writes nothing.
USE_PRECISION = timedelta(minutes=5)
TOKEN_BYTES = 32


class ConsoleSessionRow(Row):
    hash = TextField(primary_key=True)
    key_id = TextField(index=True)
    # The e-mail address of the person, given when signing in.
    person = TextField(null=True)
    created_at = MomentField()
    used_at = MomentField()
    expires_at = MomentField(index=True)


class ConsoleSession(NamedTuple):
    """A session that has not expired, with the hash of its key's secret."""

    hash: str
    key_hash: str
    person: str | None
    created_at: datetime
    used_at: datetime


# One statement for each page; Peewee takes longer to build it than SQLite to run it.
_BY_HASH = (
    "SELECT s.hash, k.hash, s.person, s.created_at, s.used_at FROM console_session s"
    ' JOIN "key" k ON k.id = s.key_id WHERE s.hash = ? AND s.expires_at > ?'
)


def start_session(key_id: str, person: str | None, now: datetime) -> str:
    """
    Store a new session, and return its token for the cookie.

    Of too many sessions of one key, those that were used longest ago end.
    """
    _end_oldest_sessions(key_id)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    ConsoleSessionRow.create(
        hash=_hash(token),
        key_id=key_id,
        person=person,
        created_at=now,
        used_at=now,
        expires_at=now + UNUSED_FOR,
    )
    return token


def _end_oldest_sessions(key_id: str) -> None:
    """Leave room for one more session of the key."""
    row = ConsoleSessionRow
    of_key = row.select(row.hash).where(row.key_id == key_id)
    kept = of_key.order_by(row.used_at.desc(), row.hash).limit(MOST_OF_A_KEY - 1)
    hashes = [session.hash for session in kept]
    if len(hashes) == MOST_OF_A_KEY - 1:
        row.delete().where(row.key_id == key_id, row.hash.not_in(hashes)).execute()


def find_session(token: str, now: datetime) -> ConsoleSession | None:
    """Return the session of a cookie's token, None if it has ended or never was."""
    row = database.fetch_one(_BY_HASH, (_hash(token), epoch_ms(now)))
    if row is None:
        return None
    hash, key_hash, person, created_at, used_at = row
    times = from_epoch_ms(created_at), from_epoch_ms(used_at)
    return ConsoleSession(hash, key_hash, person, *times)


def needs_renewal(session: ConsoleSession, now: datetime) -> bool:
    return now - session.used_at >= USE_PRECISION


def renew_session(session: ConsoleSession, now: datetime) -> None:
    """Let the session end 12 hours from now, but at most 7 days after it began."""
    expires_at = min(now + UNUSED_FOR, session.created_at + AT_MOST)
    row = ConsoleSessionRow
    change = row.update(used_at=now, expires_at=expires_at)
    change.where(row.hash == session.hash).execute()


def end_session(token: str) -> None:
    row = ConsoleSessionRow
    row.delete().where(row.hash == _hash(token)).execute()


def end_sessions_like(token: str, now: datetime) -> None:
    """End all sessions of the key that the token's session has, wherever they are."""
    row = ConsoleSessionRow
    is_like = (row.hash == _hash(token)) & (row.expires_at > now)
    key_id = row.select(row.key_id).where(is_like)
    row.delete().where(row.key_id.in_(key_id)).execute()


def delete_expired_sessions(now: datetime) -> None:
    row = ConsoleSessionRow
    row.delete().where(row.expires_at <= now).execute()


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
