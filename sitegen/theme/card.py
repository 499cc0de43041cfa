"""
Draw the card of the site: the picture that social networks and chats show with a link.

It needs Pillow, the extra `cards`. Without Pillow, or without a font that has every
character of the name, there is no card: better none than boxes in place of letters.
"""

import hashlib
import logging
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from io import BytesIO
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from models.normalization import normalize

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont

log = logging.getLogger("masthead.builds")

WIDTH, HEIGHT = 1200, 630
MARGIN, STRIPE, GAP = 96, 20, 32
LINE_HEIGHT = 1.2
# Of the light scheme in style.css.
PAPER, INK, SOFT = "#fdfdfb", "#1c1e26", "#5a5d69"
# What the smooth edges of letters need.
COLOURS = 64
# For what the font of the site lacks, by the names under which systems have them.
SYSTEM_FONTS = (
    *("NotoSans-Bold.ttf", "NotoSansCJK-Bold.ttc", "NotoSansArabic-Bold.ttf"),
    *("NotoSansHebrew-Bold.ttf", "NotoSansDevanagari-Bold.ttf"),
    *("NotoSansThai-Bold.ttf", "DejaVuSans-Bold.ttf", "wqy-zenhei.ttc"),
    *("arialbd.ttf", "msyhbd.ttc", "YuGothB.ttc", "malgunbd.ttf", "Nirmala.ttf"),
)
# Not a character in any font.
_MISSING = "\uffff"
_RIGHT_TO_LEFT = ("R", "AL", "AN")
_ELLIPSIS = "…"


class _NoFont(Exception):
    """No font at hand has all characters of a text."""


@dataclass(frozen=True)
class _Style:
    """A text is set in the largest of the sizes in which it fits into the lines."""

    colour: str
    weight: int
    sizes: Sequence[int]
    max_lines: int


NAME = _Style(INK, 700, (112, 96, 80, 64, 52), 3)
TAGLINE = _Style(SOFT, 400, (44, 38), 3)


class _Typeface:
    """Fonts of one size, each with some of the characters."""

    def __init__(self, fonts: Sequence["FreeTypeFont"]) -> None:
        self._fonts = fonts
        self._by_character: dict[str, FreeTypeFont | None] = {}

    def has(self, text: str) -> bool:
        return all(self._font_of(character) for character in text)

    def width(self, text: str) -> float:
        return sum(font.getlength(run) for font, run in self._runs(text))

    def draw(
        self, draw: "ImageDraw", left: float, baseline: float, text: str, colour: str
    ) -> None:
        for font, run in self._runs(text):
            draw.text((left, baseline), run, colour, font, anchor="ls")
            left += font.getlength(run)

    def _runs(self, text: str) -> Iterator[tuple["FreeTypeFont", str]]:
        for font, characters in groupby(text, self._font_of):
            assert font is not None
            yield font, "".join(characters)

    def _font_of(self, character: str) -> "FreeTypeFont | None":
        if character not in self._by_character:
            fonts = (font for font in self._fonts if _has(font, character))
            self._by_character[character] = next(fonts, None)
        return self._by_character[character]


@dataclass(frozen=True)
class _Setting:
    """A text in lines."""

    lines: Sequence[str]
    typeface: _Typeface
    size: int
    colour: str

    @property
    def height(self) -> float:
        return len(self.lines) * self.size * LINE_HEIGHT

    def draw(self, draw: "ImageDraw", top: float, is_mirrored: bool) -> None:
        for number, line in enumerate(self.lines):
            width = self.typeface.width(line)
            left = WIDTH - MARGIN - width if is_mirrored else MARGIN
            baseline = top + (number * LINE_HEIGHT + 0.95) * self.size
            self.typeface.draw(draw, left, baseline, line, self.colour)


@dataclass(frozen=True)
class Card:
    """What a card shows; `fonts` are those of the site."""

    name: str
    tagline: str
    accent: str
    fonts: tuple[bytes, ...]
    is_mirrored: bool

    @property
    def key(self) -> str:
        """Return a digest of the card and of the program that draws it."""
        program = Path(__file__).read_bytes()
        return hashlib.sha256(program + repr(self).encode()).hexdigest()


def make_card(card: Card) -> bytes | None:
    """
    Return the card as a PNG, or None if there is no Pillow or no font for the name.

    A tagline for which there is no font is left out. A site can do without its card, so
    an error, for example of an operator's own font, is only logged.
    """
    if find_spec("PIL") is None:
        return None
    try:
        return draw_card(card)
    except Exception as error:
        log.warning("The card for links to the site was not drawn: %s", error)
        return None


