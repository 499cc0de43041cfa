"""
Store the response of an idempotent request for a day, for repeats of the request.

A secret in a response is never stored in plain text: it is cut out and sealed under
the caller's own bearer secret, which is not stored either (see models/sealing.py).
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from threading import Lock

from peewee import AutoField, BlobField, ForeignKeyField, IntegerField, TextField

from models.base import MomentField, Row, Schema, canonical_json, epoch_ms
from models.errors import (
    IdempotencyInProgress,
    IdempotencyKeyReused,
    IdempotencySecretSealed,
    StorageBusy,
)
from models.runtime.byte_locks import ByteLocks
from models.sealing import SealBroken, open_sealed, seal
from models.storage.database import database

RETENTION = timedelta(hours=24)


@dataclass(frozen=True)
class IdempotentRequest:
    """
    The parts of a request that its repeat must have in common with it.

    The caller is the lineage of its API key, so that a repeat under a replacement of
    the key is one. `bearer` is the secret of the key, which may differ.
    """

    lineage: str
    actor: str
    operation: str
    key: str
    request: Schema | None
    key_id: str
    key_prefix: str
    bearer: str
    # The digest of the file that came with the request, if one did.
    upload_digest: str | None = None

    @cached_property
    def id(self) -> str:
        return self._id_of(self.lineage)

    @cached_property
    def sealed_by(self) -> str:
        """
        Name what a secret in the response is sealed under.

        That is the key, by its prefix, or a session of the console under the key.
        """
        if self.bearer.startswith(self.key_prefix):
            return self.key_prefix
        digest = hashlib.sha256(self.bearer.encode()).hexdigest()
        return f"{self.key_prefix} session {digest[:16]}"

    @property
    def id_of_key(self) -> str:
        """The id that earlier versions stored: the caller was the key itself."""
        return self._id_of(self.key_id)

    def _id_of(self, caller: str) -> str:
        parts = [caller, self.actor, self.operation, self.key]
        return hashlib.sha256(canonical_json(parts)).hexdigest()

    @cached_property
    def fingerprint(self) -> str:
        request = self.request
        content = canonical_json(None) if request is None else request.canonical_bytes()
        if self.upload_digest is not None:
            content += self.upload_digest.encode()
        return hashlib.sha256(content).hexdigest()

    def has_fingerprint(self, stored: str) -> bool:
        """Return whether this version or an earlier one stored it for this request."""
        if stored == self.fingerprint:
            return True
        if self.request is None or self.upload_digest is not None:
            return False
        # Earlier versions stored these for batches of measurements.
        earlier = (
            Schema.canonical_bytes(self.request),
            self.request.model_dump_json(exclude_unset=True).encode(),
        )
        return stored in (hashlib.sha256(content).hexdigest() for content in earlier)


class RequestsInProgress:
    """
    The idempotent requests that the processes of this server are carrying out.

    The object is created before the processes are forked.
    """

    def __init__(self) -> None:
        self._ids: Counter[str] = Counter()
        self._lock = Lock()
        self._locks = ByteLocks()

    @contextmanager
    def track(self, request: IdempotentRequest) -> Iterator[None]:
        """
        Raise IdempotencyInProgress for a repeat that gave up waiting for the storage.

        Usually a repeat waits until the first response is stored, and returns that.
        """
        # Computed now, because others wait while a transaction writes.
        id, _ = request.id, request.fingerprint
        with self._lock:
            is_repeat = (
                not self._locks.try_acquire(_lock_number(id)) or self._ids[id] > 0
            )
            self._ids[id] += 1
        try:
            yield
        except StorageBusy:
            if is_repeat:
                raise IdempotencyInProgress(
                    "A request with this Idempotency-Key is still being answered."
                ) from None
            raise
        finally:
            with self._lock:
                self._ids -= Counter({id: 1})
                if id not in self._ids:
                    self._locks.release(_lock_number(id))


def _lock_number(id: str) -> int:
    return int(id[:15], 16)


class StoredResponseRow(Row):
    id = TextField(primary_key=True)
    fingerprint = TextField()
    body = BlobField()
    secret_offset = IntegerField(null=True)
    sealed_secret = BlobField(null=True)
    # The prefix of the key under whose secret it is sealed; in the console, and a
    # digest of the session's token.
    sealed_by = TextField(null=True)
    completed_at = MomentField(index=True)


class StoredResponseSubjectRow(Row):
    """An entity that a stored response shows; purging it deletes the response."""

    number = AutoField()
    response = ForeignKeyField(StoredResponseRow, on_delete="CASCADE", index=False)
    subject = TextField(index=True)

    class Meta:
        indexes = ((("response", "subject"), True),)


# Fixed SQL, because Peewee takes longer to build it than the engine to run it.
_EXISTS = "SELECT 1 FROM stored_response WHERE id = ?"
_DELETE = "DELETE FROM stored_response WHERE id = ?"
_INSERT = (
    "INSERT INTO stored_response (id, fingerprint, body, secret_offset, sealed_secret,"
    " sealed_by, completed_at) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def stored_response(request: IdempotentRequest, now: datetime) -> bytes | None:
    """
    Return the stored response of the same request, byte for byte, or None.

    Raise IdempotencyKeyReused if the key was sent with another request before, and
    IdempotencySecretSealed if the response has a secret that only another API key of
    the lineage, or another session of the console, can open.
    """
    row = _unexpired_row(request.id, now)
    if row is None and request.key_id != request.lineage:
        row = _unexpired_row(request.id_of_key, now)
    if row is None:
        return None
    if not request.has_fingerprint(row.fingerprint):
        raise IdempotencyKeyReused(
            "This Idempotency-Key was sent before with another request."
            " Use a new key for a new request."
        )
    body = bytes(row.body)
    if row.secret_offset is None:
        return body
    _require_same_seal(row, request)
    secret = _open_secret(row, body, request.bearer)
    return body[: row.secret_offset] + secret + body[row.secret_offset :]


def store_response(
    request: IdempotentRequest,
    body: bytes,
    now: datetime,
    *,
    secret: str | None = None,
    subjects: Iterable[str] = (),
) -> None:
    """
    Store the response, inside the transaction of the change.

    `secret` is the part of the body to seal. `subjects` are the ids of the entities
    whose purge must delete the response.
    """
    id, fingerprint = request.id, request.fingerprint
    sealed: tuple[int | None, bytes | None, str | None] = (None, None, None)
    if secret is not None:
        plain = secret.encode()
        offset = body.index(plain)
        body = body.replace(plain, b"", 1)
        associated_data = _associated_data(id, fingerprint, now, offset, body)
        sealed_secret = seal(plain, request.bearer, associated_data)
        sealed = offset, sealed_secret, request.sealed_by
    connection = database.connection()
    # An expired response may still be there, with its subjects.
    connection.execute(_DELETE, (id,))
    connection.execute(_INSERT, (id, fingerprint, body, *sealed, epoch_ms(now)))
    rows = [
        {"response": request.id, "subject": subject} for subject in sorted(subjects)
    ]
    if rows:
        StoredResponseSubjectRow.insert_many(rows).execute()


def delete_responses_about(subject: str) -> None:
    """Delete the responses that show an entity that is being purged."""
    ids = StoredResponseSubjectRow.select(StoredResponseSubjectRow.response).where(
        StoredResponseSubjectRow.subject == subject
    )
    StoredResponseRow.delete().where(StoredResponseRow.id.in_(ids)).execute()


def delete_expired_responses(now: datetime) -> int:
    """Delete the responses that are older than a day; return their number."""
    is_expired = StoredResponseRow.completed_at <= now - RETENTION
    return int(StoredResponseRow.delete().where(is_expired).execute())


def _unexpired_row(id: str, now: datetime) -> StoredResponseRow | None:
    if database.connection().execute(_EXISTS, (id,)).fetchone() is None:
        return None
    row = StoredResponseRow.get_or_none(StoredResponseRow.id == id)
    return None if row is None or now - row.completed_at >= RETENTION else row


def _require_same_seal(row: StoredResponseRow, request: IdempotentRequest) -> None:
    """Raise IdempotencySecretSealed unless this key or session sealed the secret."""
    if row.sealed_by == request.sealed_by:
        return
    # Earlier versions sealed only for the key that the id names.
    if row.sealed_by is None and row.id == request.id_of_key:
        return
    prefix, _, session = (row.sealed_by or "").partition(" ")
    key = f"the API key {prefix}" if prefix else "the API key that sent the request"
    place = f"a session of the console under {key}" if session else key
    raise IdempotencySecretSealed(
        "This request was already carried out, and nothing was created again. The"
        " response contains a secret that can only be shown where it was asked for,"
        f" which is {place}. Repeat the request there, or rotate what was created to"
        " get a new secret."
    )


def _open_secret(row: StoredResponseRow, body: bytes, bearer: str) -> bytes:
    at, offset = row.completed_at, row.secret_offset
    associated_data = _associated_data(row.id, row.fingerprint, at, offset, body)
    try:
        return open_sealed(bytes(row.sealed_secret or b""), bearer, associated_data)
    except SealBroken as error:
        raise RuntimeError(
            f"The secret in the stored response {row.id} cannot be opened: the record"
            " was changed, or another key or version sealed it."
        ) from error


def _associated_data(
    id: str,
    fingerprint: str,
    completed_at: datetime,
    offset: int | None,
    body: bytes,
) -> bytes:
    """Return what a sealed secret is bound to: the rest of its record."""
    digest = hashlib.sha256(body).hexdigest()
    return canonical_json([id, fingerprint, epoch_ms(completed_at), offset, digest])
