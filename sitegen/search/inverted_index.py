"""Build an inverted index of terms and texts, divided into small files."""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log2

from sitegen.markdown.code_blocks import CODE_SPAN
from sitegen.markdown.html_tags import ALLOWED
from sitegen.search.terms import MAX_LENGTH, count_terms, joined_words, terms

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
# Tags and attributes, which readers do not see. They do see all of code.
_CODE = rf"^ {{0,3}}(?P<fence>`{{3,}}|~{{3,}}).*?(?:^ {{0,3}}(?P=fence)|\Z)|{CODE_SPAN}"
_SIGN = re.compile(r"<[A-Za-z/!]|\{:?\s*[#.]")
_INVISIBLE = re.compile(
    rf"{_CODE}|<!--.*?(?:-->|\Z)"
    r"|</?(?P<name>[a-z][a-z0-9]{0,20})(?:\s[^<>]{0,1000})?/?>"
    r"|\{:?\s*[#.][^{}\n]{1,300}\}",
    re.M | re.S | re.I,
)


@dataclass(frozen=True)
class Text:
    """What is searched of one page, or of a part of it; the content is Markdown."""

    title: str
    summary: str
    content: str
    title_weight: int = TITLE


@dataclass(frozen=True)
class Shards:
    """
    Sorted terms in several files; each file but the first starts at its bound.

    `common` are the terms that most of the texts contain.
    """

    files: list[dict[str, str]]
    bounds: list[str]
    common: list[str]


class Postings:
    """
    The texts that contain each term, by weight, encoded while they are added.

    Encoded, a posting takes about one byte. An index has millions of them.
    """

    def __init__(self) -> None:
        self.text_count = 0
        self._encoded: tuple[dict[str, bytearray], ...] = ({}, {}, {}, {})
        self._previous: tuple[dict[str, int], ...] = ({}, {}, {}, {})

    def add(self, weights: dict[str, int]) -> None:
        """Add the terms of the next text, with their weights."""
        number = self.text_count
        self.text_count += 1
        all_encoded, all_previous = self._encoded, self._previous
        for term, weight in weights.items():
            previous = all_previous[weight]
            step = number - previous.get(term, 0)
            previous[term] = number
            encoded = all_encoded[weight].get(term)
            if encoded is None:
                encoded = all_encoded[weight][term] = bytearray()
            if step < HALF:
                encoded.append(_DIGIT_BYTES[step])
            else:
                encoded += _encode_step(step).encode()

    def counts(self) -> dict[str, int]:
        """Return how many texts contain each term, sorted by term."""
        counts: dict[str, int] = {}
        for encoded in self._encoded:
            for term, steps in encoded.items():
                # One digit of each step, the last one, is less than HALF.
                count = 1 if len(steps) == 1 else len(steps.translate(None, _HIGHER))
                counts[term] = counts.get(term, 0) + count
        return {term: counts[term] for term in sort_terms(counts)}

    def encode(self, term: str, count: int) -> str:
        """
        Return the postings of a term as text: for each weight the numbers, as steps.

        The weights are separated by dots, and empty ones at the end are omitted. If
        most texts contain the term, the first part lists those that do not, after a
        mark: how often so many texts contain it would distinguish none of them. The
        result is text and not bytes, since any host compresses text.
        """
        fields = [
            encoded[term].decode() if term in encoded else ""
            for encoded in self._encoded
        ]
        if self.is_common(count):
            containing = {n for field in fields for n in decode_steps(field)}
            lacking = (n for n in range(self.text_count) if n not in containing)
            fields[:HEADING] = [COMMON + encode_steps(lacking), ""]
        return ".".join(fields).rstrip(".")

    def is_common(self, count: int) -> bool:
        return count > self.text_count / 2


def create_shards(texts: Iterable[Text], count: int) -> Shards:
    """Index the texts by their position, in this many files of about equal size."""
    postings = Postings()
    for text in texts:
        postings.add(weigh_terms(text))
    counts = postings.counts()
    files, bounds = _divide(postings, counts, count)
    common = [term for term, count in counts.items() if postings.is_common(count)]
    return Shards(files, bounds, common)


