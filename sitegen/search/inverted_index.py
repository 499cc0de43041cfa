"""Build an inverted index of terms and texts, divided into small files."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log2

from sitegen.search.terms import MAX_LENGTH, count_terms, terms

# The weights of a term in a text, the lightest first, as assets/search.js has them.
ONCE, OFTEN, HEADING, TITLE = range(4)
MIN_OFTEN = 3

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
HALF = len(DIGITS) // 2
# Marks a term that most texts contain.
COMMON = "!"
# Follows every term.
LAST = "\uffff"

_FENCE_OR_HEADING = re.compile(r"^ {0,3}(?:(`{3,}|~{3,})|#{1,6}[ \t]+(.*))", re.M)
# The targets of links are not searched, the texts of footnotes are.
_DEFINITION = re.compile(r"^\[(?!\^)[^\]\n]{1,200}\]:[ \t]*\S*", re.M)
_TARGET = re.compile(r"\((?<=\]\()[^()\s]*")


@dataclass(frozen=True)
class Text:
    """What is searched of one page; the content is Markdown."""

    title: str
    summary: str
    content: str


@dataclass(frozen=True)
class Shards:
    """Sorted terms in several files; each file but the first starts at its bound."""

    files: list[dict[str, str]]
    bounds: list[str]


def create_shards(texts: Iterable[Text], count: int) -> Shards:
    """Index the texts by their position, in this many files of about equal size."""
    postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
    number = 0
    for number, text in enumerate(texts):
        for term, weight in weigh_terms(text).items():
            postings[term].append(number << 2 | weight)
    sorted_terms, text_count = sort_terms(postings), number + 1
    sizes = [_estimate_size(len(postings[term]), text_count) for term in sorted_terms]
    encoded = [
        (term, encode_postings(postings.pop(term), text_count)) for term in sorted_terms
    ]
    return _divide(encoded, sizes, count)


def weigh_terms(text: Text) -> dict[str, int]:
    """Return the terms of a text, each with the highest weight that it has there."""
    content = without_targets(text.content)
    weights = count_terms(text.summary + "\n" + content)
    for term, times in weights.items():
        weights[term] = OFTEN if times >= MIN_OFTEN else ONCE
    weights |= dict.fromkeys(terms("\n".join(headings(content))), HEADING)
    title = terms(text.title)
    # The whole title is a term, too. It ends in a space, which no word contains.
    whole_title = " ".join(title)[:MAX_LENGTH] + " "
    return weights | dict.fromkeys([*title, whole_title], TITLE)


def without_targets(content: str) -> str:
    """Remove the targets of links."""
    # One pattern for both would be tried at every character of every text.
    if "]:" in content:
        content = _DEFINITION.sub(" ", content)
    return _TARGET.sub(" ", content) if "](" in content else content


def headings(content: str) -> Iterator[str]:
    """Yield the lines that start with a # outside of fenced code."""
    fence = ""
    for mark, heading in _FENCE_OR_HEADING.findall(content):
        if not mark:
            if not fence:
                yield heading
        elif not fence:
            fence = mark
        elif mark.startswith(fence):
            fence = ""


def encode_postings(postings: Sequence[int], text_count: int) -> str:
    """
    Return the postings of a term as text: for each weight the numbers, as steps.

    The weights are separated by dots, and empty ones at the end are omitted. If most
    texts contain the term, the first part lists those that do not, after a mark: how
    often so many texts contain it would distinguish none of them. The result is text
    and not bytes, since any host compresses text.
    """
    numbers: tuple[list[int], ...] = ([], [], [], [])
    for posting in postings:
        numbers[posting & 3].append(posting >> 2)
    is_common = len(postings) > text_count / 2
    if is_common:
        containing = {posting >> 2 for posting in postings}
        lacking = [n for n in range(text_count) if n not in containing]
        numbers = (lacking, [], *numbers[HEADING:])
    return COMMON * is_common + ".".join(map(encode_steps, numbers)).rstrip(".")


def encode_steps(numbers: Iterable[int]) -> str:
    """Return ascending numbers as their differences, five bits in a character."""
    previous, encoded = 0, []
    for number in numbers:
        step, previous = number - previous, number
        encoded.append(_SHORT[step] if step < len(_SHORT) else _encode_step(step))
    return "".join(encoded)


def _encode_step(step: int) -> str:
    high, low = divmod(step, HALF)
    return DIGITS[HALF + low] + _encode_step(high) if high else DIGITS[low]


# Nearly all steps are short, and an index has millions of them.
_SHORT = [_encode_step(step) for step in range(2048)]


def sort_terms(terms: Iterable[str]) -> list[str]:
    """Sort as JavaScript compares: by the units of UTF-16."""
    return sorted(terms, key=lambda term: term.encode("utf-16-be"))


def _estimate_size(postings: int, text_count: int) -> float:
    """Estimate the compressed bytes of a term from the information in its steps."""
    return 4 + postings * (2 + log2(text_count / postings)) / 8


def _divide(encoded: list[tuple[str, str]], sizes: list[float], count: int) -> Shards:
    files: list[dict[str, str]] = [{} for _ in range(count)]
    bounds: list[str] = []
    total, start, number, previous = sum(sizes) or 1.0, 0.0, 0, ""
    for (term, postings), size in zip(encoded, sizes, strict=True):
        # A whole title stays with its first word, which it follows.
        if " " not in term:
            # The middle decides: so a term that fills a file shares it with few others.
            number = int((start + size / 2) / total * count)
        # A term larger than a file leaves the next files empty, with equal bounds.
        bounds += [_bound(previous, term)] * (number - len(bounds))
        files[number][term] = postings
        previous, start = term, start + size
    return Shards(files, bounds + [LAST] * (count - 1 - len(bounds)))


def _bound(previous: str, term: str) -> str:
    """Return the shortest prefix of the term that sorts after the previous term."""
    return next(
        (term[:n] for n in range(1, len(term)) if term[:n] != previous[:n]), term
    )
