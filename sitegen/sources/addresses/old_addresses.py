"""Find where the pages of a tree were on the website that its generator made."""

import html
import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from posixpath import join, normpath
from typing import Any
from urllib.parse import unquote, urlsplit

from models.front_matter import YAML_ERRORS, UnreadableFile, text_of
from models.projects.documents.linking.tree_names import NUMBER_PREFIX
from sitegen.sources.addresses.permalinks import hugo_address, jekyll_address
from sitegen.sources.addresses.redirect_maps import DOCUSAURUS_FILES, REDIRECTS_FILE
from sitegen.sources.file_lookup import SITE_FOLDER
from sitegen.sources.navigation.javascript_data import (
    UnreadableJavaScript,
    literal_after,
    text_in,
)
from sitegen.sources.navigation.reading import (
    ASTRO_FILES,
    GITBOOK_FILES,
    MINTLIFY_FILES,
    OBSIDIAN_FILES,
    VITEPRESS_FILES,
    folder_at,
)
from sitegen.sources.source_file import (
    MKDOCS_FILES,
    SourceFile,
    load_config,
    read_text,
)

# How many folders the configuration may be above the tree.
MAX_ABOVE = 3
_LOCATION = re.compile(r"<loc>([^<]*)</loc>")
# In a rewrite of VitePress; one that ends so stands for any folders.
_PARAMETER = re.compile(r":(\w{1,60}+)(\*|\(\.\*\))?")
HUGO_FILES = tuple(
    f"{name}.{end}" for name in ("hugo", "config") for end in ("toml", "yaml", "yml")
)


@dataclass(frozen=True)
class OldSite:
    """The path at which a tree was on its website, and how its pages were called."""

    path: str
    # Returns the address of a page below that path, None if it cannot be told.
    page_address: Callable[[SourceFile], str | None]
    # The folder of the pages beside the configuration, if that says which.
    content: str = ""


@dataclass(frozen=True)
class OldAddresses:
    """The addresses of the files of a folder on the website that they were on."""

    folder: Path
    # Where the pages of the site are, around the folder or inside it.
    pages: Path
    site: OldSite

    def address(self, file: SourceFile) -> str | None:
        """Return the address of a page, "" if it was none of the site's."""
        path = self.folder / file.path
        if not path.is_relative_to(self.pages):
            return ""
        page = replace(file, path=path.relative_to(self.pages))
        address = self.site.page_address(page)
        return address and join("/", self.site.path, address.lstrip("/"))


def find_old_site(folder: Path, base: str | None = None) -> OldAddresses | None:
    """
    Return the website of a tree, None if nothing tells where it was.

    `base` is the URL of the tree there. Its path counts if a configuration has none.
    """
    folder = folder.resolve()
    found = _configured_site(folder)
    if base is None:
        return found
    path = _path_of(base)
    if found is None:
        return OldAddresses(folder, folder, OldSite(path, _by_file))
    if found.site.path or not path:
        return found
    # The URL is that of the folder, wherever its configuration is.
    is_inside = folder.is_relative_to(found.pages)
    site = replace(found.site, path=path)
    return replace(found, site=site, pages=folder if is_inside else found.pages)


def _configured_site(folder: Path) -> OldAddresses | None:
    for names, content, read in _GENERATORS:
        beside = folder.parent / SITE_FOLDER
        for root in (folder, *folder.parents[:MAX_ABOVE], beside):
            for name in names:
                if not (root / name).is_file():
                    continue
                try:
                    site = read(read_text(root, Path(name)))
                except (UnreadableFile, *YAML_ERRORS):
                    continue
                pages = folder_at(root, site.content or content)
                if pages and (folder == root or folder.is_relative_to(pages)):
                    return OldAddresses(folder, pages, site)
    return None


