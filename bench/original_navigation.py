"""
Read the navigation of a documentation tree as its own generator shows it.

Needs Node for Docusaurus, whose sidebars may be a program. The sidebars of VitePress
and Starlight are found by their form.
"""

import itertools
import json
import os.path
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import yaml

FRONT_MATTER = re.compile(r"\A---\n(.*?)^---\s*?(?:\n|\Z)", re.S | re.M)
CHAPTER = re.compile(
    r"^(\s*)(?:[-*]\s*)?\[(.+)\]\(<?([^()<>\"]+\.md)>?(?: +\"(.+)\")?\)\s*$"
)
CODE = re.compile(r"^( *)(`{3,}|~{3,}).*?^ *\2`*~* *$", re.M | re.S)
PART = re.compile(r"^#{1,2} +(.+?)\s*$")
TOCTREE = re.compile(r"^(`{3,}|:{3,})\{toctree\}.*?\n(.*?)^\1", re.S | re.M)
LAST = 10**6

# Front matter and text by path.
Pages = dict[str, tuple[dict[str, Any], str]]
# The labels of the groups around a page, from the outermost.
Groups = tuple[str, ...]


class Place(NamedTuple):
    """A page of the navigation, with the titles that are right there."""

    path: str
    titles: set[str]
    # None if the generator has none.
    groups: Groups | None = None


Order = list[Place]


def read_pages(folder: Path) -> Pages:
    pages: Pages = {}
    for file in sorted(folder.rglob("*.md*")):
        path = file.relative_to(folder)
        is_hidden = any(part.startswith(".") for part in path.parts)
        if file.suffix not in (".md", ".mdx") or is_hidden:
            continue
        text = file.read_text(encoding="utf-8-sig")
        match = FRONT_MATTER.match(text)
        fields = yaml.safe_load(match[1]) if match else {}
        body = text[match.end() :] if match else text
        pages[path.as_posix()] = fields or {}, body
    return pages


def reading_order(root: Path, folder: Path, pages: Pages) -> Order:
    """
    Return each page of the navigation with its titles, in reading order.

    The titles are that of the page and that in the navigation; either is right.
    Pages that their authors hid are in none.
    """
    listed = {
        path: page
        for path, page in pages.items()
        if not any(page[0].get(name) is True for name in ("hidden", "unlisted"))
    }
    return _order(root, folder, listed)


def _order(root: Path, folder: Path, pages: Pages) -> Order:
    for place in (folder, root):
        if (place / "SUMMARY.md").is_file():
            return _summary(place / "SUMMARY.md", pages)
        if (place / "docs.json").is_file():
            text = (place / "docs.json").read_text(encoding="utf-8")
            return list(_mintlify(json.loads(text)["navigation"], pages))
        if (place / "site-options.json").is_file():
            options = json.loads((place / "site-options.json").read_text("utf-8"))
            return _obsidian(options["navigationOrdering"], pages)
    for sidebars in ("website/sidebars.js", "website/sidebars.json"):
        if (root / sidebars).is_file():
            return _docusaurus(root / sidebars, pages)
    for config in (folder / "mkdocs.yml", folder.parent / "mkdocs.yml"):
        if config.is_file():
            nav = yaml.load(config.read_text("utf-8"), yaml.BaseLoader)["nav"]
            return list(_mkdocs(nav, pages))
    if (root / "astro.config.mjs").is_file():
        text = (root / "astro.config.mjs").read_text(encoding="utf-8")
        return list(_starlight(_literals(text, r"\bsidebar: ")[0], pages))
    if (folder.parent / ".vitepress").is_dir():
        return list(_vitepress((folder.parent / "config.ts").read_text("utf-8"), pages))
    if (folder / "conf.py").is_file():
        return list(_sphinx("index.md", pages, ()))
    if (root / "_config.yml").is_file():
        return [Place(*each) for each in _just_the_docs(pages)]
    if (root / "archetypes").is_dir():
        return list(_hugo("", pages, ()))
    return _prometheus(pages)


