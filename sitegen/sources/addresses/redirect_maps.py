"""Read the redirects that generators keep in their configurations, as data."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from posixpath import dirname, join
from typing import Any

from models.front_matter import YAML_ERRORS, UnreadableFile, text_of
from sitegen.sources.navigation.javascript_data import literal_after
from sitegen.sources.navigation.reading import (
    ASTRO_FILES,
    GITBOOK_FILES,
    MINTLIFY_FILES,
    folder_at,
)
from sitegen.sources.source_file import MKDOCS_FILES, load_config, read_text

# Of Netlify, Cloudflare and other hosts.
REDIRECTS_FILE = "_redirects"
MDBOOK_FILES = ("book.toml",)
DOCUSAURUS_FILES = tuple(f"docusaurus.config.{end}" for end in ("js", "ts", "mjs"))
_REDIRECTS = r"\bredirects\s*:"
_MARKDOWN = re.compile(r"\.(?:md|markdown)$", re.I)


@dataclass(frozen=True)
class MappedRedirect:
    """An address, where it redirects to, and the configuration that says so."""

    config: str
    address: str
    target: str
    # The folder, inside the tree, to which a relative target belongs.
    folder: str = ""


def mapped_redirects(folder: Path) -> Iterator[MappedRedirect]:
    """Yield the redirects in the configurations of a tree."""
    folder = folder.resolve()
    roots = [folder, folder.parent]
    yield from _plain(folder)
    yield from _mkdocs(folder, roots)
    yield from _mdbook(folder, roots)
    yield from _gitbook(folder, roots)
    websites = [*roots, folder.parent / "website"]
    docusaurus = _load(websites, DOCUSAURUS_FILES, _javascript)
    yield from _listed(docusaurus, "from", "to")
    path, config = _load([folder], MINTLIFY_FILES, json.loads)
    mintlify = path, _value(config, "redirects")
    yield from _listed(mintlify, "source", "destination")
    if folder.parts[-3:] == ("src", "content", "docs"):
        yield from _starlight(_load([folder.parents[2]], ASTRO_FILES, _javascript))


def _load(
    roots: list[Path], names: tuple[str, ...], parse: Callable[[str], Any]
) -> tuple[Path, Any]:
    """Return the first file that exists with its content, None if it is unreadable."""
    for root in roots:
        for name in names:
            if (root / name).is_file():
                try:
                    return root / name, parse(read_text(root, Path(name)))
                except (UnreadableFile, *YAML_ERRORS):
                    return root / name, None
    return Path(), None


def _javascript(text: str) -> Any:
    return literal_after(text, _REDIRECTS)


def _plain(folder: Path) -> Iterator[MappedRedirect]:
    """Yield the lines of a file as static hosts read them, for pages that are gone."""
    path, text = _load([folder], (REDIRECTS_FILE,), str)
    for line in (text or "").splitlines():
        words = line.partition("#")[0].split()
        if len(words) >= 2:
            yield MappedRedirect(path.name, *words[:2])


def _mkdocs(folder: Path, roots: list[Path]) -> Iterator[MappedRedirect]:
    path, config = _load(roots, MKDOCS_FILES, load_config)
    if not isinstance(config, dict):
        return
    docs = path.parent / (text_of(config, "docs_dir") or "docs")
    # The folder may be docs_dir, or contain it.
    prefix = docs.relative_to(folder).as_posix() if folder in docs.parents else ""
    plugins = config.get("plugins")
    items = plugins if isinstance(plugins, list) else [plugins]
    ends_with_html = config.get("use_directory_urls") is False
    for item in items:
        for old, new in _pairs(_value(item, "redirects", "redirect_maps")):
            address = _MARKDOWN.sub(".html" if ends_with_html else "/", old)
            address = re.sub(r"(?:^|(?<=/))(?:index|README)(?:/|\.html)$", "", address)
            yield MappedRedirect(path.name, f"/{address}", new, prefix)


def _mdbook(folder: Path, roots: list[Path]) -> Iterator[MappedRedirect]:
    path, config = _load(roots, MDBOOK_FILES, tomllib.loads)
    source = path.parent / str(_value(config, "book", "src") or "src")
    prefix = source.relative_to(folder).as_posix() if folder in source.parents else ""
    for old, new in _pairs(_value(config, "output", "html", "redirect")):
        target = new if "://" in new else join(dirname(old), new)
        yield MappedRedirect(path.name, old, target, prefix)


def _gitbook(folder: Path, roots: list[Path]) -> Iterator[MappedRedirect]:
    path, config = _load(roots, GITBOOK_FILES, load_config)
    content = folder_at(path.parent, text_of(config, "root"))
    if config and content and content.is_relative_to(folder):
        prefix = content.relative_to(folder).as_posix()
        for old, new in _pairs(_value(config, "redirects")):
            yield MappedRedirect(path.name, f"/{old.strip('/')}", new, prefix)


def _listed(
    loaded: tuple[Path, Any], origin_name: str, target_name: str
) -> Iterator[MappedRedirect]:
    path, redirects = loaded
    for redirect in redirects if isinstance(redirects, list) else ():
        target = _value(redirect, target_name)
        origins = _value(redirect, origin_name)
        for origin in origins if isinstance(origins, list) else [origins]:
            if isinstance(origin, str) and isinstance(target, str):
                yield MappedRedirect(path.name, origin, target)


def _starlight(loaded: tuple[Path, Any]) -> Iterator[MappedRedirect]:
    path, redirects = loaded
    for old, new in redirects.items() if isinstance(redirects, dict) else ():
        target = _value(new, "destination") if isinstance(new, dict) else new
        if isinstance(target, str):
            yield MappedRedirect(path.name, old, target)


def _value(values: Any, *names: str) -> Any:
    for name in names:
        values = values.get(name) if isinstance(values, dict) else None
    return values


def _pairs(values: Any) -> Iterator[tuple[str, str]]:
    for name, value in values.items() if isinstance(values, dict) else ():
        if isinstance(name, str) and isinstance(value, str):
            yield name, value
