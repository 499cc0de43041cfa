"""Say from which file a document comes, and what the next import does with it."""

from dataclasses import dataclass

from api.console.console_request import ConsoleRequest
from models.projects.document_imports.manual_changes import manual_changes
from models.projects.documents.linking.outside_links import edit_url
from models.projects.documents.rows import document_with
from models.storage.database import reading

UPDATE = "POST /projects/v1/documents/update"
# Tells what people did to a document.
LIST_ACTIVITY = "GET /projects/v1/activity/list"


@dataclass(frozen=True)
class ImportedFile:
    path: str
    # Where the file is edited, if the settings say.
    href: str | None
    # What people did since the last import, for which the next one leaves it alone;
    # empty if the key may not know.
    changes: list[str]


def imported_file(request: ConsoleRequest, id: str) -> ImportedFile | None:
    """Return the file of a document that the request may change, if it has one."""
    if not request.may(UPDATE):
        return None
    with reading():
        row = document_with(id)
        if row.source_path is None:
            return None
        may_know = request.may(LIST_ACTIVITY)
        changes = manual_changes([row]).get(row.id, []) if may_know else []
    tree, pattern = row.source_tree or "", request.settings.edit_url
    return ImportedFile(
        path=f"{tree}/{row.source_path}",
        href=edit_url(pattern, tree, row.source_path) if pattern else None,
        changes=[
            request.text(f"documents.was-{change.name.lower().replace('_', '-')}")
            for change in changes
        ],
    )
