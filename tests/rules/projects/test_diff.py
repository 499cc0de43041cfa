"""Differences: they turn the old text into the new, and end in bounded time."""

import random

import pytest

from models.projects.versioning import common_lines, diff
from models.projects.versioning.diff import unified_diff
from tests.processor import at_most
from tests.samples.unified_diff import patched


def told(old, new):
    return unified_diff(old, new, "probes@1", "probes@2")


def test_unified():
    """Three lines stand around a change; far changes stand in hunks of their own."""
    old = "".join(f"{n}\n" for n in range(1, 21))
    new = old.replace("5\n", "five\n", 1).replace("18\n", "").replace("19\n", "")

    found = told(old, new)

    assert found.unified == (
        "--- probes@1\n+++ probes@2\n"
        "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"
        "@@ -15,6 +15,4 @@\n 15\n 16\n 17\n-18\n-19\n 20\n"
    )
    assert (found.added, found.removed, found.truncated) == (1, 3, False)


@pytest.mark.parametrize(("between", "hunks"), [(6, 1), (7, 2)])
def test_near_changes(between, hunks):
    """Changes whose lines around touch stand in one hunk."""
    same = "same\n" * between

    assert told(f"a\n{same}b\n", f"c\n{same}d\n").unified.count("@@ -") == hunks


@pytest.mark.parametrize("text", ["", "\n", "same", "same\r\n\x0c\u2028\n"])
def test_equal(text):
    """What is equal has no difference, not even a heading."""
    assert told(text, text) == diff.UnifiedDiff("", 0, 0, False)


def test_no_newline_at_the_end():
    """That a text ends without a newline is told, and is a difference."""
    assert told("a", "a\n").unified.endswith(
        "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a\n"
    )


def test_from_nothing():
    """Lines after no line are told as after line 0."""
    assert told("", "a\n").unified.endswith("@@ -0,0 +1,1 @@\n+a\n")


@pytest.mark.parametrize("inside", ["\r", "\x0c", "\x0b", "\x1c", "\x85", "\u2028"])
def test_what_ends_no_line(inside):
    """Only a newline ends a line: what other software splits at stays within."""
    old, new = f"a{inside}b\nc\n", f"a{inside}b\nd\n"

    found = told(old, new)

    assert (found.added, found.removed) == (1, 1)
    assert f"\n a{inside}b\n-c\n+d\n" in found.unified


def test_moved_line_is_the_only_change():
    """The shortest way is found: not all between the two places is replaced."""
    lines = [f"{n}\n" for n in range(1000)]

    found = told("".join(lines), "".join([*lines[1:], lines[0]]))

    assert (found.added, found.removed) == (1, 1)


def shuffled(lines, seed):
    return random.Random(seed).sample(lines, len(lines))


NUMBERED = [f"line {n}\n" for n in range(20_000)]
REPEATED = [f"line {n % 150}\n" for n in range(20_000)]
COINS = ["a\n", "b\n"] * 10_000


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (NUMBERED, NUMBERED[::-1]),
        (shuffled(NUMBERED, 1), shuffled(NUMBERED, 2)),
        (shuffled(REPEATED, 1), shuffled(REPEATED, 2)),
        (shuffled(COINS, 1), shuffled(COINS, 2)),
        (["a\n", "b\n", "c\n"] * 6666, ["a\n", "c\n", "b\n"] * 6666),
        (["a\n"] * 20_000, ["b\n", *["a\n"] * 100, "c\n"]),
    ],
    ids=["reversed", "permuted", "repeated", "coins", "periodic", "equal"],
)
def test_hostile_orders(old, new):
    """
    20,000 lines in any order are compared in full, in a second of processor time.

    The bound of the test is wider, and a slow machine has more.
    """
    with at_most(5):
        found = told("".join(old), "".join(new))

    assert not found.truncated
    assert patched("".join(old), found.unified) == "".join(new)


@pytest.mark.parametrize(
    ("old", "new", "is_cut"),
    [
        (shuffled(COINS * 12, 1), shuffled(COINS * 12, 2), True),
        (["a\n", "b\n"] * 125_000, shuffled(["a\n", "b\n"] * 500, 1), True),
        (["ab\n"] * 100_000 + ["c\n"] * 9, ["c\n"] * 9 + ["ab\n"] * 100_000, False),
        (["x" * 500_000], ["y" * 500_000], False),
        (["\n"] * 500_000, ["x\n"] * 250_000, False),
    ],
    ids=["coins", "long-and-short", "shifted", "one-line", "nothing-in-common"],
)
def test_hostile_sizes(old, new, is_cut):
    """However long the texts are, the answer comes, is right, and says if cut."""
    with at_most(5):
        found = told("".join(old), "".join(new))

    assert found.truncated is is_cut
    assert patched("".join(old), found.unified) == "".join(new)


def test_cut(monkeypatch):
    """Beyond both bounds what is left is replaced as a whole, and that is said."""
    monkeypatch.setattr(common_lines, "MAX_STEPS", 3)
    monkeypatch.setattr(common_lines, "MAX_CELLS", 3)

    found = told("top\na\nb\nc\nd\nend\n", "top\nd\nc\nb\na\nend\n")

    assert (found.added, found.removed, found.truncated) == (4, 4, True)
    assert "\n top\n-a\n-b\n-c\n-d\n+d\n+c\n+b\n+a\n end\n" in found.unified
