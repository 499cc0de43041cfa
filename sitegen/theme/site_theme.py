"""The theme of the site's pages, with the card that an earlier process has drawn."""

import json
from base64 import b64decode, b64encode
from contextlib import suppress
from pathlib import Path

from models.settings import Settings
from sitegen.output.stored_files import replace_file
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
