"""Normalise Unicode text, in linear time on any text."""

import re
import unicodedata
from functools import cache
from typing import Literal

# As many as the Stream-Safe Text Format of Unicode allows. No language needs more, and
# normalising a run of combining marks takes quadratic time.
MAX_MARKS = 30
# No character beyond these is a combining mark.
_LAST_BMP, _LAST_MARK = 0xFFFF, 0x1FFFF
# Characters that are no combining marks themselves, but decompose into them.
_DECOMPOSED_TO_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"


def normalize(form: Literal["NFC", "NFD", "NFKC", "NFKD"], text: str) -> str:
    """Return the text in this form, with at most MAX_MARKS combining marks in a row."""
    if text.isascii():
        return text
    coarse, exact = _excess_marks()
    stream_safe = coarse.sub(
        lambda run: exact.sub(lambda marks: marks[0][:MAX_MARKS], run[0]), text
    )
    return unicodedata.normalize(form, stream_safe)  # noqa: TID251  (bounded above)


@cache
def _excess_marks() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """
    Return a pattern of runs that may be too long, and one of those that are.

    The first takes every character beyond the Basic Multilingual Plane for a mark,
    which is ten times as fast to search for.
    """
    # Made on first use, because that takes 10 ms.
    marks = _DECOMPOSED_TO_MARKS + _marks(0, _LAST_BMP)
    beyond = _marks(_LAST_BMP + 1, _LAST_MARK)
    any_beyond = f"{chr(_LAST_BMP + 1)}-{chr(_LAST_MARK)}"
    excess = f"{{{MAX_MARKS + 1},}}"
    return (
        re.compile(f"[{marks}{any_beyond}]{excess}"),
        re.compile(f"[{marks}{beyond}]{excess}"),
    )


def _marks(first: int, last: int) -> str:
    return "".join(filter(unicodedata.combining, map(chr, range(first, last + 1))))
