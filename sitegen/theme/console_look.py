"""Render the pages of the console, which come from the API, with their own assets."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from models.locales import FALLBACK
from models.settings import Settings
from sitegen.theme.theme import DEFAULT_TEMPLATES, Theme

ASSETS = DEFAULT_TEMPLATES / "console" / "assets"


class ConsoleLook:
    """
    The templates of the console, and its assets by name.

    A page loads one style sheet and one script, both from the API's own host: the
    published site may be on another one, or not built yet.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._theme = Theme(settings, FALLBACK)
        site_css = b"\n".join(
            self._theme.assets[name][1]
            for name in ("style.css", "docs.css", "status.css")
        )
        self._names: dict[str, str] = {}
        # Fonts are beside the style sheet that names them.
        self.assets: dict[str, bytes] = {
            path.rpartition("/")[2]: content
            for path, content in self._theme.assets.values()
            if path.endswith(".woff2")
        }
        self._add("console.css", site_css + b"\n" + _read("console.css", "editor.css"))
        # First, so that a page does not flash in the other scheme.
        script = self._theme.assets["theme.js"][1]
        self._add("console.js", script + _read("console.js", "editor.js"))
        self._add("icon.svg", self._theme.assets["icon.svg"][1])

    def render(self, template: str, data: Mapping[str, Any]) -> str:
        site = {
            "name": self._settings.site_name,
            "url": self._settings.site_url,
            "assets": self._names,
        }
        return self._theme.render(template, site=site, **data)

    def _add(self, name: str, content: bytes) -> None:
        digest = hashlib.sha256(content).hexdigest()[:10]
        stem, _, suffix = name.rpartition(".")
        named = f"{stem}.{digest}.{suffix}"
        self.assets[named] = content
        self._names[name] = f"/console/assets/{named}"


def console_look(settings: Settings) -> ConsoleLook | None:
    """Return the look of the console, None if the settings switch it off."""
    return ConsoleLook(settings) if settings.console == "on" else None


def _read(*names: str) -> bytes:
    return b"\n".join(Path(ASSETS / name).read_bytes() for name in names)
