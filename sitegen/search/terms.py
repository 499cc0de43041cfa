"""The words of a text as they are searched for; assets/search.js has the same rules."""

import re
import unicodedata
from collections import Counter

# What is longer is no word that anybody types: a digest, a picture in base64.
LONGEST = 40
MOST_KNOWN = 1 << 15

# Letters that no decomposition takes apart.
PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ς": "σ"}
)
DIACRITICS = re.compile("[\u0300-\u036f]")
# Vowel signs that belong to their word but count as no letter.
SIGNS = "\u0900-\u0963\u0966-\u0dff"
# Scripts that put no space between words, and Korean, which hangs endings on them.
PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
WORD = rf"[\w{SIGNS}{PAIRED}]+"
JOINTS = "-./:'\N{RIGHT SINGLE QUOTATION MARK}"
CHUNK = re.compile(rf"{WORD}(?:[{JOINTS}]{WORD})*")
# The same where there is nothing but ASCII, in half the time.
PLAIN_CHUNK = re.compile(r"\w+(?:[-./:']\w+)*", re.ASCII)
RUN = re.compile(rf"([{PAIRED}]+)")
APOSTROPHES = re.compile("['\N{RIGHT SINGLE QUOTATION MARK}]")
PART = re.compile("[-./:_]+")
HUMP = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def chunks(text: str) -> list[str]:
    """Cut a text into what stands between spaces: `keys/add` is one chunk."""
    if text.isascii():
        return PLAIN_CHUNK.findall(text)
    return CHUNK.findall(unicodedata.normalize("NFC", text))


def fold(word: str) -> str:
    """Take away case, diacritics and width."""
    if word.isascii():
        return word.lower()
    bare = DIACRITICS.sub("", unicodedata.normalize("NFKD", word)).lower()
    return unicodedata.normalize("NFC", bare).translate(PLAIN)


def split(chunk: str) -> tuple[str, list[str]]:
    """
    Return a chunk as a whole, "" where it is none, and its parts.

    An identifier is found by all of it and by each of its words; what is written
    without spaces by each two neighbours.
    """
    chunk = APOSTROPHES.sub("", chunk)
    runs = RUN.split(chunk)
    parts: list[str] = []
    for index, run in enumerate(runs):
        parts += _pairs(run) if index % 2 else _words(run)
    whole = fold(chunk) if len(parts) > 1 and len(runs) == 1 else ""
    kept = [part for part in parts if len(part) <= LONGEST]
    return (whole if len(whole) <= LONGEST else ""), kept


def terms(text: str) -> list[str]:
    """Return the terms of a text in their order, each as often as it occurs."""
    return [term for chunk in chunks(text) for term in _known[chunk]]


def counted(text: str) -> dict[str, int]:
    """Return how often each term occurs in a text."""
    found: dict[str, int] = {}
    for chunk, times in Counter(chunks(text)).items():
        for term in _known[chunk]:
            found[term] = found.get(term, 0) + times
    return found


class _Known(dict[str, tuple[str, ...]]):
    """The terms of chunks: the same few thousand make up most of any site."""

    def __missing__(self, chunk: str) -> tuple[str, ...]:
        whole, parts = split(chunk)
        found = (*parts, whole) if whole else tuple(parts)
        if len(self) >= MOST_KNOWN:
            self.clear()
        if len(chunk) <= LONGEST:
            self[chunk] = found
        return found


_known = _Known()


def _words(run: str) -> list[str]:
    humps = (hump for part in PART.split(run) for hump in HUMP.split(part))
    return [fold(hump) for hump in humps if hump]


def _pairs(run: str) -> list[str]:
    run = fold(run)
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]
