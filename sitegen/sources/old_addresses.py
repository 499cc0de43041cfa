"""Find where the pages of a tree were on the website that its generator made."""

import html
import json
import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from models.front_matter import YAML_ERRORS, UnreadableFile, text_of
from sitegen.sources.navigation.javascript_data import text_in
from sitegen.sources.navigation.reading import (
    ASTRO_FILES,
    GITBOOK_FILES,
    MINTLIFY_FILES,
    VITEPRESS_FILES,
    folder_at,
)
from sitegen.sources.redirect_maps import DOCUSAURUS_FILES
from sitegen.sources.source_file import MKDOCS_FILES, load_config, read_text

# How many folders the configuration may be above the tree.
MAX_ABOVE = 3
_LOCATION = re.compile(r"<loc>([^<]*)</loc>")
HUGO_FILES = tuple(
    f"{name}.{end}" for name in ("hugo", "config") for end in ("toml", "yaml", "yml")
)


@dataclass(frozen=True)
class OldSite:
    """The path at which a tree was on its website, and the form of its addresses."""

    path: str = ""
    ends_with_html: bool = False
    is_lower_case: bool = False
    # The folder of the pages beside the configuration, if that says which.
    content: str = field(default="", compare=False)

    def address(self, page: str, *, is_index: bool) -> str:
        """Return the address of a page, given that in its tree, such as /setup/move."""
        if self.is_lower_case:
            page = re.sub(r"\s+", "-", page.lower())
        address = "/".join(["", *filter(None, (self.path, page.strip("/")))])
        return address + (".html" if self.ends_with_html and not is_index else "/")


def find_old_site(folder: Path) -> OldSite | None:
    """Return the website of a tree, None if the folder has no configuration of it."""
    folder = folder.resolve()
    for names, content, read in _GENERATORS:
        for root in (folder, *folder.parents[:MAX_ABOVE]):
            for name in names:
                if not (root / name).is_file():
                    continue
                try:
                    site = read(read_text(root, Path(name)))
                except (UnreadableFile, *YAML_ERRORS):
                    continue
                pages = folder_at(root, site.content or content)
                if folder == root:
                    return site
                if pages and folder.is_relative_to(pages):
                    below = folder.relative_to(pages)
                    return replace(site, path=f"{site.path}/{below}".strip("/."))
    return None


def unanswered(sitemap: str, answered: Iterable[str]) -> tuple[int, list[str]]:
    """Return how many addresses a sitemap has, and the paths of those not answered."""
    found = [html.unescape(text.strip()) for text in _LOCATION.findall(sitemap)]
    paths = list(dict.fromkeys(unquote(urlsplit(text).path) for text in found))
    known = {_without_ending(address) for address in answered}
    return len(paths), [path for path in paths if _without_ending(path) not in known]


def _without_ending(path: str) -> str:
    # Hosts send the request for a folder without its slash on.
    return path.removesuffix("index.html").rstrip("/")


def _path_of(url: Any) -> str:
    return urlsplit(url).path.strip("/") if isinstance(url, str) else ""


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _mkdocs(text: str) -> OldSite:
    config = _mapping(load_config(text))
    ends_with_html = config.get("use_directory_urls") is False
    content = text_of(config, "docs_dir")
    return OldSite(_path_of(config.get("site_url")), ends_with_html, content=content)


def _mdbook(text: str) -> OldSite:
    output = _mapping(_mapping(tomllib.loads(text).get("output")).get("html"))
    return OldSite(_path_of(output.get("site-url")), ends_with_html=True)


def _docusaurus(text: str) -> OldSite:
    base, folder = text_in(text, "baseUrl"), text_in(text, "routeBasePath", "docs")
    return OldSite(f"{base.strip('/')}/{folder.strip('/')}".strip("/"))


def _vitepress(text: str) -> OldSite:
    has_clean = re.search(r"\bcleanUrls\s*:\s*true\b", text) is not None
    base, content = text_in(text, "base").strip("/"), text_in(text, "srcDir")
    return OldSite(base, ends_with_html=not has_clean, content=content)


def _starlight(text: str) -> OldSite:
    return OldSite(text_in(text, "base").strip("/"), is_lower_case=True)


def _jekyll(text: str) -> OldSite:
    config = _mapping(load_config(text))
    path, permalink = _path_of(config.get("baseurl")), config.get("permalink")
    is_pretty = permalink == "pretty" or str(permalink).endswith("/")
    return OldSite(path, ends_with_html=not is_pretty)


def _hugo(text: str) -> OldSite:
    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        config = _mapping(load_config(text))
    values = {name.lower(): value for name, value in config.items()}
    path, is_ugly = _path_of(values.get("baseurl")), values.get("uglyurls") is True
    return OldSite(path, ends_with_html=is_ugly, is_lower_case=True)


def _mintlify(text: str) -> OldSite:
    json.loads(text)
    return OldSite()


def _gitbook(text: str) -> OldSite:
    return OldSite(content=text_of(_mapping(load_config(text)), "root"))


# By the files that tell which generator it is: the folder of its pages beside them.
_GENERATORS: tuple[tuple[tuple[str, ...], str, Callable[[str], OldSite]], ...] = (
    (MKDOCS_FILES, "docs", _mkdocs),
    (("book.toml",), "src", _mdbook),
    (DOCUSAURUS_FILES, "docs", _docusaurus),
    (VITEPRESS_FILES, "", _vitepress),
    (ASTRO_FILES, "src/content/docs", _starlight),
    (MINTLIFY_FILES, "", _mintlify),
    (GITBOOK_FILES, "", _gitbook),
    (HUGO_FILES, "content", _hugo),
    (("_config.yml",), "", _jekyll),
)
