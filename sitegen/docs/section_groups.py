"""Group the documents of a collection by their sections, which can be nested."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from models.projects.documents.positions import tree_ranks
from models.projects.documents.published import PublishedPage
from models.projects.documents.sections import SEPARATOR, section_parts


@dataclass(eq=False)
class SectionGroup:
    """
    A section: its pages and the sections inside it, in reading order.

    The root has the name "", and the pages without a section. A section without pages
    of its own may have others inside it.
    """

    name: str
    label: str
    href: str
    id: str = ""
    parent: "SectionGroup | None" = None
    items: "list[PublishedPage | SectionGroup]" = field(default_factory=list)
    # The rank of the first tree that has pages here, and the position of the first.
    first_place: tuple[int, int] = (0, 0)

    @cached_property
    def pages(self) -> list[PublishedPage]:
        return [item for item in self.items if isinstance(item, PublishedPage)]

    @cached_property
    def path(self) -> "tuple[SectionGroup, ...]":
        """Return the sections around this one, from the root on, and itself."""
        return (*(self.parent.path if self.parent else ()), self)

    @cached_property
    def outline(self) -> tuple[object, ...]:
        """Return what lists of the sections inside this one depend on."""
        outline: list[object] = []
        pages = 0
        for item in self.items:
            if isinstance(item, SectionGroup):
                outline.append((item.label, item.href, pages, item.outline))
            else:
                pages += 1
        return tuple(outline)

    def all_groups(self) -> "Iterator[SectionGroup]":
        yield self
        for item in self.items:
            if isinstance(item, SectionGroup):
                yield from item.all_groups()

    def all_pages(self) -> Iterator[PublishedPage]:
        for item in self.items:
            if isinstance(item, SectionGroup):
                yield from item.all_pages()
            else:
                yield item

    def sort(self, ranks: Mapping[str | None, int]) -> None:
        """
        Sort the items by their first positions, one tree after the other.

        A section that several trees have is one, and in it only the position counts.
        """
        for group in self.items:
            if isinstance(group, SectionGroup):
                group.sort(ranks)

        def place(item: "PublishedPage | SectionGroup") -> tuple[int, int]:
            if isinstance(item, SectionGroup):
                return item.first_place
            return ranks.get(item.source_tree, 0), item.position

        def sort_key(item: "PublishedPage | SectionGroup") -> tuple[Any, ...]:
            rank, position = place(item)
            if isinstance(item, SectionGroup):
                tie = (True, item.label, "")
            else:
                tie = (False, item.title, item.slug)
            return 0 if self.name else rank, position, *tie

        self.items.sort(key=sort_key)
        self.first_place = min(map(place, self.items), default=(0, 0))


def section_name(section: str | None) -> str:
    return SEPARATOR.join(section_parts(section))


def group_by_section(
    documents: Iterable[PublishedPage], collection_href: str
) -> SectionGroup:
    """Return the root of the sections of a collection."""
    documents = list(documents)
    groups = {"": SectionGroup("", "", collection_href)}
    by_section: dict[str | None, SectionGroup] = {}
    for document in documents:
        group = by_section.get(document.section)
        if group is None:
            group = _group(section_parts(document.section), groups)
            by_section[document.section] = group
        group.items.append(document)
    root = groups[""]
    root.sort(tree_ranks(documents))
    _assign_ids(root)
    return root


def section_id(title: str) -> str:
    """Return the id of a section on the page of its collection."""
    return re.sub(r"\W+", "-", title.lower()).strip("-") or "section"


def _group(parts: tuple[str, ...], groups: dict[str, SectionGroup]) -> SectionGroup:
    """Return the section with this path; create it, and those around it, if needed."""
    name = SEPARATOR.join(parts)
    if name not in groups:
        parent = _group(parts[:-1], groups)
        groups[name] = SectionGroup(name, parts[-1], "", parent=parent)
        parent.items.append(groups[name])
    return groups[name]


def _assign_ids(root: SectionGroup) -> None:
    """Give each section a unique id on the page of the collection."""
    taken: set[str] = set()
    for group in root.all_groups():
        if group is not root:
            id = section_id(group.name)
            numbered = (f"{id}-{n}" for n in range(2, len(taken) + 3))
            group.id = next(i for i in (id, *numbered) if i not in taken)
            group.href = f"{root.href}#{group.id}"
            taken.add(group.id)