def unreadable_configurations(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the configurations in or above a folder that are too large, or no text."""
    folder = folder.resolve()
    names = [name for names, _, _ in _GENERATORS for name in names]
    for root in (folder, folder.parent):
        for name in (*names, REDIRECTS_FILE):
            if (root / name).is_file():
                try:
                    read_text(root, Path(name))
                except UnreadableFile as error:
                    yield name, str(error)


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


def _by_file(file: SourceFile, ending: str = "/") -> str:
    """Return the path of the file as an address, that of an index as its folder's."""
    folder = "/".join(file.path.parent.parts)
    return f"{folder}/" if file.is_index else join(folder, file.path.stem) + ending


def _mkdocs(text: str) -> OldSite:
    config = _mapping(load_config(text))
    ending = ".html" if config.get("use_directory_urls") is False else "/"
    return OldSite(
        _path_of(config.get("site_url")),
        partial(_by_file, ending=ending),
        text_of(config, "docs_dir"),
    )


def _mdbook(text: str) -> OldSite:
    config = tomllib.loads(text)
    path = _path_of(text_of(config, "output.html.site-url"))
    return OldSite(path, partial(_by_file, ending=".html"), text_of(config, "book.src"))


def _docusaurus(text: str) -> OldSite:
    base, folder = text_in(text, "baseUrl"), text_in(text, "routeBasePath", "docs")
    path = f"{base.strip('/')}/{folder.strip('/')}".strip("/")
    # The configuration may be in a folder beside the pages.
    content = re.search(r"""\bpath\s*:\s*['"](\.\./[^'"\n]{1,200})['"]""", text)
    return OldSite(path, _docusaurus_address, content[1] if content else "")


def _docusaurus_address(file: SourceFile) -> str:
    *folders, stem = (
        NUMBER_PREFIX.sub("", name) for name in file.path.with_suffix("").parts
    )
    folder = "/".join(folders)
    # A file that is called like its folder is its index, too.
    is_index = file.is_index or [stem] == folders[-1:]
    id = "" if is_index else text_of(file.front_matter, "id") or stem
    slug = text_of(file.front_matter, "slug")
    return normpath(join("/", folder, slug or id))


def _vitepress(text: str) -> OldSite:
    has_clean = re.search(r"\bcleanUrls\s*:\s*true\b", text) is not None
    try:
        rewrites = literal_after(text, r"\brewrites\s*[:(]", is_required=False) or {}
    except UnreadableJavaScript:
        # A function tells the addresses.
        rewrites = None
    return OldSite(
        text_in(text, "base").strip("/"),
        partial(
            _vitepress_address,
            rewrites=rewrites,
            ending="/" if has_clean else ".html",
        ),
        text_in(text, "srcDir"),
    )


def _vitepress_address(file: SourceFile, rewrites: Any, ending: str) -> str | None:
    if not isinstance(rewrites, dict):
        return None
    for source, target in rewrites.items():
        path = _rewritten(file.name, source, str(target))
        if path is not None:
            return _by_file(replace(file, path=Path(path)), ending)
    return _by_file(file, ending)


def _rewritten(path: str, source: str, target: str) -> str | None:
    found = _parameters(source, path)
    if found is None:
        return None
    return _PARAMETER.sub(lambda name: found.get(name[1], ""), target).lstrip("/")


def _parameters(pattern: str, path: str) -> dict[str, str] | None:
    """Return the values of names in a pattern such as docs/:name/:rest*, if it fits."""
    found: dict[str, str] = {}
    wanted, names = pattern.strip("/").split("/"), path.split("/")
    for index, part in enumerate(wanted):
        name = "/".join(names[index:]) if index + 1 == len(wanted) else names[index]
        parameter = _PARAMETER.search(part)
        if not parameter:
            if part != name:
                return None
            continue
        before, after = part[: parameter.start()], part[parameter.end() :]
        value = name[len(before) : len(name) - len(after)]
        if name != before + value + after or ("/" in value and not parameter[2]):
            return None
        found[parameter[1]] = value
    return found


def _starlight(text: str) -> OldSite:
    return OldSite(text_in(text, "base").strip("/"), _starlight_address)


def _starlight_address(file: SourceFile) -> str:
    if slug := text_of(file.front_matter, "slug"):
        return slug
    names = (
        re.sub(r"[^\w\s-]", "", name.lower()) for name in _by_file(file).split("/")
    )
    return "/".join(re.sub(r"\s", "-", name) for name in names)


def _jekyll(text: str) -> OldSite:
    config = _mapping(load_config(text))
    return OldSite(
        _path_of(config.get("baseurl")), partial(jekyll_address, config=config)
    )


def _hugo(text: str) -> OldSite:
    try:
        config = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        config = _mapping(load_config(text))
    values = {str(name).lower(): value for name, value in config.items()}
    return OldSite(
        _path_of(values.get("baseurl")),
        partial(hugo_address, config=values),
        text_of(values, "contentdir"),
    )


def _mintlify(text: str) -> OldSite:
    json.loads(text)
    return OldSite("", _by_file)


def _gitbook(text: str) -> OldSite:
    return OldSite("", _by_file, text_of(_mapping(load_config(text)), "root"))


def _sphinx(_: str) -> OldSite:
    return OldSite("", partial(_by_file, ending=".html"))


def _obsidian(text: str) -> OldSite:
    json.loads(text)
    return OldSite("", _obsidian_address)


def _obsidian_address(file: SourceFile) -> str:
    permalink = text_of(file.front_matter, "permalink")
    return permalink or file.path.with_suffix("").as_posix().replace(" ", "+")


# By the files that tell which generator it is: the folder of its pages beside them.
_GENERATORS: tuple[tuple[tuple[str, ...], str, Callable[[str], OldSite]], ...] = (
    (MKDOCS_FILES, "docs", _mkdocs),
    (("book.toml",), "src", _mdbook),
    (DOCUSAURUS_FILES, "docs", _docusaurus),
    (VITEPRESS_FILES, "", _vitepress),
    (ASTRO_FILES, "src/content/docs", _starlight),
    (MINTLIFY_FILES, "", _mintlify),
    (GITBOOK_FILES, "", _gitbook),
    (OBSIDIAN_FILES, "", _obsidian),
    (("conf.py",), "", _sphinx),
    (HUGO_FILES, "content", _hugo),
    (("_config.yml",), "", _jekyll),
)
