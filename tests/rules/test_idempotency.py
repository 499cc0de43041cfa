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

pytestmark = pytest.mark.both_engines

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


def test_two_seals_of_one_secret_differ(store):
    """Each seal has a salt of its own."""
    seals = set()
    for text in ("one", "two"):
        keep_answer(replace(ASKED, text=text), ANSWER, NOON, secret=SECRET)
    for row in StoredAnswerRow.select():
        seals.add(bytes(row.sealed)[16:])

    assert len(seals) == 2


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
