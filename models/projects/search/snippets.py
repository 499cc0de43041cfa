"""Cut snippets with highlights out of the texts that a search found."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import islice
from unicodedata import category

from models.normalization import normalize
from models.projects.search.search_query import parse_terms
from models.storage.database import check_time
from models.storage.engines.engine import SearchTerm

# Neither snippet() of FTS5 nor ts_headline() of PostgreSQL is used: the snippets of
# both engines must be equal, and highlights are positions.

MAX_LENGTH = 240
# Characters shown before the first hit, and characters read to fill the snippet.
CONTEXT, EXCERPT = 60, 2000
# Only the start of a text is searched for hits, so that the time is bounded.
SEARCHED_LENGTH = 100_000

# A character of a word, as the word index defines it.
LETTER = r"[^\W_]"
_WORD = re.compile(rf"{LETTER}+")
_SEPARATORS = re.compile(r"[\W_]+")

# Start and length, in code points.
Highlight = tuple[int, int]


class _FoldTable(dict[int, str]):
    """Maps characters as the word index does: to lower case, without accents."""

    def __missing__(self, code: int) -> str:
        decomposed = normalize("NFD", chr(code))
        is_accented = all(category(mark) == "Mn" for mark in decomposed[1:])
        lower = (decomposed[0] if is_accented else chr(code)).lower()
        # One character for one, so that positions stay valid.
        folded = lower if len(lower) == 1 else chr(code)
        if code <= 0xFFFF:
            self[code] = folded
        return folded


_FOLD_TABLE = _FoldTable()


def fold(text: str) -> str:
    """Return the text as the word index compares it, character for character."""
    return text.lower() if text.isascii() else text.translate(_FOLD_TABLE)


class SnippetMaker:
    """Makes the snippets of one search query."""

    def __init__(self, query: str) -> None:
        terms = [_Term(term) for term in parse_terms(query)]
        self._words = [term for term in terms if len(term.words) == 1]
        self._phrases = [term for term in terms if len(term.words) > 1]
        patterns = [term.pattern for term in terms if term.words]
        any_term = "|".join(f"(?:{pattern})" for pattern in patterns)
        self._any_term = (
            re.compile(rf"(?<!{LETTER})(?:{any_term})") if patterns else None
        )

    def snippet(self, body: str) -> tuple[str, list[Highlight]]:
        """Return a line of the text around the first hit, and the hits in the line."""
        text = normalize("NFC", body[:SEARCHED_LENGTH])
        first_hit = min(self._first_hits(fold(text)), default=0)
        line = _line(text, first_hit)
        if self._any_term is None:
            return line, []
        hits = self._any_term.finditer(fold(line))
        return line, [(hit.start(), hit.end() - hit.start()) for hit in hits]

    def _first_hits(self, text: str) -> Iterator[int]:
        """Yield the position of the first hit of each term, at the start of a word."""
        for term in self._words:
            check_time()
            if hit := term.search(text):
                yield hit.start()
        if self._phrases:
            yield from _first_phrases(self._phrases, text)


class _Term:
    """The folded words of a search term, and the pattern of a hit."""

    def __init__(self, term: SearchTerm) -> None:
        self.words = _WORD.findall(fold(normalize("NFC", term.text)))
        self.is_prefix = term.is_prefix
        self._end = rf"{LETTER}*" if term.is_prefix else rf"(?!{LETTER})"
        self.pattern = r"[\W_]+".join(map(re.escape, self.words)) + self._end

    @cached_property
    def search(self) -> Callable[[str], re.Match[str] | None]:
        """Search for the only word, at the start of a word."""
        # A pattern that begins with a literal is the fastest to search for.
        (word,) = map(re.escape, self.words)
        return re.compile(rf"{word}(?<!{LETTER}{word}){self._end}").search


def _first_phrases(phrases: list[_Term], text: str) -> Iterator[int]:
    """
    Yield the position of the first hit of each phrase.

    A search for one string takes linear time, unlike an expression for a phrase, which
    is tried again at every occurrence of its first word.
    """
    words = f" {_SEPARATORS.sub(' ', text).strip()} "
    for phrase in phrases:
        check_time()
        end = "" if phrase.is_prefix else " "
        position = words.find(f" {' '.join(phrase.words)}{end}")
        if position >= 0:
            earlier_words = words.count(" ", 0, position)
            hits = islice(_WORD.finditer(text), earlier_words, None)
            yield next(hits).start()


def _line(text: str, position: int) -> str:
    """Return one line around the position, cut between words, with ellipses."""
    start = max(0, position - CONTEXT)
    while start < position and start and _is_letter(text, start - 1):
        start += 1
    ellipsis = "…" if text[:start].strip() else ""
    line = ellipsis + " ".join(_printable(text[start : start + EXCERPT]).split())
    if len(line) <= MAX_LENGTH and len(text) <= start + EXCERPT:
        return line
    end = MAX_LENGTH - 1
    while end > 1 and _is_letter(line, end - 1) and _is_letter(line, end):
        end -= 1
    return line[: end if end > 1 else MAX_LENGTH - 1].rstrip() + "…"


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def _is_letter(text: str, position: int) -> bool:
    return 0 <= position < len(text) and text[position].isalnum()
