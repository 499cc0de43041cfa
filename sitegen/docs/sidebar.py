"""Render the sidebar of each section once, and mark the current page in it."""

import hashlib
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from markupsafe import Markup

from models.base import canonical_json
from models.projects.documents.linking.link_resolver import document_href
from models.projects.documents.published import PublishedPage
from sitegen.docs.collections import DocsCollection, are_same_objects
from sitegen.docs.section_groups import SectionGroup
from sitegen.theme.theme import Theme

# The pages of a section around the current one are listed if they are so few.
MAX_LISTED = 50


@dataclass(eq=False)
class Sidebar:
    """The sidebar of a section: its pages, those around it, and links to others."""

    theme: Theme
    title: str
    href: str
    group: SectionGroup
    unmarked_html: str | None = field(default=None, init=False)

    @cached_property
    def key(self) -> str:
        return _key(self.group)

    @property
    def documents(self) -> list[PublishedPage]:
        return self.group.pages

    def html(self, document: PublishedPage) -> Markup:
        """Return the sidebar with this document marked as the current page."""
        if self.unmarked_html is None:
            data = {"items": self._items(self.group.path[0])}
            self.unmarked_html = self.theme.render("docs/sidebar.html", data=data)
        link = f'<a href="{document_href(document)}">'
        current = f'<a href="{document_href(document)}" aria-current="page">'
        # Markup: the template escaped it.
        return Markup(self.unmarked_html.replace(link, current))  # noqa: S704

    def is_same(self, group: SectionGroup) -> bool:
        """
        Return whether a sidebar of this section would look the same.

        If it would, this one takes the section, which may have newer versions.
        """
        if not _are_same(self.group, group) and _key(group) != self.key:
            return False
        self.group = group
        return True

    def _items(self, group: SectionGroup) -> list[dict[str, Any]]:
        """Return the pages of an open section, and the sections inside it."""
        shown = _listed(group, self.group)
        items: list[dict[str, Any]] = []
        if not shown and group.pages:
            items.append({"section": None, "title": None, "href": group.href})
        for item in group.items:
            if isinstance(item, SectionGroup):
                is_open = item in self.group.path
                items.append(
                    {
                        "section": item.label,
                        "href": item.href,
                        "open": is_open,
                        "current": item is self.group,
                        "items": self._items(item) if is_open else [],
                    }
                )
            elif shown:
                href = document_href(item)
                items.append({"section": None, "title": item.label, "href": href})
        return items


class SidebarCache:
    """The sidebars of the last build; one that would look the same is reused."""

    def __init__(self) -> None:
        self._sidebars: dict[str, dict[str | None, Sidebar]] = {}

    def for_collection(
        self, collection: DocsCollection, theme: Theme
    ) -> dict[str | None, Sidebar]:
        """Return the sidebar of each section."""
        before = self._sidebars.get(collection.collection, {})
        sidebars = {}
        # Pages that are not listed may be in a section that has no others.
        for name in collection.sections.keys() | {None}:
            group = collection.group_of(name)
            sidebar = before.get(name)
            if sidebar is None or not sidebar.is_same(group):
                sidebar = Sidebar(theme, collection.title, collection.href, group)
            sidebars[name] = sidebar
        self._sidebars[collection.collection] = sidebars
        return sidebars


def _listed(group: SectionGroup, current: SectionGroup) -> list[PublishedPage]:
    """Return the pages of an open section that the sidebar lists."""
    is_listed = group is current or len(group.pages) <= MAX_LISTED
    return group.pages if is_listed else []


def _are_same(one: SectionGroup, other: SectionGroup) -> bool:
    """Return whether two sidebars list the same objects, without comparing values."""
    if one is other:
        return True
    return (
        len(one.path) == len(other.path)
        and one.path[0].outline == other.path[0].outline
        and all(
            mine.name == its.name
            and are_same_objects(_listed(mine, one), _listed(its, other))
            for mine, its in zip(one.path, other.path, strict=True)
        )
    )


def _key(group: SectionGroup) -> str:
    links = [
        [group.name, [[page.label, document_href(page)] for page in listed]]
        for group, listed in ((each, _listed(each, group)) for each in group.path)
    ]
    return hashlib.sha256(canonical_json([group.path[0].outline, links])).hexdigest()
