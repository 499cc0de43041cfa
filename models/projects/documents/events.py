"""Create the events of documents that are published and unpublished."""

from models.notifications.event_types import EventType
from models.notifications.events import NewEvent
from models.projects.documents.paths import page_href
from models.projects.documents.rows import DocumentRow


def published_event(document: DocumentRow) -> NewEvent | None:
    return _event("document.published", document, document.published_version)


def unpublished_event(document: DocumentRow) -> NewEvent | None:
    return _event("document.unpublished", document, None)


def _event(
    type: EventType, document: DocumentRow, version: int | None
) -> NewEvent | None:
    """Return the event, None for a document that the site does not show."""
    if not document.project.builtin:
        return None
    return NewEvent(
        type=type,
        subject_id=document.id,
        path=page_href(document.collection, document.path),
        data={
            "document": {
                "id": document.id,
                "slug": document.slug,
                "collection": document.collection,
                "title": document.title,
                "version": version,
            }
        },
    )
