"""Stored answers: found by what is repeated, sealed, and forgotten."""

from dataclasses import replace
from datetime import timedelta

import pytest

from models.errors import IdempotencyInProgress, IdempotencyKeyReused, StorageBusy
from models.idempotency import (
    AnswerSubjectRow,
    InProgress,
    Repeatable,
    StoredAnswerRow,
    first_answer,
    forget_answers,
    forget_answers_about,
    keep_answer,
)
from tests.conftest import NOON

ASKED = Repeatable("key", "None None", "op", "text", {"a": 1}, "mh_bearer")
SECRET = "mh_12345678_" + "s" * 49
ANSWER = f'{{"data":{{"secret":"{SECRET}"}}}}'.encode()


def test_found(store):
    """The same request finds its answer, byte for byte."""
    keep_answer(ASKED, b'{"data":1}', NOON)

    assert first_answer(ASKED, NOON) == b'{"data":1}'


@pytest.mark.parametrize("name", ["caller", "actor", "operation", "text"])
def test_not_found(name, store):
    """Caller, actor, operation and text are what finds an answer."""
    keep_answer(ASKED, b"{}", NOON)

    assert first_answer(replace(ASKED, **{name: "other"}), NOON) is None


def test_names_do_not_run_together(store):
    """What one name ends with is not what the next begins with."""
    keep_answer(replace(ASKED, operation="a", text="bc"), b"{}", NOON)

    assert first_answer(replace(ASKED, operation="ab", text="c"), NOON) is None


def test_other_question(store):
    """The same text before another question is refused."""
    keep_answer(ASKED, b"{}", NOON)

    with pytest.raises(IdempotencyKeyReused):
        first_answer(replace(ASKED, request={"a": 2}), NOON)


def test_sealed(store):
    """A secret is kept under the asking key, which is not kept."""
    keep_answer(ASKED, ANSWER, NOON, secret=SECRET)

    row = StoredAnswerRow.get()
    assert SECRET.encode() not in bytes(row.body) + bytes(row.sealed)
    assert first_answer(ASKED, NOON) == ANSWER


def test_sealed_for_another(store):
    """Under another bearer the seal does not open, and nothing is answered."""
    keep_answer(ASKED, ANSWER, NOON, secret=SECRET)

    with pytest.raises(RuntimeError):
        first_answer(replace(ASKED, bearer="mh_other"), NOON)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("completed_at", NOON + timedelta(hours=1)),
        ("secret_at", 0),
        ("body", b'{"data":{"secret":"","name":"Mallory"}}'),
        ("sealed", b""),
        ("sealed", b"s" * 16 + b"x" * len(SECRET)),  # as an earlier version sealed
    ],
)
def test_tampered(column, value, store):
    """A sealed secret is bound to its record: after a change nothing is answered."""
    keep_answer(ASKED, ANSWER, NOON, secret=SECRET)
    StoredAnswerRow.update({column: value}).execute()

    with pytest.raises(RuntimeError, match="cannot be opened"):
        first_answer(ASKED, NOON + timedelta(hours=2))


def test_seal_of_another_record(store):
    """A secret that was sealed for one request does not open for another."""
    other = replace(ASKED, text="other")
    for request in (ASKED, other):
        keep_answer(request, ANSWER, NOON, secret=SECRET)
    sealed = StoredAnswerRow.get_by_id(other.id).sealed
    StoredAnswerRow.update(sealed=sealed).where(
        StoredAnswerRow.id == ASKED.id
    ).execute()

    with pytest.raises(RuntimeError, match="cannot be opened"):
        first_answer(ASKED, NOON)
    assert first_answer(other, NOON) == ANSWER


def test_forgotten(store):
    """After 24 hours an answer counts for nothing, and is removed."""
    day = timedelta(hours=24)
    keep_answer(ASKED, b"{}", NOON)
    keep_answer(replace(ASKED, text="later"), b"{}", NOON + timedelta(milliseconds=1))

    assert first_answer(ASKED, NOON + day) is None
    assert forget_answers(NOON + day) == 1
    assert StoredAnswerRow.select().count() == 1


def test_forgotten_with_its_subject(store):
    """What an answer is about takes it along, and leaves the others."""
    for text, about in (("one", {"a", "b"}), ("two", {"b"}), ("three", set())):
        keep_answer(replace(ASKED, text=text), b"{}", NOON, about=about)

    forget_answers_about("a")

    found = {
        text: first_answer(replace(ASKED, text=text), NOON)
        for text in ("one", "two", "three")
    }
    assert found == {"one": None, "two": b"{}", "three": b"{}"}
    assert [row.subject for row in AnswerSubjectRow] == ["b"]


def test_answered_anew_after_a_day(store):
    """The new answer takes the place of the old, and of what that was about."""
    keep_answer(ASKED, b"{}", NOON, about={"a"})
    keep_answer(ASKED, b"{}", NOON + timedelta(days=2), about={"b"})

    assert [row.subject for row in AnswerSubjectRow] == ["b"]


def test_repeat_that_waits_in_vain():
    """It is told that it is a repeat; a first request, that the storage is busy."""
    progress = InProgress()

    def fail():
        with progress.answering(ASKED):
            raise StorageBusy("busy")

    with progress.answering(ASKED), pytest.raises(IdempotencyInProgress):
        fail()
    with pytest.raises(StorageBusy):
        fail()
