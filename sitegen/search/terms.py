"""Split texts into search terms; assets/search.js follows the same rules."""

import re
from collections import Counter

from models.normalization import normalize

# Nobody types longer words: they are digests, or pictures in base64.
MAX_LENGTH = 40
MAX_CACHED = 1 << 15

# Letters that have no decomposition.
PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ς": "σ"}
)
DIACRITICS = re.compile("[\u0300-\u036f]")
# Vowel signs, which belong to their word but are not letters for Python.
SIGNS = "\u0900-\u0963\u0966-\u0dff"
# Scripts without spaces between words, and Korean, which adds endings to them.
PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
WORD = rf"[\w{SIGNS}{PAIRED}]+"
JOINTS = "-./:'\N{RIGHT SINGLE QUOTATION MARK}"
CHUNK = re.compile(rf"{WORD}(?:[{JOINTS}]{WORD})*")
# The same for ASCII, in half the time.
ASCII_CHUNK = re.compile(r"\w+(?:[-./:']\w+)*", re.ASCII)
PAIRED_RUN = re.compile(rf"([{PAIRED}]+)")
APOSTROPHES = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]")
SEPARATORS = re.compile("[-./:_]+")
CAMEL_CASE = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def chunks(text: str) -> list[str]:
    """Split a text at spaces and punctuation; `keys/add` is one chunk."""
    if text.isascii():
        return ASCII_CHUNK.findall(text)
    return CHUNK.findall(normalize("NFC", text))


def fold(word: str) -> str:
    """Remove case, diacritics and width."""
    if word.isascii():
        return word.lower()
    bare = DIACRITICS.sub("", normalize("NFKD", word)).lower()
    return normalize("NFC", bare).translate(PLAIN)


def split(chunk: str) -> tuple[str, list[str]]:
    """
    Return the whole chunk, "" if it is a single word or no identifier, and its parts.

    An identifier is found by the whole of it and by each of its words. Text without
    spaces between words is found by each pair of neighbouring characters.
    """
    chunk = APOSTROPHES.sub("", chunk)
    runs = PAIRED_RUN.split(chunk)
    parts: list[str] = []
    for index, run in enumerate(runs):
        parts += _pairs(run) if index % 2 else _words(run)
    whole = fold(chunk) if len(parts) > 1 and len(runs) == 1 else ""
    short_parts = [part for part in parts if len(part) <= MAX_LENGTH]
    return (whole if len(whole) <= MAX_LENGTH else ""), short_parts


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, each as often as it occurs."""
    return [term for chunk in chunks(text) for term in _cache[chunk]]


def count_terms(text: str) -> dict[str, int]:
    """Return how often each term occurs in a text."""
    counts: dict[str, int] = {}
    for chunk, times in Counter(chunks(text)).items():
        for term in _cache[chunk]:
            counts[term] = counts.get(term, 0) + times
    return counts


class _TermCache(dict[str, tuple[str, ...]]):
    """The terms of chunks: the same few thousand make up most of any site."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        whole, parts = split(chunk)
        result = (*parts, whole) if whole else tuple(parts)
        if len(self) >= MAX_CACHED:
            self.clear()
        if len(chunk) <= MAX_LENGTH:
            self[chunk] = result
        return result


_cache = _TermCache()


def _words(run: str) -> list[str]:
    words = (word for part in SEPARATORS.split(run) for word in CAMEL_CASE.split(part))
    return [fold(word) for word in words if word]


def _pairs(run: str) -> list[str]:
    run = fold(run)
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]
