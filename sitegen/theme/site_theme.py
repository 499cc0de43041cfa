"""The theme of the site's pages with its card, and of the API's for subscribers."""

import json
import os
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from models.settings import Settings
from sitegen.theme.card import Card, make_card
from sitegen.theme.theme import Theme

STORED_CARD = ".masthead.card"


class StoredCard:
    """Makes a card unless an earlier process has left it in the output folder."""

    def __init__(self, output: str) -> None:
        self._path = Path(output, STORED_CARD)
        self._failed_key = ""

    def make(self, card: Card) -> bytes | None:
        """Return the card as a PNG, None if it cannot be drawn."""
        key = card.key
        with suppress(OSError, ValueError, KeyError, TypeError):
            stored = json.loads(self._path.read_bytes())
            if stored["key"] == key:
                return b64decode(stored["png"], validate=True)
        # A process does not try it again and again.
        if key == self._failed_key:
            return None
        png = make_card(card)
        if png is None:
            self._failed_key = key
            return None
        text = json.dumps({"key": key, "png": b64encode(png).decode()})
        # Where it cannot be stored, the next process draws it, too.
        with suppress(OSError):
            replace_file(self._path, text)
        return png


def site_theme(settings: Settings) -> Theme:
    """
    Return the theme of the site's pages.

    Its card is kept in the output folder: every build needs it, and all processes of a
    build must have the same, whether or not each could draw it.
    """
    return Theme(settings, make_card=StoredCard(settings.output).make)


def reader_page_renderer(
    settings: Settings,
) -> Callable[[str, Mapping[str, Any], str], str]:
    """Return a function that renders a template with its data in a language."""

    @cache
    def theme_in(language: str) -> Theme:
        return Theme(settings, language)

    # The assets are those of the site, whose scripts are in its language.
    assets = theme_in(settings.language)

    def render(template: str, data: Mapping[str, Any], language: str) -> str:
        # They have none of the site's navigation, which is known to the builder.
        site = assets.site({"collections": [], "reference": None})
        base = settings.site_base
        theme = theme_in(language)
        return theme.render(template, site=site, data=data, origin=base)

    return render


def replace_file(path: Path, text: str) -> None:
    """Write the file, which another process may be writing, too; raise OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        draft.write_text(text)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
