"""What stands beside the pages: their order, and the names of their folders."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from models.front_matter import UnreadableFile, load_yaml, text_of
from sitegen.sources.source_file import read_text

CATEGORIES = ("_category_.json", "_category_.yml", "_category_.yaml")
NAVIGATIONS = ("mkdocs.yml", "mkdocs.yaml")
UNREADABLE = (yaml.YAMLError, ValueError, RecursionError)


@dataclass
class Order:
    """By path: the place of a page, its label, and the name of a folder."""

    places: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    # The files that could not be read, with the reason.
    unusable: list[tuple[str, str]] = field(default_factory=list)


def read_order(folder: Path, folders: set[Path]) -> Order:
    """Read mkdocs.yml, in the folder or beside it, and Docusaurus's categories."""
    order = Order()
    for place in (folder, folder.resolve().parent):
        for name in NAVIGATIONS:
            if (place / name).is_file():
                _navigate(folder, place, name, order)
    for each in sorted(folders):
        for name in CATEGORIES:
            if (folder / each / name).is_file():
                _label(folder, each / name, order)
    return order


def _navigate(folder: Path, place: Path, name: str, order: Order) -> None:
    told = _loaded(place, Path(name), order)
    docs = place / (text_of(told, "docs_dir") or "docs")
    for number, (label, path) in enumerate(_pages(told.get("nav")), start=1):
        try:
            key = (docs / path).resolve().relative_to(folder.resolve()).as_posix()
        # It is a page of another tree, or an address.
        except (ValueError, OSError):
            continue
        order.places.setdefault(key, number)
        if label:
            order.labels.setdefault(key, label)


def _pages(nav: Any, label: str = "") -> Iterator[tuple[str, str]]:
    """Yield the label and path of each page, in reading order."""
    if isinstance(nav, str):
        yield label, nav
    elif isinstance(nav, list):
        for each in nav:
            yield from _pages(each)
    elif isinstance(nav, dict):
        for name, inner in nav.items():
            yield from _pages(inner, str(name))


def _label(folder: Path, path: Path, order: Order) -> None:
    label = text_of(_loaded(folder, path, order), "label")
    if label:
        order.folders[path.parent.as_posix()] = label


def _loaded(folder: Path, path: Path, order: Order) -> dict[str, Any]:
    try:
        text = read_text(folder, path)
        told = json.loads(text) if path.suffix == ".json" else load_yaml(text)
    except UnreadableFile as problem:
        order.unusable.append((path.as_posix(), str(problem)))
        return {}
    except UNREADABLE:
        reason = "The file cannot be read, so the order and names in it are lost."
        order.unusable.append((path.as_posix(), reason))
        return {}
    return told if isinstance(told, dict) else {}