def titles_of(page: tuple[dict[str, Any], str], *labels: str) -> set[str]:
    fields, text = page
    heading = re.search(r"^# +(.+?)(?:\s*\{.*\})?\s*$", CODE.sub("", text), re.M)
    names = ("title", "sidebar_label", "linkTitle", "sidebarTitle")
    titles = [*labels, *map(fields.get, names), heading and heading[1]]
    return {plain(str(title)) for title in titles if title}


def plain(text: str) -> str:
    """Return a label without marks."""
    text = re.sub(r"<[^<>]+>|[`*\\]|\{#.*\}", "", text)
    return " ".join(re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text).split())


def _summary(summary: Path, pages: Pages) -> Order:
    """Return the chapters; one with others below it is the first of its group."""
    order: Order = []
    chapters: list[tuple[int, str, str, str]] = []
    part = ""
    for line in summary.read_text(encoding="utf-8").splitlines():
        if match := PART.match(line):
            part = plain(match[1]) if chapters or match[0][:2] == "##" else ""
        elif match := CHAPTER.match(line):
            label = plain(match[4] or match[2])
            chapters.append((len(match[1].expandtabs(4)), label, match[3], part))
    above: list[tuple[int, str]] = []
    for (indent, label, path, part), after in itertools.zip_longest(
        chapters, chapters[1:]
    ):
        while above and above[-1][0] >= indent:
            above.pop()
        groups = [part, *(name for _, name in above)]
        if after and after[0] > indent and after[3] == part:
            above.append((indent, label))
            groups.append(label)
        if path in pages:
            titles = titles_of(pages[path], label)
            order.append(Place(path, titles, tuple(filter(None, groups))))
    return order


def _mintlify(item: Any, pages: Pages, groups: Groups = ()) -> Iterator[Place]:
    if isinstance(item, str):
        if (path := f"{item.strip('/')}.mdx") in pages:
            yield Place(path, titles_of(pages[path]), groups)
    elif isinstance(item, list):
        for each in item:
            yield from _mintlify(each, pages, groups)
    elif isinstance(item, dict):
        kinds = ("language", "tab", "anchor", "dropdown", "group")
        inner = (*groups, *(item[kind] for kind in kinds if kind in item))
        for key in ("root", "languages", "tabs", "anchors", "dropdowns", "pages"):
            yield from _mintlify(item.get(key), pages, inner)
        yield from _mintlify(item.get("groups"), pages, inner)


def _obsidian(ordering: list[str], pages: Pages) -> Order:
    """Return the files in the order of Obsidian Publish: as listed, else by name."""
    rank = {name: number for number, name in enumerate(ordering)}

    def key(path: str) -> list[tuple[int, bool, str]]:
        above = [str(each) for each in [*PurePosixPath(path).parents][-2::-1]]
        names = [*above, path]
        return [(rank.get(name, LAST), name == path, name.lower()) for name in names]

    return [
        Place(path, titles_of(pages[path], PurePosixPath(path).stem), _parents(path))
        for path in sorted(pages, key=key)
    ]


def _parents(path: str) -> Groups:
    return PurePosixPath(path).parent.parts


def _mkdocs(nav: Any, pages: Pages, groups: Groups = ()) -> Iterator[Place]:
    for item in nav:
        pairs = item.items() if isinstance(item, dict) else [("", item)]
        for label, target in pairs:
            if isinstance(target, list):
                # The theme names a list without a label after its index.
                first = target[0] if isinstance(target[0], str) else ""
                name = label or (titles_of(pages[first]) if first in pages else {""})
                inner = name if isinstance(name, str) else sorted(name)[0]
                yield from _mkdocs(target, pages, (*groups, plain(inner)))
            elif target in pages:
                yield Place(target, titles_of(pages[target], label), groups)