def weigh_terms(text: Text) -> dict[str, int]:
    """Return the terms of a text, each with the highest weight that it has there."""
    content = without_targets(visible_text(text.content))
    weights = {
        term: OFTEN if times >= MIN_OFTEN else ONCE
        for term, times in count_terms(f"{text.summary}\n{content}").items()
    }
    for heading in headings(content):
        weights |= dict.fromkeys([*terms(heading), *joined_words(heading)], HEADING)
    title = terms(text.title)
    # The whole title is a term, too. It ends in a space, which no word contains.
    whole_title = " ".join(title)[:MAX_LENGTH] + " "
    title += [*joined_words(text.title), whole_title] if title else []
    return weights | dict.fromkeys(title, text.title_weight)


def visible_text(content: str) -> str:
    """Return Markdown without tags of HTML, comments, ids and classes."""
    if not _SIGN.search(content):
        return content
    return _INVISIBLE.sub(lambda part: part[0] if _is_seen(part) else "", content)


def _is_seen(part: re.Match[str]) -> bool:
    """Return whether readers see it: code, and tags that the page has as text."""
    name = part["name"]
    return part[0][0] in "`~ " or (name is not None and name.lower() not in ALLOWED)


def without_targets(content: str) -> str:
    """Remove the targets of links."""
    # One pattern for both would be tried at every character of every text.
    if "]:" in content:
        content = _DEFINITION.sub(" ", content)
    return _TARGET.sub(" ", content) if "](" in content else content


def headings(content: str) -> Iterator[str]:
    """Yield the lines that start with a # outside of fenced code."""
    return (match[2] for match in find_headings(content))


def find_headings(content: str) -> Iterator[re.Match[str]]:
    """Yield a match for each heading, whose second group is its text."""
    fence = ""
    for match in _FENCE_OR_HEADING.finditer(content):
        mark = match[1]
        if not mark:
            if not fence:
                yield match
        elif not fence:
            fence = mark
        elif mark.startswith(fence):
            fence = ""


def encode_steps(numbers: Iterable[int]) -> str:
    """Return ascending numbers as their differences, five bits in a character."""
    previous, encoded = 0, []
    for number in numbers:
        encoded.append(_encode_step(number - previous))
        previous = number
    return "".join(encoded)


def _encode_step(step: int) -> str:
    high, low = divmod(step, HALF)
    return DIGITS[HALF + low] + _encode_step(high) if high else DIGITS[low]


def decode_steps(encoded: str) -> Iterator[int]:
    """Yield the numbers that were encoded as their differences."""
    number, step, unit = 0, 0, 1
    for value in map(DIGITS.index, encoded):
        step += value % HALF * unit
        unit *= HALF
        if value < HALF:
            number += step
            yield number
            step, unit = 0, 1


_DIGIT_BYTES = DIGITS.encode()
_HIGHER = _DIGIT_BYTES[HALF:]


# Python loads a codec at its first use, when the process may not be allowed to read the
# files of the interpreter any more.
_UTF_16 = codecs.lookup("utf-16-be")


def sort_terms(terms: Iterable[str]) -> list[str]:
    """Sort as JavaScript compares: by the units of UTF-16."""
    return sorted(terms, key=_UTF_16.encode)


def _estimate_size(postings: int, text_count: int) -> float:
    """Estimate the compressed bytes of a term from the information in its steps."""
    return 4 + postings * (2 + log2(text_count / postings)) / 8


def _divide(
    postings: Postings, counts: dict[str, int], file_count: int
) -> tuple[list[dict[str, str]], list[str]]:
    sizes = [_estimate_size(count, postings.text_count) for count in counts.values()]
    files: list[dict[str, str]] = [{} for _ in range(file_count)]
    bounds: list[str] = []
    total, start, number, previous = sum(sizes) or 1.0, 0.0, 0, ""
    for (term, count), size in zip(counts.items(), sizes, strict=True):
        # A whole title stays with its first word, which it follows.
        if " " not in term:
            # The middle decides: so a term that fills a file shares it with few others.
            number = int((start + size / 2) / total * file_count)
        # A term larger than a file leaves the next files empty, with equal bounds.
        if number > len(bounds):
            bounds += [_bound(previous, term)] * (number - len(bounds))
        files[number][term] = postings.encode(term, count)
        previous, start = term, start + size
    return files, bounds + [LAST] * (file_count - 1 - len(bounds))


def _bound(previous: str, term: str) -> str:
    """Return the shortest prefix of the term that sorts after the previous term."""
    return next(
        (term[:n] for n in range(1, len(term)) if term[:n] != previous[:n]), term
    )
