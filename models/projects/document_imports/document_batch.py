"""Create, update and publish many documents with few statements."""

from datetime import datetime
from typing import Any

from models.base import insert_all
from models.projects.documents.documents import (
    CreateDocument,
    UpdateDocument,
    assign_next_version,
    changed_values,
    creation_metadata,
    new_document,
    update_case,
)
from models.projects.documents.publication import assign_publication
from models.projects.documents.rows import DOCUMENTS, DocumentRevisionRow, DocumentRow
from models.projects.fields import Actor
from models.projects.files.pins import PinBatch
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import ActivityRow, new_activity
from models.projects.projects.rows import ProjectRow, require_active
from models.projects.search.text_index import index_text, index_texts, with_summary

# So much is kept in memory before it is written.
MAX_RECORDS, MAX_CHARACTERS = 1_000, 4_000_000


class DocumentBatch:
    """
    The changes of one caller to the documents of the docs project.

    The rules are those of single changes, but what they look up is looked up once: the
    project and the caller's role in it. Everything is written in the order of the
    changes by `save`, which must be called at the end, and before anything else reads
    or changes the documents. The caller ensures that slugs are free.
    """

    def __init__(self, project: ProjectRow, now: datetime, actor: Actor) -> None:
        require_active(project)
        self._project, self._now, self._actor = project, now, actor
        self._allowed_cases: set[str] = set()
        self._new: dict[str, DocumentRow] = {}
        self._changed: dict[str, DocumentRow] = {}
        self._revisions: list[DocumentRevisionRow] = []
        self._activity: list[ActivityRow] = []
        self._length = 0
        self._pins = PinBatch(project)

    def create(self, request: CreateDocument) -> DocumentRow:
        self._require_role("documents:create")
        document = new_document(request, self._now, self._actor)
        self._new[document.id] = document
        self._add_revision(document, request.content)
        self._record("document.created", document, creation_metadata(document))
        return document

    def update(self, document: DocumentRow, request: UpdateDocument, path: str) -> None:
        """
        Save a new version at the path; the content of the document must be loaded.

        The caller ensures that the path is free.
        """
        values = changed_values(request) | {"path": path}
        self._require_role(update_case(document, values))
        require_active(self._project, document)
        content = values.get("content", document.content)
        metadata = assign_next_version(document, values, request.note, self._now)
        self.change_head(document)
        self._add_revision(document, content, note=request.note)
        self._record("document.updated", document, metadata)

    def has_newer_files(self, document: DocumentRow) -> bool:
        """Return whether its page would show other files if it were published again."""
        return self._pins.is_outdated(document)

    def publish(self, document: DocumentRow) -> None:
        """Publish the newest version; it must have a collection and its content."""
        self._require_role("documents:publish")
        require_active(self._project, document)
        metadata = assign_publication(document, document.version, self._now)
        self.change_head(document)
        self._pins.pin(document)
        self._record("document.published", document, metadata)

    def change_head(self, document: DocumentRow) -> None:
        """Save the fields of the document that were set."""
        if document.id not in self._new:
            self._changed[document.id] = document

    def save_if_full(self) -> None:
        if len(self._activity) >= MAX_RECORDS or self._length >= MAX_CHARACTERS:
            self.save()

    def save(self) -> None:
        """Write all changes since the last call."""
        insert_all(list(self._new.values()))
        for document in self._changed.values():
            document.save()
        insert_all(self._revisions)
        self._pins.save()
        self._index_texts()
        insert_all(self._activity)
        for changes in (self._new, self._changed, self._revisions, self._activity):
            changes.clear()
        self._length = 0

    def _index_texts(self) -> None:
        texts = []
        for revision in self._revisions:
            body = with_summary(revision.summary, revision.content)
            text = (revision.document_id, revision.title, body)
            if revision.document_id in self._new:
                texts.append(text)
            else:
                index_text(self._project, "document", *text)
        columns = {"project": self._project.id, "entity_type": "document"}
        index_texts(
            columns | {"entity_id": id, "title": title, "body": body}
            for id, title, body in texts
        )

    def _require_role(self, case: str) -> None:
        if case not in self._allowed_cases:
            require_role(self._project, self._actor, case)
            self._allowed_cases.add(case)

    def _add_revision(
        self, document: DocumentRow, content: str, note: str | None = None
    ) -> None:
        self._revisions.append(
            DOCUMENTS.new_revision(
                document, content, self._actor, summary=document.summary, note=note
            )
        )
        document.content = content
        self._length += len(content)

    def _record(
        self, action: str, document: DocumentRow, metadata: dict[str, Any]
    ) -> None:
        self._activity.append(
            new_activity(document, action, self._actor, self._now, **metadata)
        )