def _literals(text: str, start: str) -> list[Any]:
    """Return the lists that are written in a program after each match of a pattern."""
    found = []
    for match in re.finditer(start, text):
        begin = text.index("[", match.end())
        depth = itertools.accumulate(
            (character == "[") - (character == "]") for character in text[begin:]
        )
        length = next(i for i, each in enumerate(depth, 1) if not each)
        program = f"console.log(JSON.stringify({text[begin : begin + length]}))"
        found.append(json.loads(_node(program)))
    return found


def _starlight(items: Any, pages: Pages, groups: Groups = ()) -> Iterator[Place]:
    for item in items:
        item = {"slug": item} if isinstance(item, str) else item
        label = item.get("label", "")
        if "items" in item:
            yield from _starlight(item["items"], pages, (*groups, label))
        elif "autogenerate" in item:
            folder = item["autogenerate"]["directory"] + "/"
            below = [path for path in pages if path.startswith(folder)]
            for path in sorted(below, key=lambda path: _starlight_key(path, pages)):
                yield Place(path, titles_of(pages[path]), groups)
        else:
            for suffix in (".mdx", ".md"):
                if (path := item.get("slug", "") + suffix) in pages:
                    yield Place(path, titles_of(pages[path], label), groups)


def _starlight_key(path: str, pages: Pages) -> tuple[float, bool, str]:
    sidebar = pages[path][0].get("sidebar") or {}
    is_index = PurePosixPath(path).stem == "index"
    return sidebar.get("order", LAST), not is_index, PurePosixPath(path).stem


def _vitepress(text: str, pages: Pages) -> Iterator[Place]:
    bases = re.findall(r"base: '/([^']*)', items: \w+\(\)", text)
    menus = _literals(text, r"function sidebar\w+\([^{]*\{\s*return ")
    for base, menu in zip(bases, menus, strict=True):
        yield from _vitepress_items(menu, pages, base, ())


def _vitepress_items(
    items: Any, pages: Pages, base: str, groups: Groups
) -> Iterator[Place]:
    for item in items:
        below = item.get("base", f"/{base}").lstrip("/")
        if "items" in item:
            inner = (*groups, item["text"])
            yield from _vitepress_items(item["items"], pages, below, inner)
        elif (path := f"{below}{item['link']}.md") in pages and (
            # The other menu only links to it.
            path.startswith(base.partition("/")[0])
        ):
            yield Place(path, titles_of(pages[path], item["text"]), groups)


def _sphinx(path: str, pages: Pages, groups: Groups) -> Iterator[Place]:
    """Yield a page, and those that its tables of contents name."""
    title = sorted(titles_of(pages[path]))[:1]
    trees = [match[2] for match in TOCTREE.finditer(pages[path][1])]
    inner = groups if path == "index.md" or not trees else (*groups, *title)
    yield Place(path, titles_of(pages[path]), inner)
    for tree in trees:
        caption = re.search(r"^:caption: *(.+)$", tree, re.M)
        below = (*inner, *([caption[1]] if caption else []))
        for line in filter(None, map(str.strip, tree.splitlines())):
            name = (re.search(r"<(.+)>$", line) or [line, line])[1]
            target = os.path.normpath(os.path.join(os.path.dirname(path), name))
            target = target.removesuffix(".md") + ".md"
            if not line.startswith(":") and target in pages:
                yield from _sphinx(target, pages, below)


def _section(path: str, pages: Pages) -> str:
    """Return the index of the nearest folder above that has one."""
    folder = PurePosixPath(path).parent
    above = folder.parent if path.endswith("/_index.md") else folder
    indexes = (f"{each}/_index.md" for each in (above, *above.parents) if each.name)
    return next((index for index in indexes if index in pages), "_index.md")


def _hugo(folder: str, pages: Pages, groups: Groups) -> Iterator[Place]:
    """Yield the pages below a folder by weight, then by their titles in menus."""

    def key(path: str) -> tuple[int, str, str]:
        fields = pages[path][0]
        label = str(fields.get("linkTitle") or fields.get("title") or "")
        return fields.get("weight") or LAST, label.lower(), path

    prefix = f"{folder}/" if folder else ""
    own = f"{prefix}_index.md"
    if own in pages:
        label = pages[own][0].get("linkTitle") or pages[own][0].get("title") or ""
        groups = (*groups, plain(str(label))) if folder else groups
        yield Place(own, titles_of(pages[own]), groups)
    children = [path for path in pages if path != own and _section(path, pages) == own]
    for path in sorted(children, key=key):
        if path.endswith("/_index.md"):
            yield from _hugo(os.path.dirname(path), pages, groups)
        else:
            yield Place(path, titles_of(pages[path]), groups)


