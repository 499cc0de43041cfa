"""Encoded changes and postings are decoded correctly."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from models.site_addresses import url_path
from sitegen.output.generations import FileChanges, file_changes
from sitegen.search.inverted_index import DIGITS, HALF, encode_steps

URL = "https://status.example.com"
PATHS = ("index.html", "guides/a/index.html", "status/index.html", "status/index.json")
sites = st.dictionaries(st.sampled_from(PATHS), st.integers(0, 2))
histories = st.lists(sites, min_size=2, max_size=5)
numbers = st.lists(st.integers(0, 10**6), unique=True).map(sorted)


def differing_paths(before, after):
    paths = before.keys() | after.keys()
    return {each for each in paths if before.get(each) != after.get(each)}


def between(before, after):
    return file_changes(differing_paths(before, after), before, after, URL)


@given(history=histories)
def test_changes_add_up(history):
    """
    Merged one after the other they have all additions and removals, and purge all of
    them.
    """
    whole = FileChanges()
    for before, after in pairwise(history):
        whole = whole.then(between(before, after))
    first, last = history[0], history[-1]

    assert whole.added == last.keys() - first.keys()
    assert whole.removed == first.keys() - last.keys()
    differ = differing_paths(first, last)
    assert differ <= whole.added | whole.changed | whole.removed
    assert {URL + url_path(each) for each in differ} <= whole.purge


@given(a=sites, b=sites, c=sites, d=sites)
def test_order_of_adding_up(a, b, c, d):
    """Merging the reports in pairs gives the same result."""
    one, two, three = between(a, b), between(b, c), between(c, d)

    assert one.then(two).then(three) == one.then(two.then(three))


def read(text):
    """Read steps as the search does in the browser: five bits, the lowest first."""
    found, number, shift, step = [], 0, 0, 0
    for each in map(DIGITS.index, text):
        step |= (each % HALF) << shift
        shift += HALF.bit_length() - 1
        if each < HALF:
            number, shift, step = number + step, 0, 0
            found.append(number)
    return found


@given(given_numbers=numbers)
def test_steps(given_numbers):
    """Increasing numbers are decoded from their differences, large and small."""
    assert read(encode_steps(given_numbers)) == given_numbers
