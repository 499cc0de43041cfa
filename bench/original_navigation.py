"""
Read the navigation of a documentation tree as its own generator shows it.

Needs Node for Docusaurus, whose sidebars are a program.
"""

import json
import os.path
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

FRONT_MATTER = re.compile(r"\A---\n(.*?)^---\n", re.S | re.M)
CHAPTER = re.compile(r"^\s*(?:[-*]\s*)?\[(.+)\]\(([^()]+\.md)\)\s*$")
LAST = 10**6

# Front matter and text by path.
Pages = dict[str, tuple[dict[str, Any], str]]
Order = list[tuple[str, set[str]]]


def read_pages(folder: Path) -> Pages:
    pages: Pages = {}
    for file in sorted(folder.rglob("*.md*")):
        text = file.read_text(encoding="utf-8")
        match = FRONT_MATTER.match(text)
        fields = yaml.safe_load(match[1]) if match else {}
        body = text[match.end() :] if match else text
        pages[file.relative_to(folder).as_posix()] = fields or {}, body
    return pages


def reading_order(root: Path, pages: Pages) -> Order:
    """
    Return each page of the navigation with its titles, in reading order.

    The titles are that of the page and that in the navigation; either is right.
    """
    if (root / "src/SUMMARY.md").is_file():
        return _mdbook(root / "src/SUMMARY.md")
    if (root / "website/sidebars.js").is_file():
        return _docusaurus(root / "website/sidebars.js", pages)
    if (root / "_config.yml").is_file():
        return list(_just_the_docs(pages))
    return _prometheus(pages)


def _mdbook(summary: Path) -> Order:
    chapters = map(CHAPTER.match, summary.read_text(encoding="utf-8").splitlines())
    return [(match[2], {match[1].replace("`", "")}) for match in chapters if match]


def _docusaurus(sidebars: Path, pages: Pages) -> Order:
    program = "console.log(JSON.stringify(require(process.argv[1])))"
    command = ["node", "-e", program, str(sidebars)]
    output = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    by_id: dict[str, tuple[str, set[str]]] = {}
    for path, (fields, _) in pages.items():
        folder, name = os.path.split(path)
        id = os.path.join(folder, fields.get("id", PurePosixPath(name).stem))
        by_id[id] = path, {fields.get("title"), fields.get("sidebar_label")} - {None}
    ids = [
        id for sidebar in json.loads(output).values() for id in _document_ids(sidebar)
    ]
    return [by_id[id] for id in ids if id in by_id]


def _document_ids(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, dict) and "type" in item:
        yield from _document_ids(item.get("items", [item.get("id", "")]))
    elif isinstance(item, dict | list):
        for part in item.values() if isinstance(item, dict) else item:
            yield from _document_ids(part)


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
        (path, {inner[path].get("title"), inner[path].get("nav_title")} - {None})
        for path in sorted(inner, key=rank)
    ]