def _docusaurus(sidebars: Path, pages: Pages) -> Order:
    program = "console.log(JSON.stringify(require(process.argv[1])))"
    sidebar_by_name = json.loads(_node(program, str(sidebars.resolve())))
    by_id: dict[str, tuple[str, set[str]]] = {}
    for path, (fields, text) in pages.items():
        folder, name = os.path.split(path)
        id = os.path.join(folder, fields.get("id", PurePosixPath(name).stem))
        by_id[id] = path, titles_of((fields, text))
    ids = [
        found
        for sidebar in sidebar_by_name.values()
        for found in _document_ids(sidebar, ())
    ]
    return [Place(*by_id[id], groups) for id, groups in ids if id in by_id]


def _node(program: str, *arguments: str) -> str:
    command = ["node", "-e", program, *arguments]
    result = subprocess.run(command, capture_output=True, check=True, text=True)
    return result.stdout


def _document_ids(item: Any, groups: Groups) -> Iterator[tuple[str, Groups]]:
    if isinstance(item, str):
        yield item, groups
    elif isinstance(item, list):
        for part in item:
            yield from _document_ids(part, groups)
    elif isinstance(item, dict) and "type" in item:
        label = [item["label"]] if "items" in item and "label" in item else []
        below = item.get("items", [item.get("id", "")])
        yield from _document_ids(below, (*groups, *label))
    elif isinstance(item, dict):
        for label, part in item.items():
            yield from _document_ids(part, (*groups, label))


def _just_the_docs(
    pages: Pages, parent: str | None = None
) -> Iterator[tuple[str, set[str]]]:
    """Yield the pages by their order within their parents, which are named by title."""
    listed = {
        path: fields
        for path, (fields, _) in pages.items()
        if fields.get("title") and not fields.get("nav_exclude")
    }
    order = sorted(
        listed,
        key=lambda path: (listed[path].get("nav_order", LAST), listed[path]["title"]),
    )
    for path in order:
        if _parent_of(path, listed) == parent:
            yield path, {listed[path]["title"].strip()}
            yield from _just_the_docs(pages, path)


def _parent_of(path: str, pages: dict[str, dict[str, Any]]) -> str | None:
    """
    Return the page whose title is that of the parent.

    The theme lists a page below each of several; here the nearest one counts.
    """
    fields = pages[path]
    candidates = [
        other
        for other, its in pages.items()
        if its["title"] == fields.get("parent")
        and fields.get("grand_parent") in (None, its.get("parent"))
        and fields.get("ancestor")
        in (None, its.get("parent"), its.get("grand_parent"), its.get("ancestor"))
    ]
    return max(
        candidates,
        key=lambda other: len(os.path.commonpath([path, other])),
        default=None,
    )


def _prometheus(pages: Pages) -> Order:
    """Order by the ranks of sections, which their index gives, and of pages."""
    inner = {path: fields for path, (fields, _) in pages.items() if "/" in path}

    def rank(path: str) -> list[tuple[int, str]]:
        keys = []
        for parent in [*PurePosixPath(path).parents][-2::-1]:
            index = inner.get(f"{parent}/index.md", {})
            keys.append((index.get("sort_rank", LAST), parent.name))
        name = PurePosixPath(path).name
        own = -1 if name == "index.md" else inner[path].get("sort_rank", LAST)
        return [*keys, (own, "" if own == -1 else name)]

    return [
        Place(path, {inner[path].get("title"), inner[path].get("nav_title")} - {None})
        for path in sorted(inner, key=rank)
    ]
