"""
First answers, kept for a day, so that a repeated request gets the same one.

A secret in an answer is never kept in plain text: it is cut out and sealed
under the caller's own bearer secret, which is not kept either.
"""

import hashlib
import hmac
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from peewee import AutoField, BlobField, ForeignKeyField, IntegerField, TextField

from models.base import MomentField, Row, canonical
from models.errors import IdempotencyInProgress, IdempotencyKeyReused, StorageBusy

KEPT = timedelta(hours=24)


@dataclass(frozen=True)
class Repeatable:
    """What a request must have in common with an earlier one to be its repeat."""

    caller: str
    actor: str
    operation: str
    text: str
    request: object
    bearer: str

    @property
    def id(self) -> str:
        names = [self.caller, self.actor, self.operation, self.text]
        return hashlib.sha256(canonical(names)).hexdigest()

    @property
    def fingerprint(self) -> str:
        return hashlib.sha256(canonical(self.request)).hexdigest()


class InProgress:
    """The repeatable requests that this process is answering."""

    def __init__(self) -> None:
        self._ids: Counter[str] = Counter()
        self._lock = Lock()

    @contextmanager
    def answering(self, request: Repeatable) -> Iterator[None]:
        """
        Tell a repeat that waited in vain for the storage what it waited for.

        Usually it waits for the first answer to be kept, and gets that.
        """
        with self._lock:
            is_repeat = self._ids[request.id] > 0
            self._ids[request.id] += 1
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
                self._ids -= Counter({request.id: 1})


class StoredAnswerRow(Row):
    id = TextField(primary_key=True)
    fingerprint = TextField()
    body = BlobField()
    secret_at = IntegerField(null=True)
    sealed = BlobField(null=True)
    secret_sha256 = TextField(null=True)
    completed_at = MomentField(index=True)


class AnswerSubjectRow(Row):
    """What an answer is about: where that is purged, its answers go too."""

    number = AutoField()
    answer = ForeignKeyField(StoredAnswerRow, on_delete="CASCADE", index=False)
    subject = TextField(index=True)

    class Meta:
        indexes = ((("answer", "subject"), True),)


def first_answer(request: Repeatable, now: datetime) -> bytes | None:
    """
    Return the answer that the same request was given before, byte for byte.

    Raise IdempotencyKeyReused when the key stood before another request.
    """
    row = StoredAnswerRow.get_or_none(StoredAnswerRow.id == request.id)
    if row is None or now - row.completed_at >= KEPT:
        return None
    if row.fingerprint != request.fingerprint:
        raise IdempotencyKeyReused(
            "This Idempotency-Key was sent before with another request."
            " Use a new key for a new request."
        )
    body = bytes(row.body)
    if row.secret_at is None:
        return body
    secret = _open(bytes(row.sealed or b""), request)
    if hashlib.sha256(secret).hexdigest() != row.secret_sha256:
        raise RuntimeError("A sealed secret does not open to what was sealed.")
    return body[: row.secret_at] + secret + body[row.secret_at :]


def keep_answer(
    request: Repeatable,
    body: bytes,
    now: datetime,
    *,
    secret: str | None = None,
    about: Iterable[str] = (),
) -> None:
    """
    Keep the answer, inside the transaction of its change.

    `about` are the ids of what it must not outlive.
    """
    row = {"id": request.id, "fingerprint": request.fingerprint, "completed_at": now}
    if secret is not None:
        plain = secret.encode()
        row["secret_at"] = body.index(plain)
        row["sealed"] = _seal(plain, request)
        row["secret_sha256"] = hashlib.sha256(plain).hexdigest()
        body = body.replace(plain, b"", 1)
    # One that is too old to be given may stand there, with what it was about.
    StoredAnswerRow.delete().where(StoredAnswerRow.id == request.id).execute()
    StoredAnswerRow.insert(body=body, **row).execute()
    subjects = [{"answer": request.id, "subject": id} for id in sorted(about)]
    if subjects:
        AnswerSubjectRow.insert_many(subjects).execute()


def forget_answers_about(subject: str) -> None:
    """Remove the answers about what is being purged."""
    about = AnswerSubjectRow.select(AnswerSubjectRow.answer).where(
        AnswerSubjectRow.subject == subject
    )
    StoredAnswerRow.delete().where(StoredAnswerRow.id.in_(about)).execute()


def forget_answers(now: datetime) -> int:
    """Remove the answers that are older than a day; return how many."""
    old = StoredAnswerRow.completed_at <= now - KEPT
    return int(StoredAnswerRow.delete().where(old).execute())


def _seal(plain: bytes, request: Repeatable) -> bytes:
    salt = secrets.token_bytes(16)
    return salt + _xor(plain, _stream(request, salt, len(plain)))


def _open(sealed: bytes, request: Repeatable) -> bytes:
    salt, masked = sealed[:16], sealed[16:]
    return _xor(masked, _stream(request, salt, len(masked)))


def _stream(request: Repeatable, salt: bytes, length: int) -> bytes:
    """HKDF-SHA256 (RFC 5869): extract, then expand."""
    info = f"{request.operation} {request.text}".encode()
    key = hmac.digest(salt, request.bearer.encode(), "sha256")
    stream, block, count = b"", b"", 0
    while len(stream) < length:
        count += 1
        block = hmac.digest(key, block + info + bytes([count]), "sha256")
        stream += block
    return stream[:length]


def _xor(left: bytes, right: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(left, right, strict=True))
