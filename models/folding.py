"""How words are compared: small, and without their accents."""

import re
from unicodedata import category, normalize

# What a word is made of, as the index of words sees it.
LETTER = r"[^\W_]"
WORD = re.compile(rf"{LETTER}+")


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
