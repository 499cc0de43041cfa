"""What holds for the difference of any two texts."""

from contextlib import contextmanager

from hypothesis import given
from hypothesis import strategies as st

from models.projects.versioning import common_lines, diff
from tests.samples.unified_diff import patched

LINE = st.sampled_from(["a", "b", "c", "", "-a", "+b", " c", "@@", "a\r", "\x0c\u2028"])
TEXT = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINE, max_size=30),
    st.sampled_from(["", "\n"]),
)


@contextmanager
def limits(steps, cells):
    """Search with other limits."""
    before = common_lines.MAX_STEPS, common_lines.MAX_CELLS
    common_lines.MAX_STEPS, common_lines.MAX_CELLS = steps, cells
    try:
        yield
    finally:
        common_lines.MAX_STEPS, common_lines.MAX_CELLS = before


def common(old, new):
    """The length of the longest common subsequence, found the slow way."""
    best = [0] * (len(new) + 1)
    for one in old:
        row = [0]
        for at, other in enumerate(new):
            row.append(best[at] + 1 if one == other else max(best[at + 1], row[-1]))
        best = row
    return best[-1]


@given(old=TEXT, new=TEXT)
def test_turns_the_old_text_into_the_new(old, new):
    """The unified text applied to the old text is the new text."""
    found = diff.unified_diff(old, new, "1", "2")

    assert patched(old, found.unified) == new if old != new else not found.unified
    assert not found.truncated


@given(old=TEXT, new=TEXT, steps=st.integers(0, 60), cells=st.integers(0, 90_000))
def test_right_even_when_cut(old, new, steps, cells):
    """However soon the search ends, what is told is right, if not the shortest."""
    with limits(steps, cells):
        found = diff.unified_diff(old, new, "1", "2")

    assert patched(old, found.unified) == new


@given(old=TEXT, new=TEXT)
def test_shortest_by_either_algorithm(old, new):
    """Lines compared as bits give a diff as short as that of the search for edits."""
    with limits(steps=-1, cells=common_lines.MAX_CELLS):
        found = diff.unified_diff(old, new, "1", "2")

    assert not found.truncated
    assert patched(old, found.unified) == new if old != new else not found.unified
    assert found.removed == diff.unified_diff(old, new, "1", "2").removed


@given(old=TEXT, new=TEXT)
def test_shortest(old, new):
    """No fewer lines could be removed and added."""
    found = diff.unified_diff(old, new, "1", "2")

    olds, news = diff._LINES.findall(old), diff._LINES.findall(new)
    kept = common(olds, news)
    assert (found.removed, found.added) == (len(olds) - kept, len(news) - kept)
