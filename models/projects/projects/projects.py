"""Projects: found, listed, and the built-in one of the public docs."""

from datetime import datetime
from typing import Literal

from pydantic import model_validator

from models.base import Schema, new_id
from models.fields import Id, Moment, QueryBoolean, Slug
from models.pagination import CursorQuery, Page, cursor_page
from models.projects.fields import (
    AccountOrMe,
    Actor,
    Archived,
    Commas,
    Order,
    Search,
    account_named,
    exactly_one,
    sorted_by,
)
from models.projects.members.role_checks import MemberRow
from models.projects.projects.activity import record_activity
from models.projects.projects.rows import ProjectRow, project_with
from models.storage.database import writing

ProjectStatus = Literal["active", "paused", "completed"]
DOCS_NAME = "Documentation"


class DocsSlugTaken(RuntimeError):
    """An ordinary project holds the slug of the docs project: no start."""


class Project(Schema):
    id: Id
    slug: Slug
    name: str
    description: str | None
    status: ProjectStatus
    owner_id: Id
    builtin: bool
    created_at: Moment
    updated_at: Moment
    archived_at: Moment | None


class ListProjects(CursorQuery):
    status: Commas[ProjectStatus] | None = None
    archived: Archived = "exclude"
    builtin: QueryBoolean | None = None
    member_id: AccountOrMe | None = None
    owner_id: Id | None = None
    q: Search | None = None
    updated_after: Moment | None = None
    updated_before: Moment | None = None
    sort: Literal["name", "createdAt", "updatedAt"] = "name"
    order: Order | None = None


class GetProject(Schema):
    id: Id | None = None
    slug: Slug | None = None

    @model_validator(mode="after")
    def _one(self) -> "GetProject":
        exactly_one(self, "id", "slug")
        return self


SORTS = {
    "name": ProjectRow.name,
    "createdAt": ProjectRow.created_at,
    "updatedAt": ProjectRow.updated_at,
}


def projects_listed(query: ListProjects, actor: Actor) -> Page[ProjectRow]:
    rows = ProjectRow.select()
    if query.status is not None:
        rows = rows.where(ProjectRow.status.in_(query.status))
    if query.archived != "include":
        is_archived = ProjectRow.archived_at.is_null(query.archived != "only")
        rows = rows.where(is_archived)
    if query.builtin is not None:
        rows = rows.where(ProjectRow.builtin == query.builtin)
    account = account_named(query.member_id, actor, "memberId")
    if account is not None:
        of_account = MemberRow.account_id == account
        members = MemberRow.select(MemberRow.project).where(of_account)
        rows = rows.where(ProjectRow.id.in_(members))
    if query.owner_id is not None:
        rows = rows.where(ProjectRow.owner_id == query.owner_id)
    if query.q is not None:
        found = ProjectRow.slug.contains(query.q) | ProjectRow.name.contains(query.q)
        rows = rows.where(found)
    if query.updated_after is not None:
        rows = rows.where(ProjectRow.updated_at >= query.updated_after)
    if query.updated_before is not None:
        rows = rows.where(ProjectRow.updated_at < query.updated_before)
    return cursor_page(
        rows, query, *sorted_by(SORTS[query.sort], query.order, ProjectRow.id)
    )


def project_got(query: GetProject) -> ProjectRow:
    return project_with(query.id, slug=query.slug)


def docs_project() -> ProjectRow:
    """Return the built-in project, whose published documents are the public docs."""
    return ProjectRow.get(ProjectRow.builtin)


def ensure_docs_project(now: datetime, *, slug: str, owner_id: str) -> ProjectRow:
    """
    Make the docs project of a new installation; later starts change nothing.

    Raise DocsSlugTaken when an ordinary project has the slug: it is never
    converted. The write lock lets two processes that start together make one.
    """
    with writing():
        found = ProjectRow.get_or_none(ProjectRow.builtin)
        if found is not None:
            return found
        if ProjectRow.select().where(ProjectRow.slug == slug).exists():
            raise DocsSlugTaken(
                f"An ordinary project has the slug '{slug}', which the built-in docs"
                " project needs. Set MASTHEAD_DOCS_SLUG to another one."
            )
        return _make_docs_project(now, slug, owner_id)


def _make_docs_project(now: datetime, slug: str, owner_id: str) -> ProjectRow:
    project = ProjectRow.create(
        id=new_id(now),
        slug=slug,
        name=DOCS_NAME,
        status="active",
        owner_id=owner_id,
        builtin=True,
        created_at=now,
        updated_at=now,
    )
    MemberRow.create(
        project=project.id, account_id=owner_id, role="owner", created_at=now
    )
    platform = Actor("account", owner_id)
    record_activity(project, "project.created", project.id, platform, now, builtin=True)
    return project
