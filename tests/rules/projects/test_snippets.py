"""The snippets of a search."""

import pytest

from models.errors import QueryTooCostly
from models.projects.search.snippets import MAX_LENGTH, SnippetMaker
from models.storage.database import limited_query, reading
from tests.processor import at_most


def shown(query, body):
    """Return the snippet, and the words in it that are highlighted."""
    snippet, highlights = SnippetMaker(query).snippet(body)
    assert len(snippet) <= MAX_LENGTH
    return snippet, [snippet[start : start + length] for start, length in highlights]


@pytest.mark.parametrize(
    ("payload", "body", "words"),
    [
        ("lock", "A lock. Locks unlock the lock_file.", ["lock", "lock"]),
        ("LOCK", "a Lock", ["Lock"]),
        ("lo*", "A lock and locks, not below", ["lock", "locks"]),
        ('"the lock"', "the key, the\n lock: lock", ["the lock"]),
        ("the lock", "the key, the lock", ["the", "the", "lock"]),
        ("a.b", "ab a-b a b", ["a-b", "a b"]),
        ("cafe", "Café, CAFÉ, cafe\u0301, cafés", ["Café", "CAFÉ", "café"]),
        ("café", "a cafe", ["cafe"]),
        ("lock", "🔒🔒 lock 🔑", ["lock"]),
        ("日本", "日本 語", ["日本"]),
        ("İstanbul", "istanbul", ["istanbul"]),
        ("straße", "Straße", ["Straße"]),
        ("lock", "nothing", []),
        ("lock", "", []),
        (".*", "a.*b", []),
    ],
)
def test_highlights(payload, body, words):
    """Highlights are in code points, and ignore case and accents."""
    assert shown(payload, body)[1] == words


def test_of_a_long_text():
    """
    A snippet begins shortly before the first hit, between words, with an ellipsis.
    """
    body = "before " * 1000 + "here is the lock\n\n" + "after " * 1000

    snippet, words = shown("lock", body)

    assert snippet.startswith("…before before")
    assert snippet.endswith(" after…")
    assert "before here is the lock after" in snippet
    assert words == ["lock"]


def test_of_a_short_text():
    """A text that fits is shown whole, as one line without control characters."""
    assert shown("b", "a\r\n\tb\x07\u2028c") == ("a b c", ["b"])
    assert shown("x", "a " * 119 + "ab") == ("a " * 119 + "ab", [])


def test_without_a_hit():
    """Without a match in the text, the snippet is its beginning."""
    assert shown("lock", "word " * 100)[0].startswith("word word")


@pytest.mark.parametrize("size", [MAX_LENGTH - 1, MAX_LENGTH, MAX_LENGTH + 1, 5000])
def test_of_one_word_without_end(size):
    """A word that fills the whole snippet is cut, and not highlighted."""
    snippet, words = shown("x" * 10, "x" * size)

    assert len(snippet) == min(size, MAX_LENGTH)
    assert words == []


@pytest.mark.parametrize(
    "body",
    [
        "a " * 250_000,
        "é" * 500_000,
        "é " * 250_000,
        "漢" * 500_000,
        "ab\u0301" * 170_000,
        "x" + "\u0301\u0316" * 250_000,
        "xabcde" * 80_000,
    ],
)
def test_takes_bounded_time(body):
    """A snippet of the longest text takes bounded time."""
    query = " ".join(f"{a}{b}*" for a in "abcdé" for b in "abcdefghij")

    with at_most(0.5):
        SnippetMaker(query).snippet(body)


@pytest.mark.parametrize("separator", [" ", "._" * 500])
def test_long_phrase_takes_bounded_time(separator):
    """
    Matching a long phrase takes bounded time, however often its first word occurs.
    """
    phrase = '"' + "a " * 98 + 'b"'
    # Up to 49 MB, which take a while to create.
    body = f"a{separator}" * 49_000

    with at_most(0.05):
        SnippetMaker(phrase).snippet(body)


def test_phrase_after_a_part_of_it():
    """A phrase is found directly after a partial match of itself."""
    body = "before " * 100 + "aa b, a; a_a b"

    _, words = shown('"a a b"', body)

    assert words == ["a_a b"]


def test_processor_time_counts(store):
    """Snippets count for the processor time of the query that they belong to."""
    with reading(), limited_query(0), pytest.raises(QueryTooCostly):
        SnippetMaker("lock").snippet("a lock")
