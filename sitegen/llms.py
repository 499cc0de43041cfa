"""The documents for language models: a list of them, and their texts in one file."""

import re
from collections.abc import Iterator
from itertools import accumulate, takewhile

from models.projects.addresses import document_path
from models.projects.published import PublishedPage, published_contents
from sitegen.bodies import below_title
from sitegen.links import markdown_path
from sitegen.page import Edition, Page, Rank, pages
from sitegen.shelves import shelves

# Nobody reads more at once, and each publication writes the file anew.
MOST_BYTES = 1_000_000
# Raised when the same documents would give another text.
FORM = 1
MARKS = re.compile(r"([\\\[\]<])")


class _Contents:
    """The texts of the last build: of the next one, few are others."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, int], str] = {}

    def of(self, documents: list[PublishedPage]) -> list[str]:
        keys = [(each.id, each.published_version) for each in documents]
        unread = [id for id, version in keys if (id, version) not in self._kept]
        read = published_contents(unread)
        self._kept = {
            key: read[key[0]] if key[0] in read else self._kept[key] for key in keys
        }
        return [self._kept[key] for key in keys]


PROGRAMS = """
## For programs

- [OpenAPI]({url}/openapi.json): Every operation of the API.
- [Status]({url}/status/index.json): The present state of every service.
"""


@pages("docs")
def listed(edition: Edition) -> Iterator[Page]:
    """Every document by its Markdown, under the name of its section."""
    found, opening = shelves(edition), _opening(edition)
    url = edition.settings.site_url

    def text() -> str:
        lines = [opening]
        for shelf in found:
            for section, documents in shelf.sections.items():
                name = f"{shelf.title}: {_plain(section)}" if section else shelf.title
                lines.append(f"\n## {name}\n\n")
                lines += [_line(edition, each) for each in documents]
        return "".join(lines) + PROGRAMS.format(url=url)

    shown = [[shelf.collection, shelf.listing] for shelf in found]
    key = [FORM, PROGRAMS, opening, url, shown]
    yield Page("llms.txt", text, key=key, rank=Rank.LIST)


@pages("docs")
def whole(edition: Edition) -> Iterator[Page]:
    """The texts in reading order, as many as can be read; the rest is named."""
    found = [each for shelf in shelves(edition) for each in shelf.documents]
    sizes = accumulate(each.size for each in found)
    room = len(list(takewhile(lambda size: size <= MOST_BYTES, sizes)))
    shown, rest = found[:room], found[room:]
    facts = [(each.slug, each.collection, each.published_version) for each in shown]

    def text() -> str:
        contents = edition.always(_Contents).of(shown)
        parts = [_text(edition, *each) for each in zip(shown, contents, strict=True)]
        return _opening(edition) + "".join(parts) + _rest(edition, len(rest))

    yield Page(
        "llms-full.txt",
        text,
        key=[FORM, _opening(edition), edition.settings.site_url, facts, len(rest)],
        rank=Rank.LIST,
    )


def _opening(edition: Edition) -> str:
    name = _plain(edition.settings.site_name)
    return f"# {name}\n\n> Documentation and status of {name}.\n"


def _line(edition: Edition, document: PublishedPage) -> str:
    summary = f": {_plain(document.summary)}" if document.summary else ""
    return f"- [{_plain(document.title)}]({_address(edition, document)}){summary}\n"


def _text(edition: Edition, document: PublishedPage, content: str) -> str:
    body = below_title(document.title, content).strip("\n")
    source = f"Source: {_address(edition, document)}"
    return f"\n---\n\n# {_plain(document.title)}\n\n{source}\n\n{body}\n"


def _rest(edition: Edition, count: int) -> str:
    if not count:
        return ""
    listed = f"{edition.settings.site_url}/llms.txt"
    return f"\n---\n\n{count} more documents are named in {listed}\n"


def _address(edition: Edition, document: PublishedPage) -> str:
    path = markdown_path(document_path(document.collection, document.slug))
    return f"{edition.settings.site_url}/{path}"


def _plain(text: str) -> str:
    """Return the words as Markdown that shows them as they are, on one line."""
    return MARKS.sub(r"\\\1", " ".join(text.split()))
