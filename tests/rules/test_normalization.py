"""Unicode text in one form, whatever it contains."""

import unicodedata

import pytest

from models.normalization import MAX_MARKS, normalize
from tests.processor import at_most

FORMS = ["NFC", "NFD", "NFKC", "NFKD"]
# Every character, also the ones which are not assigned; surrogates are not text.
CHARACTERS = [chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000]


@pytest.mark.parametrize("form", FORMS)
def test_ordinary_text(form):
    """
    Ordinary text is normalised as in Unicode, with up to the allowed number of marks.
    """
    for text in ["plain", "Größe, Việt Nam, ｶﾞ, 한국, ﬁ", "a" + "\u0316" * MAX_MARKS]:
        assert normalize(form, text) == unicodedata.normalize(form, text)

    assert normalize(form, "🔒" * 100) == "🔒" * 100


def test_run_of_marks():
    """A run of marks is cut after the allowed ones; the following text stays."""
    text = "a" + "\u0316" * 500 + "b" + "\u0316" * 2

    expected = "a" + "\u0316" * MAX_MARKS + "b" + "\u0316" * 2
    assert normalize("NFD", text) == expected


def test_every_mark():
    """Every character that decomposes into only combining marks is cut as one."""
    for character in CHARACTERS:
        marks = unicodedata.normalize("NFKD", character)
        if all(map(unicodedata.combining, marks)):
            assert len(normalize("NFKD", character * 1000)) <= MAX_MARKS * len(marks)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("run", ["\u0301\u0316", "\u0f73\u0301", "\uff9e\u0301"])
def test_takes_linear_time(form, run):
    """The longest run of marks in any order is normalised in bounded time."""
    with at_most(0.1):
        normalize(form, "a" + run * 50_000)
