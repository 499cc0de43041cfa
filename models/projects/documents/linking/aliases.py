"""
The addresses that redirect to documents: former ones, and those that files declare.

An alias never takes the address of a page. Of several documents with the same alias,
the one that had it first gets the redirect.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, get_args
from urllib.parse import unquote

from peewee import chunked
from pydantic import AfterValidator

from models.projects.documents.documents import Collection
from models.projects.documents.paths import (
    MAX_SEGMENT_BYTES,
    PUNCTUATION,
    is_allowed,
    page_address,
)
from models.projects.documents.published import PublishedPage
from models.projects.documents.rows import DocumentAliasRow, DocumentRow
from models.projects.projects.rows import ProjectRow
from models.projects.versioning.versioned import BATCH_SIZE
from models.response_headers import PATH_RULES

MAX_BYTES = 500
# The parts of the site that have other pages than documents.
RESERVED_ROOTS = {rule.split("/")[1] for rule in PATH_RULES} - {*get_args(Collection)}
# Files of the site: an alias must neither be one nor lie below one.
_FILE = re.compile(r"\.(?:html|md|json)$", re.I)


class UnusableAlias(ValueError):
    """An address that cannot redirect; the message completes "The alias … "."""


def alias_address(text: str) -> str:
    """
    Return an address as it is stored, /old/setup/ or /old/setup.html.

    Raise UnusableAlias if no page of this site could be there.
    """
    address = unquote(text.strip())
    if len(address.encode(errors="replace")) > MAX_BYTES:
        raise UnusableAlias(f"has more than {MAX_BYTES} bytes")
    if "//" in address:
        raise UnusableAlias("is not a path on this site")
    segments = address.strip("/").split("/")
    segments = segments[:-1] if segments[-1].lower() == "index.html" else segments
    if not any(segments):
        raise UnusableAlias("is the address of the home page")
    for segment in segments:
        _require_name(segment)
    if segments[0].lower() in RESERVED_ROOTS:
        raise UnusableAlias(f"lies below /{segments[0]}/, where other pages are")
    if len(segments) == 1 and segments[0] in get_args(Collection):
        raise UnusableAlias("is the address of a collection")
    if any(_FILE.search(segment) for segment in segments[:-1]):
        raise UnusableAlias("lies below the name of a file")
    end = _FILE.search(segments[-1])
    if end and end[0].lower() != ".html":
        raise UnusableAlias(f"ends with '{end[0]}', as the data of pages do")
    return f"/{'/'.join(segments)}" + ("" if end else "/")


def _require_name(segment: str) -> None:
    if segment in (".", ".."):
        raise UnusableAlias(f"contains '{segment}'")
    if segment[0] in "._":
        # Hosts do not serve such names.
        raise UnusableAlias(f"has a part that begins with '{segment[0]}'")
    if not all(map(is_allowed, segment)):
        raise UnusableAlias(
            f"contains characters other than letters, digits and {PUNCTUATION}"
        )
    if len(segment.encode()) > MAX_SEGMENT_BYTES:
        raise UnusableAlias(f"has a part of more than {MAX_SEGMENT_BYTES} bytes")


def _require_stored_form(address: str) -> str:
    try:
        stored = alias_address(address)
    except UnusableAlias as error:
        raise ValueError(f"The address {error}.") from None
    if stored != address:
        raise ValueError("Must be an address such as /old/setup/ or /old/setup.html.")
    return address


Alias = Annotated[str, AfterValidator(_require_stored_form)]
# An address without a page, and the document to which it leads.
Redirect = tuple[str, PublishedPage]
# An alias, the id of its document, and whether the document's file declares it.
AliasOf = tuple[str, str, bool]


def redirects(
    documents: Iterable[PublishedPage], aliases: Iterable[AliasOf] | None = None
) -> list[Redirect]:
    """
    Return the redirects to the published documents, ordered by address.

    `aliases` are all of them, if they were read already.
    """
    by_id = {document.id: document for document in documents}
    pages = {page_address(page.collection, page.path) for page in by_id.values()}
    owners: dict[str, str] = {}
    for address, document_id, _ in all_aliases() if aliases is None else aliases:
        if document_id in by_id and address not in pages:
            owners.setdefault(address, document_id)
    return [(address, by_id[id]) for address, id in sorted(owners.items())]


def all_aliases() -> Iterable[AliasOf]:
    """Return address, document, and whether its file declares it, the oldest first."""
    alias = DocumentAliasRow
    query = alias.select(alias.address, alias.document, alias.is_declared)
    rows: Iterable[Any] = query.order_by(alias.number).tuples()
    return rows


def aliases_of(project: ProjectRow) -> dict[str, list[DocumentAliasRow]]:
    """Return the aliases of a project's documents, by document."""
    rows: dict[str, list[DocumentAliasRow]] = {}
    query = DocumentAliasRow.select().join(DocumentRow)
    of_project = query.where(DocumentRow.project == project.id)
    for row in of_project.order_by(DocumentAliasRow.number):
        rows.setdefault(row.document_id, []).append(row)
    return rows


class AliasBatch:
    """The aliases that the files of an import declare."""

    def __init__(self, project: ProjectRow) -> None:
        self._project = project
        self._rows = aliases_of(project)
        self._wanted: dict[str, list[str]] = {}

    def declare(self, document: DocumentRow, addresses: Iterable[str]) -> bool:
        """Set the aliases that the file declares; return whether they change."""
        wanted = list(dict.fromkeys(addresses))
        rows = self._rows.get(document.id, [])
        declared = {row.address for row in rows if row.is_declared}
        # What was the document's own address stays, whatever its file says.
        former = {row.address for row in rows if not row.is_declared}
        if declared == set(wanted) - former:
            return False
        self._wanted[document.id] = [name for name in wanted if name not in former]
        return True

    def save(self) -> None:
        """Write the changes; the documents must be stored."""
        gone: list[int] = []
        new: list[dict[str, Any]] = []
        for id, wanted in self._wanted.items():
            declared = [row for row in self._rows.get(id, []) if row.is_declared]
            known = {row.address for row in declared}
            kept = set(wanted)
            gone += [row.number for row in declared if row.address not in kept]
            new += [
                {"document": id, "address": address, "is_declared": True}
                for address in wanted
                if address not in known
            ]
        for batch in chunked(gone, BATCH_SIZE):
            is_gone = DocumentAliasRow.number.in_(batch)
            DocumentAliasRow.delete().where(is_gone).execute()
        for rows_of_batch in chunked(new, BATCH_SIZE):
            DocumentAliasRow.insert_many(rows_of_batch).execute()
        self._wanted.clear()


def ineffective_aliases(project: ProjectRow) -> Iterator[tuple[str, str]]:
    """Yield documents by id, each with why an alias of its file does not lead to it."""
    row = DocumentRow
    query = row.select(row.id, row.collection, row.slug, row.path)
    is_active = (DocumentRow.project == project.id) & DocumentRow.archived_at.is_null()
    heads: Iterable[Any] = query.where(is_active).tuples()
    slugs, pages, owners = dict[str, str](), dict[str, str](), dict[str, str]()
    for id, collection, slug, path in heads:
        slugs[id], pages[page_address(collection, path)] = slug, id
    for address, id, is_declared in all_aliases():
        if id not in slugs:
            continue
        owner = pages.get(address) or owners.setdefault(address, id)
        if is_declared and owner != id:
            reason = (
                "is the address of its page"
                if address in pages
                else "was an alias of it first"
            )
            yield (
                id,
                f"The alias {address} leads to '{slugs[owner]}', since it {reason}.",
            )
