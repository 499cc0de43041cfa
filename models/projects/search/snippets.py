"""The piece of a text in which search found something, and where in it."""

import re
from collections.abc import Iterator
from unicodedata import category, normalize

from models.projects.search.search_query import sought
from models.storage.engines.engine import SearchTerm

MOST = 240
# What is shown before the first place; so much is read to fill the rest.
BEFORE, PIECE = 60, 2000
# A hit that comes later is told without its place: the time stays bounded.
LOOKED_THROUGH = 100_000

# What a word is made of, as the index sees it.
LETTER = r"[^\W_]"
_WORD = re.compile(rf"{LETTER}+")

Highlight = tuple[int, int]


class _Folds(dict[int, str]):
    """Each letter as the index keeps it: small, and without its accents."""

    def __missing__(self, code: int) -> str:
        parts = normalize("NFD", chr(code))
        is_accented = all(category(each) == "Mn" for each in parts[1:])
        small = (parts[0] if is_accented else chr(code)).lower()
        # One letter for one, so that places stay what they are.
        folded = small if len(small) == 1 else chr(code)
        if code <= 0xFFFF:
            self[code] = folded
        return folded


_FOLDS = _Folds()


def folded(text: str) -> str:
    """Return the text as the index compares it, letter for letter."""
    return text.lower() if text.isascii() else text.translate(_FOLDS)


class Finder:
    """Finds in a text what was sought."""

    def __init__(self, asked: str) -> None:
        parts = [_pattern(each) for each in sought(asked)]
        # One for each, which begins with its letters: so it is found fastest.
        self.parts = [re.compile(each) for each in parts if each]
        any_part = "|".join(f"(?:{each})" for each in parts if each)
        self.any = re.compile(rf"(?<!{LETTER})(?:{any_part})") if any_part else None

    def snippet(self, body: str) -> tuple[str, list[Highlight]]:
        """Return a line of the text from about the first hit, and the hits in it."""
        text = normalize("NFC", body[:LOOKED_THROUGH])
        place = min(self._places(folded(text)), default=0)
        line = _line(text, place)
        if self.any is None:
            return line, []
        found = self.any.finditer(folded(line))
        return line, [(each.start(), each.end() - each.start()) for each in found]

    def _places(self, text: str) -> Iterator[int]:
        """Yield where each part stands first; a word begins where none goes on."""
        for part in self.parts:
            for found in part.finditer(text):
                if not _is_letter(text, found.start() - 1):
                    yield found.start()
                    break


def _pattern(part: SearchTerm) -> str:
    words = _WORD.findall(folded(normalize("NFC", part.text)))
    end = rf"{LETTER}*" if part.is_prefix else rf"(?!{LETTER})"
    return r"[\W_]+".join(re.escape(each) for each in words) + end if words else ""


def _line(text: str, place: int) -> str:
    """Return one line around the place, cut between words, and marked where cut."""
    start = max(0, place - BEFORE)
    while start < place and start and _is_letter(text, start - 1):
        start += 1
    before = "…" if text[:start].strip() else ""
    line = before + " ".join(_plain(text[start : start + PIECE]).split())
    if len(line) <= MOST and len(text) <= start + PIECE:
        return line
    end = MOST - 1
    while end > 1 and _is_letter(line, end - 1) and _is_letter(line, end):
        end -= 1
    return line[: end if end > 1 else MOST - 1].rstrip() + "…"


def _plain(piece: str) -> str:
    return "".join(each if each.isprintable() else " " for each in piece)


def _is_letter(text: str, place: int) -> bool:
    return 0 <= place < len(text) and text[place].isalnum()
