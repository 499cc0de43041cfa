"""An inverted index as small files: which words stand in which of some texts, where."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log2

from sitegen.search.terms import LONGEST, counted, terms

# From what weighs least to what weighs most, as the script in the browser knows them.
ONCE, OFTEN, HEADING, TITLE = range(4)
OFTEN_FROM = 3

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
HALF = len(DIGITS) // 2
COMMON = "!"
LAST = "\uffff"

_FENCE_OR_HEADING = re.compile(r"^ {0,3}(?:(`{3,}|~{3,})|#{1,6}[ \t]+(.*))", re.M)
# Where a link leads is not what the page says; what a note says is.
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
    """Terms in order, cut into files; each file but the first begins at its bound."""

    files: list[dict[str, str]]
    bounds: list[str]


def shards(texts: Iterable[Text], count: int) -> Shards:
    """Index the texts by their order, in so many files of about equal size."""
    found: dict[str, array[int]] = defaultdict(lambda: array("I"))
    number = 0
    for number, text in enumerate(texts):
        for term, place in placed(text).items():
            found[term].append(number << 2 | place)
    ordered, of = in_order(found), number + 1
    sizes = [_size(len(found[term]), of) for term in ordered]
    told = [(term, encoded(found.pop(term), of)) for term in ordered]
    return _cut(told, sizes, count)


def placed(text: Text) -> dict[str, int]:
    """Return the terms of a text, each with the weightiest place where it stands."""
    content = without_targets(text.content)
    found = counted(text.summary + "\n" + content)
    for term, times in found.items():
        found[term] = OFTEN if times >= OFTEN_FROM else ONCE
    found |= dict.fromkeys(terms("\n".join(headings(content))), HEADING)
    title = terms(text.title)
    # All of the title is a term too: it ends in a space, which no word has.
    return found | dict.fromkeys([*title, " ".join(title)[:LONGEST] + " "], TITLE)


def without_targets(content: str) -> str:
    # One pattern for both would be tried at every letter of every text.
    if "]:" in content:
        content = _DEFINITION.sub(" ", content)
    return _TARGET.sub(" ", content) if "](" in content else content


def headings(content: str) -> Iterator[str]:
    """Yield the lines with a # that no fenced code holds."""
    fence = ""
    for mark, heading in _FENCE_OR_HEADING.findall(content):
        if not mark:
            if not fence:
                yield heading
        elif not fence:
            fence = mark
        elif mark.startswith(fence):
            fence = ""


def encoded(postings: Sequence[int], of: int) -> str:
    """
    Return where a term stands as text: for each place the numbers, as steps.

    The places are parted by a dot, those at the end left out where empty. Of a term
    that most of the texts have the first place tells, behind a mark, those that lack
    it: how often so many say it tells none apart. Text and not bytes, since any host
    compresses text.
    """
    numbers: tuple[list[int], ...] = ([], [], [], [])
    for each in postings:
        numbers[each & 3].append(each >> 2)
    is_common = len(postings) > of / 2
    if is_common:
        having = {each >> 2 for each in postings}
        lacking = [number for number in range(of) if number not in having]
        numbers = (lacking, [], *numbers[HEADING:])
    return COMMON * is_common + ".".join(map(steps, numbers)).rstrip(".")


def steps(numbers: Iterable[int]) -> str:
    """Return growing numbers as their differences, five bits in a character."""
    before, found = 0, []
    for number in numbers:
        step, before = number - before, number
        found.append(_SHORT[step] if step < len(_SHORT) else _step(step))
    return "".join(found)


def _step(step: int) -> str:
    high, low = divmod(step, HALF)
    return DIGITS[HALF + low] + _step(high) if high else DIGITS[low]


# Nearly all: what is asked a million times is worked out once.
_SHORT = [_step(step) for step in range(2048)]


def in_order(found: Iterable[str]) -> list[str]:
    """Sort as JavaScript compares: by the units of UTF-16."""
    return sorted(found, key=lambda term: term.encode("utf-16-be"))


def _size(postings: int, of: int) -> float:
    """Guess the bytes that a term takes compressed: a step has its information."""
    return 4 + postings * (2 + log2(of / postings)) / 8


def _cut(found: list[tuple[str, str]], sizes: list[float], count: int) -> Shards:
    files: list[dict[str, str]] = [{} for _ in range(count)]
    bounds: list[str] = []
    all_of, start, place, before = sum(sizes) or 1.0, 0.0, 0, ""
    for (term, told), size in zip(found, sizes, strict=True):
        # A title stays with its first word, which it follows.
        if " " not in term:
            # By its middle: what fills a file alone shares it with few others.
            place = int((start + size / 2) / all_of * count)
        # A term larger than a file leaves the next ones empty, with equal bounds.
        bounds += [_between(before, term)] * (place - len(bounds))
        files[place][term] = told
        before, start = term, start + size
    return Shards(files, bounds + [LAST] * (count - 1 - len(bounds)))


def _between(before: str, term: str) -> str:
    """Return the shortest beginning of the term that comes after the one before."""
    return next((term[:n] for n in range(1, len(term)) if term[:n] != before[:n]), term)
