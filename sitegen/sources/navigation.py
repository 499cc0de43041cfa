"""Read the order of pages and the labels of folders from the generators' files."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from models.front_matter import UnreadableFile, load_yaml, text_of
from sitegen.sources.source_file import read_text

DOCUSAURUS_FILES = ("_category_.json", "_category_.yml", "_category_.yaml")
MKDOCS_FILES = ("mkdocs.yml", "mkdocs.yaml")
PARSE_ERRORS = (yaml.YAMLError, ValueError, RecursionError)


@dataclass
class Navigation:
    """By path: positions and labels of pages, and labels of folders."""

    positions: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    folders: dict[str, str] = field(default_factory=dict)
    # The files that could not be read, each with the reason.
    unreadable: list[tuple[str, str]] = field(default_factory=list)


def read_navigation(folder: Path, folders: set[Path]) -> Navigation:
    """Read mkdocs.yml in the folder or its parent, and Docusaurus's category files."""
    navigation = Navigation()
    for root in (folder, folder.resolve().parent):
        for name in MKDOCS_FILES:
            if (root / name).is_file():
                _read_mkdocs(folder, root, name, navigation)
    for subfolder in sorted(folders):
        for name in DOCUSAURUS_FILES:
            if (folder / subfolder / name).is_file():
                _read_category(folder, subfolder / name, navigation)
    return navigation


def _read_mkdocs(folder: Path, root: Path, name: str, navigation: Navigation) -> None:
    config = _load(root, Path(name), navigation)
    docs = root / (text_of(config, "docs_dir") or "docs")
    for position, (label, path) in enumerate(_pages(config.get("nav")), start=1):
        try:
            key = (docs / path).resolve().relative_to(folder.resolve()).as_posix()
        # A page outside the folder, or a URL.
        except (ValueError, OSError):
            continue
        navigation.positions.setdefault(key, position)
        if label:
            navigation.labels.setdefault(key, label)


def _pages(nav: Any, label: str = "") -> Iterator[tuple[str, str]]:
    """Yield the label and path of each page, in reading order."""
    if isinstance(nav, str):
        yield label, nav
    elif isinstance(nav, list):
        for item in nav:
            yield from _pages(item)
    elif isinstance(nav, dict):
        for name, item in nav.items():
            yield from _pages(item, str(name))


def _read_category(folder: Path, path: Path, navigation: Navigation) -> None:
    label = text_of(_load(folder, path, navigation), "label")
    if label:
        navigation.folders[path.parent.as_posix()] = label


def _load(folder: Path, path: Path, navigation: Navigation) -> dict[str, Any]:
    try:
        text = read_text(folder, path)
        content = json.loads(text) if path.suffix == ".json" else load_yaml(text)
    except UnreadableFile as error:
        navigation.unreadable.append((path.as_posix(), str(error)))
        return {}
    except PARSE_ERRORS:
        reason = "The file cannot be read, so its order and labels are ignored."
        navigation.unreadable.append((path.as_posix(), reason))
        return {}
    return content if isinstance(content, dict) else {}
