"""Split texts into search terms; assets/search.js follows the same rules."""

import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise

from models.normalization import normalize

# Nobody types longer words: they are digests, or pictures in base64.
MAX_LENGTH = 40
MAX_CACHED = 1 << 14
# Words as short as "a" are not joined with their neighbours.
MIN_JOINED = 2

# Letters that have no decomposition, and those that are often written as another one:
# of Arabic at the end of a word, and the nasal sign of Hindi.
PLAIN = str.maketrans(
    {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i", "ς": "σ"}
    | {"\u0671": "\u0627", "\u0649": "\u064a", "\u0629": "\u0647"}
    | {"\u0901": "\u0902"}
    # The digits of Arabic, Persian and Hindi.
    | {chr(zero + n): str(n) for zero in (0x660, 0x6F0, 0x966) for n in range(10)}
)
# Accents, the points of Hebrew, the vowels of Arabic and what lengthens its words.
MARKS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a"
    "\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
)
# The dot below letters of Hindi is left out by many, but ends no word.
DIACRITICS = re.compile(f"[{MARKS}\u093c]")
# A nasal before a consonant is written as a letter or as a sign: हिन्दी and हिंदी.
NASALS = re.compile("[\u0919\u091e\u0923\u0928\u092e]\u094d")
# The Arabic article and what is written before it, if a word remains.
ARTICLE = re.compile(
    "^(?:\u0627\u0644(?=..)|(?:[\u0648\u0628\u0643\u0641]\u0627\u0644|\u0644\u0644)(?=...))"
)
# Soft hyphens, joiners and marks of direction, which readers neither see nor type.
INVISIBLE = re.compile("[\xad\u200c-\u200f\u2060\ufeff]")
# Vowel signs, which belong to their word but are not letters for Python.
SIGNS = "\u0900-\u0963\u0966-\u0dff"
# Scripts without spaces between words, and Korean, which adds endings to them.
PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
LETTERS = rf"\w{SIGNS}{PAIRED}"
WORD = rf"[{LETTERS}][{LETTERS}{MARKS}]*"
# The last two are within abbreviations of Hebrew, whose hyphen is U+05BE.
QUOTES = "'\N{RIGHT SINGLE QUOTATION MARK}\u02bc\u05f3\u05f4"
JOINTS = f"-./:\u05be{QUOTES}"
CHUNK = re.compile(rf"{WORD}(?:(?:::|[{JOINTS}]){WORD})*")
# The same for ASCII, in half the time.
ASCII_CHUNK = re.compile(r"\w+(?:(?:::|[-./:'])\w+)*", re.ASCII)
PAIRED_RUN = re.compile(rf"([{PAIRED}]+)")
APOSTROPHES = re.compile(f"[{QUOTES}]")
# What French and Italian write before a vowel belongs to no word: l'incident, dell'API.
ELISION = re.compile(
    rf"^[{JOINTS}_{MARKS}]*(?:[cdjlmnst]|(?:jus|lors|puis|quoi)?qu|un|(?:a|da|de|ne|su)ll)"
    rf"[{QUOTES}](?=[^\W\d_]{{3}})",
    re.IGNORECASE,
)
SEPARATORS = re.compile("[-./:_\u05be]+")
# What divides an identifier into identifiers: `scrape_configs.relabel_configs`.
OUTER_SEPARATORS = re.compile("[./:]+")
# A separator between digits stays in the whole: 1.12 is not 11.2.
OMITTED_SEPARATORS = re.compile("(?<![0-9])[-./:_\u05be]+|[-./:_\u05be]+(?![0-9])")
CAMEL_CASE = re.compile("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


# Punctuation around tokens, which is in no term.
EDGES = string.punctuation


def chunks(text: str) -> list[str]:
    """Split a text at spaces and punctuation; `keys/add` is one chunk."""
    if text.isascii():
        return ASCII_CHUNK.findall(text)
    return CHUNK.findall(INVISIBLE.sub("", normalize("NFC", text)))


def fold(word: str) -> str:
    """Remove case, diacritics and width, and what else writers may leave out."""
    if word.isascii():
        return word.lower()
    bare = DIACRITICS.sub("", normalize("NFKD", word)).lower()
    plain = normalize("NFC", bare).translate(PLAIN)
    return ARTICLE.sub("", NASALS.sub("\u0902", plain))


def split(chunk: str) -> tuple[list[str], list[str]]:
    """
    Return the words of a chunk, and the identifiers in it that are several words.

    An identifier is found by each of its words and by the whole of it, in any spelling:
    `Get-ChildItem`, `get_child_item` and `getChildItem` are all `getchilditem`. Text
    without spaces between words is found by each pair of neighbouring characters.
    """
    if _is_one_word(chunk):
        return _short([chunk.lower()]), []
    chunk = APOSTROPHES.sub("", ELISION.sub("", chunk))
    runs = PAIRED_RUN.split(chunk)
    words: list[str] = []
    for index, run in enumerate(runs):
        words += _pairs(run) if index % 2 else _split_words(run)
    identifiers = _identifiers(chunk) if len(words) > 1 and len(runs) == 1 else ()
    whole_words = set(words)
    return (
        _short(words),
        _short(dict.fromkeys(i for i in identifiers if i and i not in whole_words)),
    )


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, each as often as it occurs."""
    return [term for token in text.split() for term in _terms[token]]


def count_terms(text: str) -> dict[str, int]:
    """Return how often each term occurs in a text."""
    counts: dict[str, int] = {}
    # No chunk contains a space, and splitting at spaces is fast.
    for token, times in Counter(text.split()).items():
        for term in _terms[token]:
            counts[term] = counts.get(term, 0) + times
    return counts


def joined_words(text: str) -> Iterator[str]:
    """
    Yield each two neighbouring words of a line as one.

    So a page about "front matter" is found by "frontmatter", too.
    """
    words = [word for token in text.split() for word in _words[token]]
    for word, following in pairwise(words):
        joined = word + following
        if word and following and len(joined) <= MAX_LENGTH:
            yield joined


class _Cache(dict[str, tuple[str, ...]]):
    """What a token gives: the same few thousand make up most of any site."""

    def __init__(self, compute: Callable[[str], Iterable[str]]) -> None:
        super().__init__()
        self._compute = compute

    def __missing__(self, token: str) -> tuple[str, ...]:
        core = token.strip(EDGES)
        result = self[core] if core != token else tuple(self._compute(token))
        if len(self) >= MAX_CACHED:
            self.clear()
        if len(token) <= MAX_LENGTH:
            self[token] = result
        return result


def _list_terms(token: str) -> Iterator[str]:
    for chunk in chunks(token):
        words, identifiers = split(chunk)
        yield from words
        yield from identifiers


def _list_words(token: str) -> Iterator[str]:
    """Yield the words of a token that may be joined with their neighbours."""
    for chunk in chunks(token):
        for word in split(chunk)[0]:
            # Empty, so that the words before and after it are not neighbours.
            is_joined = len(word) >= MIN_JOINED and not PAIRED_RUN.search(word)
            yield word if is_joined else ""


_terms, _words = _Cache(_list_terms), _Cache(_list_words)


def _is_one_word(chunk: str) -> bool:
    """Recognise most words quickly."""
    if not (chunk.isascii() and chunk.isalnum()):
        return False
    return chunk[1:].lower() == chunk[1:] or (chunk.isalpha() and chunk.isupper())


def _split_words(run: str) -> list[str]:
    words = (word for part in SEPARATORS.split(run) for word in CAMEL_CASE.split(part))
    return [folded for word in words if (folded := fold(word))]


def _identifiers(chunk: str) -> Iterator[str]:
    """Yield the folded identifiers of a chunk: the whole last."""
    for separators in (SEPARATORS, OUTER_SEPARATORS):
        for part in separators.split(chunk):
            if part:
                yield fold(OMITTED_SEPARATORS.sub("", part))
    yield fold(OMITTED_SEPARATORS.sub("", chunk))


def _short(terms: Iterable[str]) -> list[str]:
    return [term for term in terms if len(term) <= MAX_LENGTH]


def _pairs(run: str) -> list[str]:
    run = fold(run)
    return [run[i : i + 2] for i in range(max(1, len(run) - 1))]
