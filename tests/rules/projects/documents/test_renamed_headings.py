"""The former ids of the headings of a page."""

import pytest

from models.projects.documents.linking.alternative_ids import (
    MAX_HEADINGS,
    MAX_IDS,
    former_ids,
    renamed_ids,
)


def outline(ids):
    """Return an outline from a list of ids; each dot before one is a level down."""
    return [(2 + each.count("."), each.strip("."), "") for each in ids.split()]


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("a b c", "a x c", {"b": "x"}),
        ("a b c", "x b y", {"a": "x", "c": "y"}),
        ("a", "x", {"a": "x"}),
        ("a b", "x y", {"a": "x", "b": "y"}),
        ("a .b .c d", "a .x .c d", {"b": "x"}),
        # Each level is compared on its own; headings below are separate.
        ("a .b c", "x c", {"a": "x"}),
        ("a .b .c d", "x .c d", {"a": "x"}),
        # It is unknown which of them is the renamed one.
        ("a b c", "a x y c", {}),
        ("a b c d", "a x d", {}),
        ("a b c", "a .x c", {}),
        # Added and removed headings are no renames.
        ("a c", "a x c", {}),
        ("a b c", "a c", {}),
        # Moved, not renamed: there is no place between its neighbours.
        ("a b c", "c a", {}),
        ("a b c", "c x a", {}),
        ("a b c d", "a d x c", {}),
        ("", "a", {}),
        ("a", "", {}),
    ],
)
def test_renamed(before, after, found):
    """
    Between two unchanged neighbours, an equal number of headings on a level are
    renames.
    """
    assert renamed_ids(outline(before), outline(after)) == found


@pytest.mark.parametrize(
    ("history", "found"),
    [
        (["a"], {}),
        (["a", "b", "c"], {"a": "c", "b": "c"}),
        (["a b", "x b", "x y"], {"a": "x", "b": "y"}),
        # Each step is small, although first and last have nothing in common.
        (["a b", "a b c", "x b c", "x y c"], {"a": "x", "b": "y"}),
        # A removed heading is not a later one.
        (["a b", "b", "x b"], {}),
        # A current id is its own, whatever it was before.
        (["a b", "c b", "c a"], {"b": "a"}),
        (["a", "b", "a"], {"b": "a"}),
    ],
)
def test_former_ids(history, found):
    """A heading is followed through its renames, as long as it exists."""
    assert former_ids([outline(each) for each in history]) == found


def test_former_ids_are_bounded():
    """
    Of many former ids the newest are kept; pages with too many headings are skipped.
    """
    names = [[(2, f"{n}-{i}", "") for i in range(150)] for n in range(4)]
    long = [(2, f"a-{n}", "") for n in range(MAX_HEADINGS)]

    found = former_ids(names)
    beyond = former_ids([[*long, (2, "old", "")], [*long, (2, "new", "")]])
    pushed = former_ids([[(2, "a-x", "")], [(2, "b", ""), *long, (2, "a-x", "")]])

    assert len(found) == MAX_IDS
    assert found["2-0"] == "3-0"
    assert "0-0" not in found
    assert beyond == {}
    assert "a-x" not in pushed
