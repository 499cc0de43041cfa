"""Exporting a project: all of it as one object, which import takes in again."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from peewee import SQL, fn

from models.base import Schema
from models.errors import PayloadTooLarge
from models.fields import Id, QueryBoolean
from models.projects.bundles.bundle import MOST_BYTES, ProjectBundle
from models.projects.bundles.bundle_writer import things_in
from models.projects.discussion.rows import CommentRow
from models.projects.documents.rows import DocumentRevisionRow
from models.projects.fields import Actor
from models.projects.members.role_checks import require_role
from models.projects.projects.activity import ActivityRow
from models.projects.projects.rows import ProjectRow, project_with
from models.projects.specifications.rows import SpecificationRevisionRow
from models.projects.work.rows import WorkItemRow

# Room for the slug, the name and the owner that an import says beside the bundle.
ASIDE = 4096
# No row is told in fewer bytes, whatever is in it: its ids and its members' names.
LEAST_OF_ROW = 150

# Where long texts stand, and the column that leads to their project.
TEXTS: tuple[tuple[Any, Any], ...] = (
    (WorkItemRow.description, WorkItemRow.project),
    (CommentRow.content, CommentRow.project),
    (SpecificationRevisionRow.content, SpecificationRevisionRow.specification),
    (DocumentRevisionRow.content, DocumentRevisionRow.document),
)
ACTIVITY: tuple[Any, Any] = (ActivityRow.metadata, ActivityRow.project)


class ExportProject(Schema):
    id: Id
    activity: QueryBoolean = True


def project_exported(
    query: ExportProject, now: datetime, actor: Actor
) -> ProjectBundle:
    """Return all of the project, archived or not; refuse what import would not take."""
    project = project_with(query.id)
    require_role(project, actor, "projects:export")
    most = MOST_BYTES - ASIDE
    texts = (*TEXTS, ACTIVITY) if query.activity else TEXTS
    if _least_bytes(project, texts) > most:
        raise _too_large()
    held = things_in(project, with_activity=query.activity)
    bundle = ProjectBundle.model_validate(
        {
            "format": "projects-bundle",
            "version": 1,
            "exported_at": now,
            "project": project,
            **{name: list(each) for name, each in held.items()},
        }
    )
    if len(bundle.model_dump_json(by_alias=True).encode()) > most:
        raise _too_large()
    return bundle


def _least_bytes(project: ProjectRow, texts: Iterable[tuple[Any, Any]]) -> int:
    """Return what the bundle has at least, before anything long is read."""
    total = 0
    for text, of in texts:
        length = (
            fn.COALESCE(fn.SUM(fn.LENGTH(text)), 0) + fn.COUNT(SQL("*")) * LEAST_OF_ROW
        )
        holder = of.rel_model
        ours = holder.select(holder.id).where(_is_of(holder, project))
        total += text.model.select(length).where(of.in_(ours)).scalar()
    return total


def _is_of(holder: Any, project: ProjectRow) -> Any:
    key = holder.id if holder is ProjectRow else holder.project
    return key == project.id


def _too_large() -> PayloadTooLarge:
    most = MOST_BYTES - ASIDE
    return PayloadTooLarge(
        f"The bundle would have more than {most} bytes. Without the activity it may"
        " be small enough.",
        limitBytes=most,
    )
