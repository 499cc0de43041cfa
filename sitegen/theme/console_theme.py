"""Render the pages of the console, which come from the API, with their own assets."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from models.locales import FALLBACK, Locale, available_languages, match_language
from models.settings import Settings
from sitegen.theme.theme import DEFAULT_TEMPLATES, Theme

PART = "console"
ASSETS = DEFAULT_TEMPLATES / PART / "assets"
_SCRIPT = re.compile(r"console\.(?P<tag>[A-Za-z0-9-]+)\.[0-9a-f]+\.js")


class ConsoleRenderer:
    """The templates of the console in one language."""

    def __init__(self, theme: Theme, site: Mapping[str, Any]) -> None:
        self._theme = theme
        self._site = site

    @property
    def locale(self) -> Locale:
        return self._theme.locale

    def render(self, template: str, data: Mapping[str, Any]) -> str:
        return self._theme.render(template, site=self._site, **data)


class ConsoleTheme:
    """
    The theme of the console in each language with texts for it, and its assets by name.

    A page loads one style sheet and one script, both from the API's own host: the
    published site may be on another one, or not built yet. A language is loaded when it
    is asked for, since each takes a megabyte or two.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        theme = Theme(settings, FALLBACK, PART)
        assets = theme.assets
        site_css = b"\n".join(
            assets[name][1] for name in ("style.css", "docs.css", "status.css")
        )
        # Fonts are beside the style sheet that names them.
        self.assets: dict[str, bytes] = {
            path.rpartition("/")[2]: content
            for path, content in assets.values()
            if path.endswith(".woff2")
        }
        style = site_css + b"\n" + _read("console.css", "editor.css")
        self._names = {
            "console.css": self._add("console.css", style),
            "icon.svg": self._add("icon.svg", assets["icon.svg"][1]),
        }
        self._languages = available_languages(settings.templates, PART)
        self._by_language = {FALLBACK: self._load(theme)}

    def in_language(self, wanted: Iterable[str]) -> ConsoleRenderer:
        """Return the renderer of the first wanted language that exists, or English."""
        return self._in(match_language(wanted, self._languages) or FALLBACK)

    def asset(self, name: str) -> bytes | None:
        """Return an asset by its name with the digest, or None."""
        script = _SCRIPT.fullmatch(name)
        if script and script["tag"] in self._languages:
            # Another process may have sent the page, in a language not loaded here yet.
            self._in(script["tag"])
        return self.assets.get(name)

    def _in(self, tag: str) -> ConsoleRenderer:
        if tag not in self._by_language:
            self._by_language[tag] = self._load(Theme(self._settings, tag, PART))
        return self._by_language[tag]

    def _load(self, theme: Theme) -> ConsoleRenderer:
        """Return a renderer with the theme, and add its script to the assets."""
        # First, so that a page does not flash in the other scheme.
        script = theme.asset("theme.js") + theme.localise(
            _read("console.js", "editor.js")
        )
        name = f"console.{theme.locale.tag}.js"
        site = {
            "name": self._settings.site_name,
            "url": self._settings.site_url,
            "assets": self._names | {"console.js": self._add(name, script)},
        }
        return ConsoleRenderer(theme, site)

    def _add(self, name: str, content: bytes) -> str:
        """Add an asset, and return its address."""
        digest = hashlib.sha256(content).hexdigest()[:10]
        stem, _, suffix = name.rpartition(".")
        named = f"{stem}.{digest}.{suffix}"
        self.assets[named] = content
        return f"/console/assets/{named}"


def console_theme(settings: Settings) -> ConsoleTheme | None:
    """Return the theme of the console, None if the settings switch it off."""
    return ConsoleTheme(settings) if settings.console == "on" else None


def _read(*names: str) -> bytes:
    return b"\n".join(Path(ASSETS / name).read_bytes() for name in names)
