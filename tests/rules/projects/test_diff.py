"""Diffs of two texts: they turn the old text into the new, in bounded time."""

import random

import pytest

from models.projects.versioning import diff
from models.projects.versioning.diff import unified_diff
from tests.processor import at_most
from tests.samples.unified_diff import patched


def diff_of(old, new):
    return unified_diff(old, new, "probes@1", "probes@2")


def test_unified():
    """A change has three lines of context; distant changes are separate hunks."""
    old = "".join(f"{n}\n" for n in range(1, 21))
    new = old.replace("5\n", "five\n", 1).replace("18\n", "").replace("19\n", "")

    result = diff_of(old, new)

    assert result.unified == (
        "--- probes@1\n+++ probes@2\n"
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        "@@ -15,6 +15,4 @@\n 15\n 16\n 17\n-18\n-19\n 20\n"
    )
    assert (result.added, result.removed, result.truncated) == (1, 3, False)


@pytest.mark.parametrize(("between", "hunks"), [(6, 1), (7, 2)])
def test_adjacent_changes(between, hunks):
    """Changes whose context lines touch share a hunk."""
    same = "same\n" * between

    result = diff_of(f"a\n{same}b\n", f"c\n{same}d\n")

    assert result.unified.count("@@ -") == hunks


@pytest.mark.parametrize("text", ["", "\n", "same", "same\r\n\x0c\u2028\n"])
def test_equal_texts(text):
    """Equal texts have an empty diff, without a header."""
    assert diff_of(text, text) == diff.UnifiedDiff("", 0, 0, False)


def test_no_newline_at_the_end():
    """A missing newline at the end is a difference, marked as by other tools."""
    assert diff_of("a", "a\n").unified.endswith(
        "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"
    )


def test_empty_old_text():
    """The range of an empty text is line 0."""
    assert diff_of("", "a\n").unified.endswith("@@ -0,0 +1,1 @@\n+a\n")


@pytest.mark.parametrize("inside", ["\r", "\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_characters_that_end_no_line(inside):
    """Only a newline ends a line, whatever str.splitlines() splits at."""
    old, new = f"a{inside}b\nc\n", f"a{inside}b\nd\n"

    result = diff_of(old, new)

    assert (result.added, result.removed) == (1, 1)
    assert f"\n a{inside}b\n-c\n+d\n" in result.unified


def test_moved_line():
    """A moved line is one removed and one added line; those between do not change."""
    lines = [f"{n}\n" for n in range(1000)]

    result = diff_of("".join(lines), "".join([*lines[1:], lines[0]]))

    assert (result.added, result.removed) == (1, 1)


def test_frequent_lines():
    """Very frequent lines are matched too, before, between and after changes."""
    rows = ["| yes | no |\n"] * 2_000
    old = ["a\n", *rows, "b\n", *rows, "c\n"]

    result = diff_of("".join(old), "".join(["d\n", *rows, "b\n", *rows, "e\n"]))

    assert (result.added, result.removed, result.truncated) == (2, 2, False)


def shuffled(lines, seed):
    return random.Random(seed).sample(lines, len(lines))


NUMBERED = [f"line {n}\n" for n in range(20_000)]
REPEATED = [f"line {n % 150}\n" for n in range(20_000)]
TWO_LINES = ["a\n", "b\n"] * 10_000
HOSTILE = {
    "reversed": (NUMBERED, NUMBERED[::-1]),
    "permuted": (shuffled(NUMBERED, 1), shuffled(NUMBERED, 2)),
    "repeated": (shuffled(REPEATED, 1), shuffled(REPEATED, 2)),
    "two lines": (shuffled(TWO_LINES, 1), shuffled(TWO_LINES, 2)),
    "periodic": (["a\n", "b\n", "c\n"] * 6666, ["a\n", "c\n", "b\n"] * 6666),
    "equal": (["a\n"] * 20_000, ["b\n", *["a\n"] * 100, "c\n"]),
    "every other line": (
        [f"{n}\na\n" for n in range(35_000)],
        [f"{n}\nb\n" for n in range(35_000)],
    ),
    "many of two lines": (shuffled(TWO_LINES * 12, 1), shuffled(TWO_LINES * 12, 2)),
    "long and short": (["a\n", "b\n"] * 125_000, shuffled(TWO_LINES[:1000], 1)),
    "shifted": (["a\n"] * 100_000 + ["c\n"] * 9, ["c\n"] * 9 + ["a\n"] * 100_000),
    "one line": (["x" * 500_000], ["y" * 500_000]),
    "nothing in common": (["\n"] * 500_000, ["x\n"] * 250_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts(name):
    """The diff of any two texts takes bounded time and is correct."""
    old, new = map("".join, HOSTILE[name])

    with at_most(3):
        result = diff_of(old, new)

    assert patched(old, result.unified) == new


def test_truncated(monkeypatch):
    """
    At the limit the remaining lines are replaced as a whole, and the diff says so.
    """
    monkeypatch.setattr(diff, "MAX_STEPS", 3)

    result = diff_of("top\na\nb\nc\nd\nend\n", "top\nd\nc\nb\na\nend\n")

    assert (result.added, result.removed, result.truncated) == (4, 4, True)
    assert "\n top\n-a\n-b\n-c\n-d\n+d\n+c\n+b\n+a\n end\n" in result.unified


@pytest.mark.parametrize("lines", [20, 200, 3_000])
def test_every_other_line_changed(lines):
    """A text with every other line changed is compared completely."""
    old = "".join(f"{n}\nold\n" for n in range(lines // 2))

    result = diff_of(old, old.replace("old", "new"))

    changed = lines // 2
    assert (result.added, result.removed, result.truncated) == (changed, changed, False)
