"""Export a project as a bundle that can be imported again."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Annotated, Any

from peewee import SQL, fn
from pydantic import Field

from models.base import Schema
from models.errors import PayloadTooLarge
from models.fields import ID, Id, QueryBoolean
from models.lazy_list import MAX_ITEMS
from models.projects.bundles.bundle import MAX_BUNDLE_BYTES
from models.projects.bundles.bundle_writer import serialize_bundle
from models.projects.bundles.bundled_files import content_bytes
from models.projects.discussion.rows import CommentRow
from models.projects.documents.rows import DocumentRevisionRow
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow, project_with
from models.projects.specifications.rows import SpecificationRevisionRow
from models.projects.work.rows import WorkItemRow

# An import request needs room for the slug, name and owner around the bundle.
ENVELOPE_BYTES = 4096
# The ids and field names of a row alone take at least this.
MIN_ROW_BYTES = 150

# The columns of long texts, with the columns that lead to their project.
TEXT_COLUMNS: tuple[tuple[Any, Any], ...] = (
    (WorkItemRow.description, WorkItemRow.project),
    (CommentRow.content, CommentRow.project),
    (SpecificationRevisionRow.content, SpecificationRevisionRow.specification),
    (DocumentRevisionRow.content, DocumentRevisionRow.document),
)
ACTIVITY_COLUMN: tuple[Any, Any] = (ActivityRow.metadata, ActivityRow.project)


class ExportProject(Schema):
    id: Annotated[Id, ID]
    activity: QueryBoolean = Field(
        default=True, description="Whether to include the activity.", examples=[True]
    )
    files: QueryBoolean = Field(
        default=True, description="Whether to include the files.", examples=[True]
    )


def export_project(query: ExportProject, now: datetime, actor: Actor) -> Iterator[str]:
    """
    Return the JSON of a project's bundle in pieces, whether it is archived or not.

    Raise PayloadTooLarge, perhaps only after some pieces, if an import would refuse it.
    """
    project = project_with(query.id)
    require_role(project, actor, "projects:export")
    max_bytes = MAX_BUNDLE_BYTES - ENVELOPE_BYTES
    columns = (*TEXT_COLUMNS, ACTIVITY_COLUMN) if query.activity else TEXT_COLUMNS
    files_bytes = content_bytes(project) if query.files else 0
    if _min_bytes(project, columns) + files_bytes > max_bytes:
        raise _too_large(max_bytes)
    pieces = serialize_bundle(
        project, now, with_activity=query.activity, with_files=query.files
    )
    return _limit(pieces, max_bytes)


def _limit(pieces: Iterable[str], max_bytes: int) -> Iterator[str]:
    total = 0
    for count, piece in enumerate(pieces):
        total += len(piece.encode())
        if total > max_bytes:
            raise _too_large(max_bytes)
        # Nearly every piece is an item of a list.
        if count > MAX_ITEMS:
            raise PayloadTooLarge(
                f"The bundle would have more than {MAX_ITEMS:,} items in its lists."
                " Without the activity or the files it may have few enough."
            )
        yield piece


def _min_bytes(project: ProjectRow, columns: Iterable[tuple[Any, Any]]) -> int:
    """Return a lower bound of the size of the bundle, without reading any text."""
    total = 0
    for text, owner in columns:
        length = fn.COALESCE(fn.SUM(fn.LENGTH(text)), 0)
        size = length + fn.COUNT(SQL("*")) * MIN_ROW_BYTES
        owner_model = owner.rel_model
        key = owner_model.id if owner_model is ProjectRow else owner_model.project
        owners = owner_model.select(owner_model.id).where(key == project.id)
        total += text.model.select(size).where(owner.in_(owners)).scalar()
    return total


def _too_large(max_bytes: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The bundle would have more than {max_bytes} bytes. Without the activity or"
        " the files it may be small enough.",
        limitBytes=max_bytes,
    )
