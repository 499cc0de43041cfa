"""Generate llms.txt and llms-full.txt: the documents for language models."""

import re
from collections.abc import Iterator
from itertools import accumulate, takewhile

from models.display_text import plain_line
from models.projects.documents.linking.link_resolver import document_path
from models.projects.documents.published import PublishedPage, published_contents
from models.site_addresses import url_path
from sitegen.docs.body_rendering import without_title
from sitegen.docs.collections import docs_collections
from sitegen.page import BuildContext, Page, Stage, pages
from sitegen.urls import markdown_path

# Models read no more at once, and each publication writes the file again.
MAX_BYTES = 1_000_000
# Increased when the same documents would result in another file.
FORMAT = 2
MARKUP = re.compile(r"([\\\[\]<])")
PROGRAMS = """
## For programs

- [OpenAPI]({url}/openapi.json): Every operation of the API.
- [Status]({url}/status/index.json): The present state of every service.
"""


class _ContentCache:
    """The texts of the last build, of which the next build needs nearly all."""

    def __init__(self) -> None:
        self._contents: dict[tuple[str, int], str] = {}

    def load(self, documents: list[PublishedPage]) -> list[str]:
        keys = [(document.id, document.published_version) for document in documents]
        missing = [id for id, version in keys if (id, version) not in self._contents]
        loaded = published_contents(missing)
        self._contents = {
            key: loaded[key[0]] if key[0] in loaded else self._contents[key]
            for key in keys
        }
        return [self._contents[key] for key in keys]


@pages("docs", Stage.LISTS)
def llms_txt(context: BuildContext) -> Iterator[Page]:
    """Links to the Markdown of every document, by section."""
    collections, opening = docs_collections(context), _opening(context)
    url = context.settings.site_url

    def text() -> str:
        lines = [opening]
        for collection in collections:
            for section, documents in collection.sections.items():
                name = (
                    f"{collection.title}: {_escape(section)}"
                    if section
                    else collection.title
                )
                lines.append(f"\n## {name}\n\n")
                lines += [_list_item(context, document) for document in documents]
        return "".join(lines) + PROGRAMS.format(url=url)

    listings = [[c.collection, c.listing_key] for c in collections]
    yield Page("llms.txt", text, key=[FORMAT, PROGRAMS, opening, url, listings])


@pages("docs", Stage.LISTS)
def llms_full_txt(context: BuildContext) -> Iterator[Page]:
    """The texts in reading order up to a limit, and how many documents are left."""
    documents = [
        document
        for collection in docs_collections(context)
        for document in collection.documents
    ]
    sizes = accumulate(document.size for document in documents)
    count = len(list(takewhile(lambda size: size <= MAX_BYTES, sizes)))
    included, left = documents[:count], len(documents) - count
    versions = [(d.path, d.collection, d.published_version) for d in included]

    def text() -> str:
        contents = context.once_per_process(_ContentCache).load(included)
        texts = [
            _document_text(context, document, content)
            for document, content in zip(included, contents, strict=True)
        ]
        return _opening(context) + "".join(texts) + _closing(context, left)

    opening, url = _opening(context), context.settings.site_url
    yield Page("llms-full.txt", text, key=[FORMAT, opening, url, versions, left])


def _opening(context: BuildContext) -> str:
    name = _escape(context.settings.site_name)
    return f"# {name}\n\n> Documentation and status of {name}.\n"


def _list_item(context: BuildContext, document: PublishedPage) -> str:
    summary = f": {_escape(document.summary)}" if document.summary else ""
    link = f"[{_escape(document.title)}]({_markdown_url(context, document)})"
    return f"- {link}{summary}\n"


def _document_text(context: BuildContext, document: PublishedPage, content: str) -> str:
    body = without_title(document.title, content).strip("\n")
    source = f"Source: {_markdown_url(context, document)}"
    return f"\n---\n\n# {_escape(document.title)}\n\n{source}\n\n{body}\n"


def _closing(context: BuildContext, left: int) -> str:
    if not left:
        return ""
    listed = f"{context.settings.site_url}/llms.txt"
    return f"\n---\n\n{left} more documents are named in {listed}\n"


def _markdown_url(context: BuildContext, document: PublishedPage) -> str:
    path = markdown_path(document_path(document))
    return f"{context.settings.site_url}{url_path(path)}"


def _escape(text: str) -> str:
    """Return the text on one line, escaped for Markdown."""
    return MARKUP.sub(r"\\\1", plain_line(text))
