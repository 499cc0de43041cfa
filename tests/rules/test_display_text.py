"""User text beside our own: text directions and control characters."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.display_text import (
    balance_directions,
    escape_line,
    escape_unsafe,
    isolate,
    plain_line,
    without_controls,
)

RLO, RLI, FSI, PDF, PDI = "\u202e", "\u2067", "\u2068", "\u202c", "\u2069"
MARKS = st.text("ab \u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@pytest.mark.parametrize(
    ("text", "balanced"),
    [
        ("plain", "plain"),
        (f"{RLO}abc", f"{RLO}abc{PDF}"),
        (f"a{PDI}{PDF}b", "ab"),
        (f"{RLI}{RLO}a{PDI}b", f"{RLI}{RLO}a{PDI}b"),
        (f"{RLO}{RLI}{PDF}a", f"{RLO}{RLI}a{PDI}{PDF}"),
    ],
)
def test_directions_end_within_the_text(text, balanced):
    """Directions that the text opens are closed, and surplus closings are removed."""
    assert balance_directions(text) == balanced


@given(MARKS)
def test_balanced_text_stays(text):
    """Balancing keeps all other characters, and is idempotent."""
    balanced = balance_directions(text)

    assert balance_directions(balanced) == balanced
    assert [c for c in balanced if c in "ab "] == [c for c in text if c in "ab "]
    # The surrounding text is not affected.
    assert balance_directions(f"{FSI}{balanced}{PDI}") == f"{FSI}{balanced}{PDI}"


@pytest.mark.parametrize("text", ["API", "Größe – 東京"])
def test_text_from_left_to_right_stays(text):
    """Only a text that can change the direction gets marks around it."""
    assert isolate(text) == text


def test_text_from_right_to_left_is_isolated():
    """Arabic letters and changes of direction are isolated by marks."""
    assert isolate("تعطل") == f"{FSI}تعطل{PDI}"
    assert isolate(f"{RLO}abc") == f"{FSI}{RLO}abc{PDF}{PDI}"


def test_terminal_is_not_changed():
    """No terminal control character is printed, and JSON stays the same JSON."""
    text = f"a\tb\n\x1b[31m\x07\x7f\x9b{RLO}\u2028\udcff\r"

    assert escape_unsafe(text) == (
        "a\tb\n\\u001b[31m\\u0007\\u007f\\u009b\\u202e\\u2028\\udcff\\u000d"
    )
    assert json.loads(escape_unsafe(json.dumps(text, ensure_ascii=False))) == text


def test_line_stays_one_line():
    """A name cannot break a line of a report into two."""
    assert escape_line("left out: a\npublished: b") == "left out: a\\u000apublished: b"


def test_controls_are_gone_from_plain_text():
    """Every line break becomes a line feed, and other controls are removed."""
    assert without_controls("a\r\nb\x85c\u2028d\x0be\x1b[1m\t") == "a\nb\nc\nd\ne[1m\t"
    assert plain_line("a\u2028b\x1b \x00 c") == "a b c"
