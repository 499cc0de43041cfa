"""Further ids of headings, for links in GitHub's spelling and to former headings."""

import pytest

from models.projects.documents.linking.alternative_ids import (
    TITLE,
    alternative_ids,
    github_spelling,
    numbered,
)


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("2.2.2. Line terminators", "222-line-terminators"),
        ("A & B", "a--b"),
        ("dispatch(action)", "dispatchaction"),
        ("snake_case stays", "snake_case-stays"),
        ("What's new?", "whats-new"),
        ("Größe: Ä/é 🎉 x", "größe-äé--x"),
        ("…", ""),
        ("x" * 301, ""),
    ],
)
def test_github_spelling(text, spelling):
    """Punctuation is dropped, each space is a hyphen; very long ids are left out."""
    assert github_spelling(text) == spelling


def test_numbered():
    """Equal spellings are numbered; a number never repeats an earlier spelling."""
    assert numbered(["a", "a", "a-1", "a"]) == ["a", "a-1", "a-1-1", "a-2"]


def test_alternatives_beside_own_ids():
    """An id that a heading has already stays its own; the others are alternatives."""
    outline = [(2, "a-b", "A & B"), (2, "open", "open()"), (2, "c-d", "a--b")]

    found = alternative_ids("Store", [outline])

    assert found == {"a--b": "a-b", "a--b-1": "c-d", "store": TITLE}


def test_title_is_counted_or_not():
    """A heading that repeats the title is also found by the number after the title."""
    found = alternative_ids("Store", [[(2, "store", "Store"), (2, "store-1", "Store")]])

    assert found == {"store-2": "store-1"}


def test_former_id_outranks_a_spelling():
    """A former id of a heading takes precedence over a spelling of another."""
    before = [(2, "a--b", "Former"), (2, "x", "X")]
    after = [(2, "renamed", "Renamed"), (2, "x", "X"), (2, "a-b", "A & B")]

    found = alternative_ids("T", [before, after])

    assert found["a--b"] == "renamed"
