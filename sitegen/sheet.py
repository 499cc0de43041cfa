"""One published document with all that its page shows."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from models.projects.published import PublishedPage
from models.words import told_moment
from sitegen.addresses import Addresses
from sitegen.bodies import body_key
from sitegen.links import document_path, markdown_path, twin
from sitegen.markdown import Rendered, fill
from sitegen.page import Edition, Page
from sitegen.shelves import Shelf, href_of, line_of, told

Neighbours = tuple[PublishedPage | None, PublishedPage | None]


@dataclass(frozen=True)
class Sidebars:
    """The sidebar of each section: rendered once, then marked for each page."""

    edition: Edition
    shelf: Shelf
    rendered: dict[str | None, str] = field(default_factory=dict)

    def of(self, document: PublishedPage) -> Markup:
        section = document.section
        if section not in self.rendered:
            data = {"sections": self.told(section)}
            sidebar = self.edition.looks.render("docs/sidebar.html", data=data)
            self.rendered[section] = sidebar
        link = f'<a href="{href_of(document)}">'
        current = f'<a href="{href_of(document)}" aria-current="page">'
        # Markup: the template escaped it.
        return Markup(self.rendered[section].replace(link, current))  # noqa: S704

    def told(self, open_section: str | None) -> list[dict[str, Any]]:
        """The open section with its pages; the others are links."""
        shelf = self.shelf
        return [
            {
                "section": name,
                "open": name == open_section,
                "href": shelf.section_href(name),
                "pages": _links(listed) if name == open_section else [],
            }
            for name, listed in shelf.sections.items()
        ]


@dataclass(frozen=True)
class Sheet:
    edition: Edition
    document: PublishedPage
    content: str
    addresses: Addresses
    sidebars: Sidebars
    neighbours: Neighbours

    def pages(self) -> Iterator[Page]:
        """For readers, for programs, and as Markdown."""
        document = self.document
        path = document_path(document.collection, document.slug)
        yield Page(twin(path)[1:], {"data": told(document, self.content)})
        yield Page(self._markdown_href[1:], self.content)
        yield Page(
            path,
            self._data,
            template="docs/document.html",
            title=document.title,
            description=document.summary or document.title,
            twin=twin(path),
            key=self._key,
        )

    @property
    def _markdown_href(self) -> str:
        path = document_path(self.document.collection, self.document.slug)
        return "/" + markdown_path(path)

    @property
    def _body(self) -> str:
        return below_title(self.document.title, self.content)

    def _key(self) -> dict[str, Any]:
        """Everything the page shows, with its costly parts by their names."""
        rendered = self.edition.bodies.of(self._body)
        resolved = [self.addresses.resolve(self.document, t) for t in rendered.links]
        self._warn(rendered, resolved)
        facts = self._facts()
        return facts | {"body": body_key(self._body), "links": resolved}

    def _data(self) -> dict[str, Any]:
        rendered = self.edition.bodies.of(self._body)
        html = fill(rendered.html, rendered.links, self._resolve)
        # The title is the page's one h1. Text is escaped, so this is a heading's tag.
        html = html.replace("<h1", "<h2").replace("</h1>", "</h2>")
        headings = [
            {"level": max(2, each.level), "id": each.id, "text": each.text}
            for each in rendered.headings
            if each.level <= 3
        ]
        return self._facts() | {
            "html": Markup(html),  # noqa: S704  (the renderer escapes)
            "headings": headings,
            "sidebar": {"html": self.sidebars.of(self.document)},
        }

    def _facts(self) -> dict[str, Any]:
        document, shelf = self.document, self.sidebars.shelf
        before, after = self.neighbours
        return {
            "title": document.title,
            "summary": document.summary,
            "collection": shelf.collection,
            "collectionTitle": shelf.title,
            "collectionHref": shelf.href,
            "section": document.section,
            "sectionHref": shelf.section_href(document.section),
            "sidebar": self.sidebars.told(document.section),
            "register": [] if self._body.strip() else self._register(),
            "previous": _links([before])[0] if before else None,
            "next": _links([after])[0] if after else None,
            "publishedVersion": document.published_version,
            "revisedAt": told_moment(document.revised_at),
            "markdownHref": self._markdown_href,
            "twinHref": self._markdown_href.removesuffix(".md") + ".json",
        }

    def _register(self) -> list[dict[str, Any]]:
        """The other pages of the section: what a page without text shows."""
        section = self.sidebars.shelf.sections[self.document.section]
        return [line_of(each) for each in section if each.id != self.document.id]

    def _resolve(self, target: str) -> str | None:
        return self.addresses.resolve(self.document, target)

    def _warn(self, rendered: Rendered, resolved: list[str | None]) -> None:
        for target, href in zip(rendered.links, resolved, strict=True):
            if href is None:
                here = f"{self.document.collection}/{self.document.slug}"
                self.edition.warnings.append(f"{here}: nothing is at {target}")


def below_title(title: str, content: str) -> str:
    """The content without a first line that says the title again."""
    first, _, rest = content.lstrip("\n").partition("\n")
    repeats = first.removeprefix("# ").strip() == title
    return rest if repeats and first.startswith("# ") else content


def _links(documents: list[PublishedPage]) -> list[dict[str, str]]:
    return [{"title": each.title, "href": href_of(each)} for each in documents]
