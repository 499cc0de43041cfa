"""The documents for language models: a list of them, and their texts in one file."""

import re
from collections.abc import Iterator
from itertools import accumulate, takewhile

from models.projects.documents.link_resolver import document_path
from models.projects.documents.published import PublishedPage, published_contents
from sitegen.docs.body_cache import below_title
from sitegen.docs.collections import docs_collections
from sitegen.page import BuildContext, Page, Rank, pages
from sitegen.urls import markdown_path

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
def listed(context: BuildContext) -> Iterator[Page]:
    """Every document by its Markdown, under the name of its section."""
    found, opening = docs_collections(context), _opening(context)
    url = context.settings.site_url

    def text() -> str:
        lines = [opening]
        for collection in found:
            for section, documents in collection.sections.items():
                name = (
                    f"{collection.title}: {_plain(section)}"
                    if section
                    else collection.title
                )
                lines.append(f"\n## {name}\n\n")
                lines += [_line(context, each) for each in documents]
        return "".join(lines) + PROGRAMS.format(url=url)

    shown = [[collection.collection, collection.listing] for collection in found]
    key = [FORM, PROGRAMS, opening, url, shown]
    yield Page("llms.txt", text, key=key, rank=Rank.LIST)


@pages("docs")
def whole(context: BuildContext) -> Iterator[Page]:
    """The texts in reading order, as many as can be read; the rest is named."""
    found = [
        each
        for collection in docs_collections(context)
        for each in collection.documents
    ]
    sizes = accumulate(each.size for each in found)
    room = len(list(takewhile(lambda size: size <= MOST_BYTES, sizes)))
    shown, rest = found[:room], found[room:]
    facts = [(each.slug, each.collection, each.published_version) for each in shown]

    def text() -> str:
        contents = context.always(_Contents).of(shown)
        parts = [_text(context, *each) for each in zip(shown, contents, strict=True)]
        return _opening(context) + "".join(parts) + _rest(context, len(rest))

    yield Page(
        "llms-full.txt",
        text,
        key=[FORM, _opening(context), context.settings.site_url, facts, len(rest)],
        rank=Rank.LIST,
    )


def _opening(context: BuildContext) -> str:
    name = _plain(context.settings.site_name)
    return f"# {name}\n\n> Documentation and status of {name}.\n"


def _line(context: BuildContext, document: PublishedPage) -> str:
    summary = f": {_plain(document.summary)}" if document.summary else ""
    return f"- [{_plain(document.title)}]({_address(context, document)}){summary}\n"


def _text(context: BuildContext, document: PublishedPage, content: str) -> str:
    body = below_title(document.title, content).strip("\n")
    source = f"Source: {_address(context, document)}"
    return f"\n---\n\n# {_plain(document.title)}\n\n{source}\n\n{body}\n"


def _rest(context: BuildContext, count: int) -> str:
    if not count:
        return ""
    listed = f"{context.settings.site_url}/llms.txt"
    return f"\n---\n\n{count} more documents are named in {listed}\n"


def _address(context: BuildContext, document: PublishedPage) -> str:
    path = markdown_path(document_path(document.collection, document.slug))
    return f"{context.settings.site_url}/{path}"


def _plain(text: str) -> str:
    """Return the words as Markdown that shows them as they are, on one line."""
    return MARKS.sub(r"\\\1", " ".join(text.split()))
