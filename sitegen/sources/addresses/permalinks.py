"""Make the addresses of pages as Hugo and Jekyll do, by patterns as /:year/:slug/."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unicodedata import category

from models.front_matter import text_of
from sitegen.sources.hidden_pages import moment
from sitegen.sources.source_file import SourceFile

_TOKEN = re.compile(r":([a-z_]+)(?:\[([0-9a-z:]{0,20})\])?")
_DATES = ("date", "publishDate", "pubDate", "published", "lastmod")
# The year that Hugo shows of a page without a date.
_NO_DATE = datetime(1, 1, 1, tzinfo=UTC)
_DATED_NAME = re.compile(r"([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})-(.+)")
# Jekyll's names of patterns, of posts.
_POST_STYLES = {
    "date": "/:categories/:year/:month/:day/:title:output_ext",
    "pretty": "/:categories/:year/:month/:day/:title/",
    "none": "/:categories/:title:output_ext",
}


def expand(pattern: str, tokens: Mapping[str, str]) -> str | None:
    """Return the address by a pattern, None if a token is unknown."""
    if any(token[1] not in tokens for token in _TOKEN.finditer(pattern)):
        return None

    def value(token: re.Match[str]) -> str:
        text = tokens[token[1]]
        return text if token[2] is None else _part(text.split("/"), token[2])

    return re.sub("/{2,}", "/", f"/{_TOKEN.sub(value, pattern)}")


def _part(names: list[str], wanted: str) -> str:
    """Return some of the names, as in :sections[1:], :sections[last]."""
    start, colon, end = wanted.replace("last", str(len(names) - 1)).partition(":")
    first = int(start) if start.isdigit() else 0
    last = first + 1 if not colon else int(end) + 1 if end.isdigit() else len(names)
    return "/".join(names[first:last])


def _date_tokens(date: datetime) -> dict[str, str]:
    return {
        "year": str(date.year),
        "short_year": f"{date:%y}",
        "month": f"{date:%m}",
        "i_month": str(date.month),
        "monthname": f"{date:%B}".lower(),
        "short_month": f"{date:%b}",
        "day": f"{date:%d}",
        "i_day": str(date.day),
        "yearday": str(date.timetuple().tm_yday),
        "y_day": f"{date:%j}",
        "weekday": f"{date:%w}",
        "weekdayname": f"{date:%A}".lower(),
    }


def _date_of(file: SourceFile) -> datetime | None:
    dates = (moment(file.front_matter.get(name)) for name in _DATES)
    return next(filter(None, dates), None)


def hugo_address(file: SourceFile, config: dict[str, Any]) -> str | None:
    """Return the address of a page; names of settings are in lower case."""
    path = Path(*(re.sub(r"\s", "-", part) for part in file.path.parts))
    name, folder = path.stem, path.parent
    is_section = name == "_index"
    if is_section or name == "index":
        # A section, or a page in a folder of its own.
        name, folder = folder.name, folder.parent
    sections = [*folder.parts, name] if is_section and name else [*folder.parts]
    section = sections[0] if sections else "/"
    title, slug = (
        text_of(file.front_matter, "title"),
        text_of(file.front_matter, "slug"),
    )
    if url := text_of(file.front_matter, "url"):
        pattern = url
    elif is_section:
        pattern = text_of(config, f"permalinks.section.{section}")
    else:
        pattern = text_of(config, f"permalinks.page.{section}", f"permalinks.{section}")
    base = hugo_name(name)
    tokens = {
        **_date_tokens(_date_of(file) or _NO_DATE),
        "section": hugo_name(section),
        "sections": "/".join(map(hugo_name, sections)),
        "title": hugo_name(title),
        "slug": hugo_name(slug or title),
        "slugorfilename": hugo_name(slug) or base,
        "slugorcontentbasename": hugo_name(slug) or base,
        "filename": base,
        "contentbasename": base,
    }
    default = "/".join(map(hugo_name, (*folder.parts, slug or name)))
    address = expand(pattern, tokens) if pattern else f"/{default}"
    if address is None or address.endswith(".html"):
        return address
    ugly = config.get("uglyurls")
    is_ugly = ugly.get(section) is True if isinstance(ugly, dict) else ugly is True
    has_folder = is_section or url or not is_ugly
    return address.rstrip("/") + ("/" if has_folder else ".html")


def hugo_name(text: str) -> str:
    """Return a name as it is in addresses: other characters are left out."""
    kept = "".join(
        char
        for char in text
        if char.isalnum()
        or char.isspace()
        or char in "._+~@-"
        or category(char)[0] == "M"
    )
    address = ""
    for word in kept.lower().split():
        is_apart = not address or address[-1] == "-" or word[0] == "-"
        address += word if is_apart else f"-{word}"
    return address


def jekyll_address(file: SourceFile, config: dict[str, Any]) -> str | None:
    """Return the address of a page, or of a document of a collection."""
    style = text_of(config, "permalink") or "date"
    label, path = file.path.parts[0].removeprefix("_"), file.path
    own = text_of(file.front_matter, "permalink")
    dated = _DATED_NAME.fullmatch(path.stem)
    name = dated[2] if dated else path.stem
    if path.parts[0] != f"_{label}" or len(path.parts) == 1:
        place = "/:path/" if file.is_index else f"/:path/:basename{_ending(style)}"
        folder = path.parent.as_posix().removeprefix(".")
        tokens = {"path": folder, "basename": path.stem, "output_ext": ".html"}
        return expand(own or _scoped(config, file, "pages") or place, tokens)
    place = f"/:collection/:path{_ending(style)}"
    if label == "posts":
        place = _POST_STYLES.get(style, style)
    place = text_of(config, f"collections.{label}.permalink") or place
    date = _date_of(file) or (moment(dated[1]) if dated else None)
    title = _jekyll_name(text_of(file.front_matter, "slug") or name)
    tokens = _date_tokens(date) if date else {}
    tokens |= {
        "categories": _categories(file),
        "collection": label,
        "name": _jekyll_name(name).lower(),
        "output_ext": ".html",
        "path": Path(*path.parts[1:]).with_suffix("").as_posix(),
        "slug": title.lower(),
        "title": title,
    }
    return expand(own or _scoped(config, file, label) or place, tokens)


def _ending(style: str) -> str:
    """Return how the address of a page ends that has no pattern of its own."""
    if style in ("date", "ordinal", "none"):
        return ":output_ext"
    if style == "pretty" or style.endswith("/"):
        return "/"
    return ":output_ext" if style.endswith(":output_ext") else ""


def _scoped(config: dict[str, Any], file: SourceFile, type: str) -> str:
    """Return the last permalink that the configuration sets for a folder or a type."""
    defaults, found = config.get("defaults"), ""
    for each in defaults if isinstance(defaults, list) else ():
        scope = each if isinstance(each, dict) else {}
        is_in_folder = file.path.is_relative_to(text_of(scope, "scope.path").strip("/"))
        if is_in_folder and text_of(scope, "scope.type") in ("", type):
            found = text_of(scope, "values.permalink") or found
    return found


def _jekyll_name(text: str) -> str:
    return re.sub(r"[\W_]+", "-", text).strip("-")


def _categories(file: SourceFile) -> str:
    values = file.front_matter.get("categories", file.front_matter.get("category"))
    names = values if isinstance(values, list) else str(values or "").split()
    return "/".join(str(name).lower() for name in names)
