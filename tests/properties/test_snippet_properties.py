"""Search highlights exactly what the index of words found."""

import sqlite3

from hypothesis import given
from hypothesis import strategies as st

from models.projects.search.search_query import match_expression
from models.projects.search.snippets import MAX_LENGTH, SnippetMaker

INDEX = "CREATE VIRTUAL TABLE t USING fts5(a, tokenize='unicode61 remove_diacritics 2')"
letters = st.sampled_from([*"abABéÉüñç1_ -.*\n\t漢🔒ßx", "e\u0301"])
words = st.lists(letters, min_size=1, max_size=12).map("".join)
texts = st.lists(letters, max_size=60).map("".join)


def matches(body, match):
    """Whether SQLite finds the query in the text."""
    store = sqlite3.connect(":memory:")
    store.execute(INDEX)
    store.execute("INSERT INTO t VALUES (?)", [body])
    found = store.execute("SELECT 1 FROM t WHERE t MATCH ?", [match]).fetchall()
    store.close()
    return bool(found)


@given(word=words, body=texts)
def test_highlighted_is_what_is_found(word, body):
    """A text that one word or phrase finds has a highlight, and no other has."""
    request = f'"{word}"'
    match = match_expression(request)

    snippet, highlights = SnippetMaker(request).snippet(body)

    found = match is not None and matches(body, match)
    assert bool(highlights) == found, (snippet, match)


@given(query=st.text(min_size=1, max_size=200), body=st.text(max_size=2000))
def test_highlights_lie_in_the_snippet(query, body):
    """A snippet is one short line, with highlights that do not overlap."""
    snippet, highlights = SnippetMaker(query).snippet(body)

    assert len(snippet) <= MAX_LENGTH
    assert snippet.isprintable()
    end = 0
    for start, length in highlights:
        assert end <= start < start + length <= len(snippet)
        end = start + length


@given(query=st.text(max_size=200))
def test_no_query_is_an_error(query):
    """SQLite accepts every query that is made from any input."""
    match = match_expression(query)

    if match is not None:
        matches("a text", match)
