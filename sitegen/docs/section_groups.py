"""Group the documents of a collection by their sections, which can be nested."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from models.projects.documents.published import PublishedPage
from models.projects.documents.sections import SEPARATOR, section_parts
from sitegen.theme.filters import section_id


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

    def sort(self) -> int:
        """Sort the items by their first positions; return the first of all."""
        keys = {}
        for item in self.items:
            if isinstance(item, SectionGroup):
                keys[id(item)] = (item.sort(), True, item.label, "")
            else:
                keys[id(item)] = (item.position, False, item.title, item.slug)
        self.items.sort(key=lambda item: keys[id(item)])
        return min((key[0] for key in keys.values()), default=0)


def section_name(section: str | None) -> str:
    return SEPARATOR.join(section_parts(section))


def group_by_section(
    documents: Iterable[PublishedPage], collection_href: str
) -> SectionGroup:
    """Return the root of the sections of a collection."""
    groups = {"": SectionGroup("", "", collection_href)}
    by_section: dict[str | None, SectionGroup] = {}
    for document in documents:
        group = by_section.get(document.section)
        if group is None:
            group = _group(section_parts(document.section), groups)
            by_section[document.section] = group
        group.items.append(document)
    root = groups[""]
    root.sort()
    _assign_ids(root)
    return root


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
