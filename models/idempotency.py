"""
First answers, kept for a day, so that a repeated request gets the same one.

A secret in an answer is never stored in plain text: it is cut out and sealed under
the caller's own bearer secret, which is not stored either (models/sealing.py).
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from threading import Lock

from peewee import AutoField, BlobField, ForeignKeyField, IntegerField, TextField

from models.base import MomentField, Row, canonical, milliseconds
from models.errors import IdempotencyInProgress, IdempotencyKeyReused, StorageBusy
from models.sealing import SealBroken, open_sealed, seal

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
    secret = _open(row, body, request.bearer)
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
    id, fingerprint = request.id, request.fingerprint
    row = {"id": id, "fingerprint": fingerprint, "completed_at": now}
    if secret is not None:
        plain = secret.encode()
        secret_at = body.index(plain)
        body = body.replace(plain, b"", 1)
        record = _record(id, fingerprint, now, secret_at, body)
        row |= {"secret_at": secret_at, "sealed": seal(plain, request.bearer, record)}
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


def _open(row: StoredAnswerRow, body: bytes, bearer: str) -> bytes:
    record = _record(row.id, row.fingerprint, row.completed_at, row.secret_at, body)
    try:
        return open_sealed(bytes(row.sealed or b""), bearer, record)
    except SealBroken as error:
        raise RuntimeError(
            f"The secret in the stored response {row.id} cannot be opened: the record"
            " was changed, or another key or version sealed it."
        ) from error


def _record(
    id: str,
    fingerprint: str,
    completed_at: datetime,
    secret_at: int | None,
    body: bytes,
) -> bytes:
    """Return what a sealed secret belongs to: all of its record, as bytes."""
    digest = hashlib.sha256(body).hexdigest()
    return canonical([id, fingerprint, milliseconds(completed_at), secret_at, digest])
