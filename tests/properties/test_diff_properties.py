"""Properties of the diff of any two texts."""

from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from models.projects.versioning import diff
from tests.samples.unified_diff import patched

LINE = st.sampled_from(["a", "b", "c", "", "-a", "+b", " c", "@@", "a\r", "\x0c\u2028"])
TEXT = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINE, max_size=30),
    st.sampled_from(["", "\n"]),
)


@given(old=TEXT, new=TEXT)
def test_patch(old, new):
    """The diff applied to the old text is the new text; equal texts have none."""
    result = diff.unified_diff(old, new, "1", "2")

    assert not result.truncated
    assert bool(result.unified) is (old != new)
    assert not result.unified or patched(old, result.unified) == new


@given(old=TEXT, new=TEXT, max_steps=st.integers(0, 200))
def test_patch_of_truncated_diff(old, new, max_steps):
    """A diff whose search ended early is correct, if not the shortest."""
    with patch.object(diff, "MAX_STEPS", max_steps):
        result = diff.unified_diff(old, new, "1", "2")

    assert patched(old, result.unified) == new


@given(old=TEXT, new=TEXT)
def test_counts(old, new):
    """`added` and `removed` count the lines with these signs."""
    result = diff.unified_diff(old, new, "1", "2")

    signs = [line[:1] for line in diff._LINES.findall(result.unified)[2:]]
    assert (result.added, result.removed) == (signs.count("+"), signs.count("-"))
