"""Read MASTHEAD_SWITCHER: the sites in other languages, and those of other versions."""

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import unquote

from models.settings import SITE_URL, SettingError, Settings

VARIABLE = "MASTHEAD_SWITCHER"
KINDS = ("language", "version")
_NAME = (r"[^\x00-\x1f]{1,80}", "one line of 1 to 80 characters")
FORMS = {
    "name": _NAME,
    "url": (rf"{SITE_URL}/?", "a URL such as https://example.com/docs/v2"),
    "language": (
        r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*",
        "the tag of a language, such as de or pt-BR",
    ),
    "version": _NAME,
    "output": (r"[^\x00-\x1f]+", "the path of a folder"),
}
EXAMPLE = '{"name": "2.x", "url": "https://example.com/docs/v2", "version": "2.4"}'
HOME_PAGE = frozenset({"/"})
_LOCATION = re.compile(r"<loc>([^<]+)</loc>")


@dataclass(frozen=True)
class Site:
    """A site of a menu: this one, or that in another language or of another version."""

    kind: str
    name: str
    url: str
    tag: str
    is_current: bool
    # The output folder of the site, if it is on this machine.
    output: str


class Language(NamedTuple):
    """A site in a language, with the addresses of its pages; None is this site."""

    tag: str
    url: str
    addresses: frozenset[str] | None


Languages = tuple[Language, ...]


@dataclass(frozen=True)
class Switcher:
    """The menus of all pages, by what their sites differ in."""

    menus: Mapping[str, tuple[Site, ...]]

    def languages(self) -> Languages:
        """Return the languages with what each site has now."""
        return tuple(
            Language(
                site.tag, site.url, None if site.is_current else _addresses_of(site)
            )
            for site in self.menus.get("language", ())
        )


def alternates(languages: Languages, address: str) -> list[dict[str, str]]:
    """Return the addresses of a page of this site in all languages that have it."""
    found = [
        {"language": each.tag, "href": each.url + address}
        for each in languages
        if each.addresses is None or address in each.addresses
    ]
    return found if len(found) > 1 else []


def _addresses_of(site: Site) -> frozenset[str]:
    """
    Return the addresses that the sitemaps of a site list, the same object while the
    files are the same. Without its output folder, only its home page is known.
    """
    if not site.output:
        return HOME_PAGE
    files = sorted(Path(site.output, "sitemaps").glob("*.xml"))
    stats = ((str(file), file.stat()) for file in files)
    with suppress(OSError, ValueError):
        stamps = tuple((path, stat.st_mtime_ns, stat.st_size) for path, stat in stats)
        return _read_addresses(site.url, stamps)
    # The site has just replaced a file, and is read again later.
    return frozenset()


@lru_cache(maxsize=64)
def _read_addresses(
    url: str, stamps: tuple[tuple[str, int, int], ...]
) -> frozenset[str]:
    texts = (Path(path).read_text(encoding="utf-8") for path, *_ in stamps)
    return frozenset(
        unquote(unescape(location)).removeprefix(url)
        for text in texts
        for location in _LOCATION.findall(text)
    )


def read_switcher(settings: Settings) -> Switcher:
    """Return the menus; raise SettingError if the file is not as it must be."""
    if not settings.switcher:
        return Switcher({})
    sites = [
        _site(entry, number, settings)
        for number, entry in enumerate(_entries(settings.switcher), 1)
    ]
    menus = {kind: _menu(kind, sites, settings) for kind in KINDS}
    if not any(menus.values()):
        raise SettingError(
            f"{VARIABLE}: no site in {settings.switcher} has the URL of this one,"
            f" {settings.site_url}. Add it, or set MASTHEAD_SITE_URL to its URL there."
        )
    return Switcher({kind: menu for kind, menu in menus.items() if menu})


def _menu(kind: str, sites: Iterable[Site], settings: Settings) -> tuple[Site, ...]:
    """Return the sites that differ in this, none if this one is not among them."""
    menu = tuple(site for site in sites if site.kind == kind)
    if sum(site.is_current for site in menu) > 1:
        raise SettingError(
            f"{VARIABLE}: {settings.switcher} has more than one {kind} with the URL"
            f" {settings.site_url}. Remove all but one."
        )
    return menu if any(site.is_current for site in menu) else ()


def _entries(path: str) -> list[Any]:
    try:
        with open(path, encoding="utf-8") as file:
            entries = json.load(file)
    except OSError as error:
        raise SettingError(
            f"{VARIABLE}: the file {path} cannot be read: {error.strerror}."
        ) from None
    except ValueError as error:
        raise SettingError(f"{VARIABLE}: {path} is not valid JSON: {error}.") from None
    if not isinstance(entries, list) or not entries:
        raise SettingError(
            f"{VARIABLE}: {path} must contain a list of sites such as {EXAMPLE}."
        )
    return entries


def _site(entry: Any, number: int, settings: Settings) -> Site:
    where = f"{VARIABLE}: site {number} in {settings.switcher}"
    if not isinstance(entry, dict):
        raise SettingError(f"{where} must be an object such as {EXAMPLE}.")
    kinds = [kind for kind in KINDS if kind in entry]
    if len(kinds) != 1:
        raise SettingError(f"{where} must have either a language or a version.")
    for name in chain(("name", "url"), entry):
        _check(where, name, entry)
    url = entry["url"].removesuffix("/")
    return Site(
        kind=kinds[0],
        name=entry["name"],
        url=url,
        tag=entry[kinds[0]],
        is_current=url == settings.site_url,
        output=entry.get("output", ""),
    )


def _check(where: str, name: str, entry: Mapping[str, Any]) -> None:
    if name not in FORMS:
        names = ", ".join(FORMS)
        raise SettingError(f"{where} has an unknown field '{name}'. Known are {names}.")
    pattern, form = FORMS[name]
    value = entry.get(name)
    if not isinstance(value, str) or not re.fullmatch(pattern, value):
        raise SettingError(f"{where} must have as its {name} {form}.")
