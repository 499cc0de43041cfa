"""Fit texts into the limits of channels."""

import re
from collections.abc import Callable, Sequence

ELLIPSIS = "…"
# A text, and what closes the marks that are open at its end.
Piece = tuple[str, str]
Fits = Callable[[str], bool]
# Scripts from U+2E80 on put no spaces between their words.
_WORD = re.compile("[!-\u2e7f]+|[^!-\u2e7f]")


def words(text: str) -> list[str]:
    """
    Return the words of a text, the characters between them, and ideographs.

    A text is cut between them only: a part of an address would be another address.
    """
    return _WORD.findall(text)


def fitted(pieces: Sequence[Piece], fits: Fits) -> str:
    """Return as many of the pieces as fit, and an ellipsis if these are not all."""

    def cut(count: int) -> str:
        text = "".join(text for text, _ in pieces[:count]).rstrip()
        return text + "".join(end for _, end in pieces[:count][-1:]) + ELLIPSIS

    whole = "".join(text for text, _ in pieces)
    return whole if fits(whole) else cut(most(len(pieces), lambda n: fits(cut(n))))


def fitted_line(text: str, fits: Fits) -> str:
    """Return the beginning of a text without marks that fits."""
    return fitted([(word, "") for word in words(text)], fits)


def most(high: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number up to `high` that fits, 0 if none does."""
    low = 0
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def utf16_length(text: str) -> int:
    """Return the length as programs in JavaScript count it, which is never less."""
    return len(text) + sum(char > "\uffff" for char in text)


def at_most(length: int) -> Fits:
    return lambda text: utf16_length(text) <= length
