"""The docs site: collections and published documents."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from models.projects.published import PublishedPage
from sitegen.page import Edition, Page, Rank, Row, pages
from sitegen.sheets import Sheets
from sitegen.shelves import Shelf, line_of, shelves, told


@pages("docs")
def documents(edition: Edition) -> Iterator[Row]:
    """Every published document: for readers, for programs, and as Markdown."""
    yield from edition.always(Sheets).pages(edition)


@pages("docs", costly=True)
def collections(edition: Edition) -> Iterator[Page]:
    """The register of each collection."""
    registers = edition.always(_Registers)
    for shelf in shelves(edition):
        yield from registers.of(shelf, edition.settings.site_name)


class _Registers:
    """The registers as they were last, and each document's line in them."""

    def __init__(self) -> None:
        self._known: dict[str, _Register] = {}

    def of(self, shelf: Shelf, site_name: str) -> list[Page]:
        """Return the pages of a shelf; of one that stands they are the same objects."""
        known = self._known.get(shelf.collection)
        if known is None or known.shelf is not shelf:
            lines = _lines(shelf, known.lines if known else {})
            pages = [_for_programs(shelf, lines), _for_readers(shelf, site_name)]
            known = self._known[shelf.collection] = _Register(shelf, lines, pages)
        return known.pages


Lines = dict[str, tuple[PublishedPage, str]]


@dataclass(frozen=True)
class _Register:
    shelf: Shelf
    lines: Lines
    pages: list[Page]


def _lines(shelf: Shelf, known: Lines) -> Lines:
    """Return each document as JSON; to tell all of them anew takes its time."""
    found = {}
    for each in shelf.documents:
        line = known.get(each.id)
        if line is None or line[0] is not each:
            facts = {n: v for n, v in told(each).items() if n != "content"}
            line = (each, json.dumps(facts, ensure_ascii=False, separators=(",", ":")))
        found[each.id] = line
    return found


def _for_programs(shelf: Shelf, lines: Lines) -> Page:
    rows = ",".join(line for _, line in lines.values())
    text = f'{{"data":[{rows}]}}\n'.encode()
    return Page(f"{shelf.collection}/index.json", text, key=text, rank=Rank.LIST)


def _for_readers(shelf: Shelf, site_name: str) -> Page:
    def data() -> dict[str, Any]:
        sections = [
            {
                "section": name,
                "id": shelf.anchors[name] if name else None,
                "pages": [line_of(each) for each in listed],
            }
            for name, listed in shelf.sections.items()
        ]
        facts = {"collection": shelf.collection, "title": shelf.title}
        return facts | {"sections": sections}

    return Page(
        f"{shelf.collection}/index.html",
        data,
        template="docs/collection.html",
        title=shelf.title,
        description=f"{shelf.title} of {site_name}.",
        twin=f"/{shelf.collection}/index.json",
        key=shelf.listing,
        rank=Rank.LIST,
    )