def draw_card(card: Card) -> bytes | None:
    """Return the card as a PNG, or None if there is no font for the name."""
    try:
        settings = [_set(card.name, NAME, card.fonts)]
    except _NoFont:
        return None
    if card.tagline:
        with suppress(_NoFont):
            settings.append(_set(card.tagline, TAGLINE, card.fonts))
    return _draw(settings, card.accent, card.is_mirrored)


def _draw(settings: Sequence[_Setting], accent: str, is_mirrored: bool) -> bytes:
    """Draw the texts below each other, in the middle of the height."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH, STRIPE), accent)
    height = sum(setting.height + GAP for setting in settings) - GAP
    top = STRIPE + (HEIGHT - STRIPE - height) / 2
    for setting in settings:
        setting.draw(draw, top, is_mirrored)
        top += setting.height + GAP
    target = BytesIO()
    image.quantize(COLOURS).save(target, "PNG", optimize=True)
    return target.getvalue()


def _set(text: str, style: _Style, fonts: Sequence[bytes]) -> _Setting:
    """Break a text into lines; what does not fit in the smallest size is cut off."""
    text = " ".join(normalize("NFC", text).split())
    for size in style.sizes:
        typeface = _typeface(text, size, style.weight, fonts)
        lines = list(_lines(text, typeface, WIDTH - 2 * MARGIN))
        if len(lines) <= style.max_lines:
            return _Setting(lines, typeface, size, style.colour)
    lines = lines[: style.max_lines]
    if typeface.has(_ELLIPSIS):
        lines[-1] = lines[-1][:-1].rstrip() + _ELLIPSIS
    return _Setting(lines, typeface, size, style.colour)


def _lines(text: str, typeface: _Typeface, max_width: float) -> Iterator[str]:
    """Break between words and wide characters, and in words that are too long."""
    line = ""
    for unit in _units(text):
        if line and typeface.width((line + unit).rstrip()) > max_width:
            yield line.rstrip()
            line = ""
        line += unit
        while typeface.width(line.rstrip()) > max_width:
            ends = range(1, len(line))
            end = bisect_right(
                ends, max_width, key=lambda end: typeface.width(line[:end])
            )
            yield line[:end]
            line = line[end:]
    yield line.rstrip()


def _units(text: str) -> Iterator[str]:
    """Split a text where a line may end: behind spaces, and beside wide characters."""
    for word in re.findall(r"\S+\s*", text):
        for is_wide, characters in groupby(word, _is_wide):
            run = "".join(characters)
            yield from run if is_wide else [run]


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in ("W", "F")


def _typeface(text: str, size: int, weight: int, fonts: Sequence[bytes]) -> _Typeface:
    """Return the font of the site or, if it lacks a character, one of the system."""
    from PIL import ImageFont, features

    is_complex = any(map(_is_complex, text))
    if not is_complex:
        # FreeType may be built without what reads the format of the fonts.
        with suppress(OSError):
            own = _Typeface([_site_font(font, size, weight) for font in fonts])
            if own.has(text):
                return own
    if is_complex and not features.check("raqm"):
        raise _NoFont
    for name in SYSTEM_FONTS:
        with suppress(OSError):
            typeface = _Typeface([ImageFont.truetype(name, size)])
            if typeface.has(text):
                return typeface
    raise _NoFont


def _site_font(font: bytes, size: int, weight: int) -> "FreeTypeFont":
    from PIL import ImageFont

    # Without Raqm, which not every system can load: the same picture everywhere.
    loaded = ImageFont.truetype(
        BytesIO(font), size, layout_engine=ImageFont.Layout.BASIC
    )
    # A font of the operator's may have one weight only.
    with suppress(OSError):
        loaded.set_variation_by_axes([weight])
    return loaded


def _is_complex(character: str) -> bool:
    """Return whether letters around it change their shapes, places or order."""
    is_mark = unicodedata.category(character).startswith("M")
    return is_mark or unicodedata.bidirectional(character) in _RIGHT_TO_LEFT


def _has(font: "FreeTypeFont", character: str) -> bool:
    if character == " ":
        return True
    glyph, missing = font.getmask(character), font.getmask(_MISSING)
    return bool(glyph.getbbox()) and bytes(glyph) != bytes(missing)
