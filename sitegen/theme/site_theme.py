"""The theme of the site's pages, with the card that an earlier process has drawn."""

import json
from base64 import b64decode, b64encode
from contextlib import suppress
from functools import partial
from pathlib import Path

from models.settings import Settings
from sitegen.output.stored_files import replace_file
from sitegen.theme.card import Card, make_card
from sitegen.theme.theme import Theme

STORED_CARD = ".masthead.card"


def site_theme(settings: Settings) -> Theme:
    """
    Return the theme of the site's pages.

    Its card is kept in the output folder: every build needs it, and all processes of a
    build must have the same, whether or not each could draw it.
    """
    return Theme(settings, make_card=partial(_stored_card, settings.output))


def _stored_card(output: str, card: Card) -> bytes | None:
    path, key = Path(output, STORED_CARD), card.key
    with suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads(path.read_bytes())
        if stored["key"] == key:
            return b64decode(stored["png"], validate=True)
    png = make_card(card)
    if png:
        # Without it, the next process draws the card, too.
        with suppress(OSError):
            text = json.dumps({"key": key, "png": b64encode(png).decode()})
            replace_file(path, text)
    return png
