"""Rendered Markdown, kept in memory by the digest of its text."""

import hashlib
from collections import OrderedDict

from sitegen.markdown import RENDERER, Rendered, render


def body_key(text: str) -> str:
    """Name what the text renders to; another renderer gives another name."""
    return hashlib.sha256(f"{RENDERER}\n{text}".encode()).hexdigest()


class Bodies:
    """Renders each text once, as long as there is room."""

    def __init__(self, most: int = 2000) -> None:
        self._kept: OrderedDict[str, Rendered] = OrderedDict()
        self._most = most

    def of(self, text: str) -> Rendered:
        key = body_key(text)
        found = self._kept.pop(key, None) or render(text)
        self._kept[key] = found
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return found
