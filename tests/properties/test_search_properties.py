"""Both engines find the same texts with the same words."""

import sqlite3
from contextlib import closing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.projects.search.search_query import parse_terms
from models.storage.engines.sqlite_search import SqliteTextIndex

pytestmark = pytest.mark.postgresql

INDEX = (
    "CREATE VIRTUAL TABLE text_index USING fts5(title, body,"
    " tokenize='unicode61 remove_diacritics 2')"
)
# Letters that differ by case, by accents, by how an accent is written, and signs that
# are in no word or, being younger than the tokenizer, in one.
LETTERS = (
    "abABéÉüñçſßİıΣσςΐǡ1²½_ -.*'\"\\&|!:()<>\t漢字か🔒🏻ǽ\u0301\u0308\u0345\u200b\ue000"
)
few = st.sampled_from(LETTERS)
# Words that come again, so that something is found.
words = st.sampled_from(["a", "ab", "é", "ba", "1", "漢", "aé"])
spaces = st.sampled_from([" ", "-", "_", ". ", "\u0301"])
anything = st.lists(words | spaces | few | st.characters(codec="utf-8"), max_size=30)
texts = (st.lists(words | spaces, max_size=20) | anything).map(
    lambda parts: "".join(parts).replace("\x00", "")
)
queries = st.lists(
    words | few | st.sampled_from([" ", '"', "* ", '" "']), min_size=1, max_size=8
).map("".join)


@pytest.fixture(scope="module")
def file():
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(INDEX)
        yield connection


@pytest.fixture
def found_by_file(file):
    def found(title, body, parts):
        file.execute("DELETE FROM text_index")
        file.execute("INSERT INTO text_index VALUES (?, ?)", (title, body))
        match = SqliteTextIndex().match_query(parts)
        query = "SELECT count(*) FROM text_index WHERE text_index MATCH ?"
        return file.execute(query, (match,)).fetchone()[0] == 1

    return found


@pytest.fixture
def found_by_server(store):
    from models.storage.engines.postgresql_search import tsquery_of, tsvector_of

    def found(title, body, parts):
        query = "SELECT ?::tsvector @@ ?::tsquery"
        parameters = tsvector_of(title, body), tsquery_of(parts)
        return store.execute_sql(query, parameters).fetchone()[0]

    return found


@st.composite
def cases(draw):
    """A text, and a query: anything, or a piece of the text."""
    title, body = draw(texts), draw(texts)
    whole = f"{title} {body}"
    start = draw(st.integers(0, len(whole)))
    piece = whole[start : start + draw(st.integers(1, 8))].replace('"', "")
    own = st.sampled_from([piece, f'"{piece}"', f"{piece.strip()}*"])
    return title, body, draw(queries | own)


# Three words, so that phrases are found, and almost found.
few_words = st.lists(st.sampled_from(["a", "ab", "É"]), max_size=6).map(" ".join)
phrases = few_words.map(lambda text: f'"{text}"') | few_words.map(
    lambda text: text + "*"
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=400)
@given(cases() | st.tuples(few_words, few_words, phrases))
def test_same_is_found(found_by_file, found_by_server, case):
    """Any text is found with any query on both engines or on neither."""
    title, body, payload = case
    parts = parse_terms(payload)

    if parts:
        by_file = found_by_file(title, body, parts)
        assert found_by_server(title, body, parts) == by_file
