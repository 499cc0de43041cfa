"""Import a project from a bundle, with new ids."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from models.base import Schema, new_id
from models.errors import LimitExceeded, SlugTaken
from models.fields import Id, MayOmit, Slug
from models.projects.bundles.bundle import ProjectBundle
from models.projects.bundles.bundle_validation import (
    KINDS,
    stored_relationship,
    validate_bundle,
)
from models.projects.bundles.bundled_files import (
    CleanedFiles,
    cleaned_files,
    create_files,
)
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.documents.revisions import DocumentRevision
from models.projects.documents.rows import (
    DocumentAliasRow,
    DocumentRevisionRow,
    DocumentRow,
    digest_of,
)
from models.projects.fields import Actor
from models.projects.members.members import MAX_MEMBERS, ProjectMember
from models.projects.members.rows import MemberRow
from models.projects.planning.labels import MAX_PROJECT_LABELS
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.activity import (
    ActivityRow,
    ProjectActivity,
    record_activity,
)
from models.projects.projects.projects import Project, ProjectName
from models.projects.projects.purge import Counts, count_project_rows
from models.projects.projects.rows import ProjectRow
from models.projects.search.text_index import index_texts, with_summary
from models.projects.specifications.revisions import SpecificationRevision
from models.projects.specifications.rows import (
    SpecificationRevisionRow,
    SpecificationRow,
)
from models.projects.work.links import LINK_KINDS
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow

# Rows per INSERT statement.
BATCH_SIZE = 500

# The fields that refer to an entity of the bundle.
ID_FIELDS = {
    "id",
    "project_id",
    "entity_id",
    "milestone_id",
    "specification_id",
    "document_id",
    "superseded_by",
    "label",
    "specification",
}

# The lists of a bundle, in the order of their foreign keys: the row of each, and the
# fields that the row does not have.
ROWS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "milestones": (MilestoneRow, ()),
    "specifications": (SpecificationRow, ("content",)),
    "specification_revisions": (SpecificationRevisionRow, ()),
    "documents": (DocumentRow, ("content",)),
    "document_revisions": (DocumentRevisionRow, ()),
    "aliases": (DocumentAliasRow, ()),
    "work": (WorkItemRow, tuple(LINK_KINDS)),
    "comments": (CommentRow, ()),
    "references": (ExternalReferenceRow, ()),
    "activity": (ActivityRow, ()),
}

Ids = dict[str, str]
Values = dict[str, Any]


class ImportProject(Schema):
    slug: Slug
    name: MayOmit[ProjectName] = None
    owner_id: Id
    membership: Annotated[Literal["keep", "drop"], Field(alias="members")] = "keep"
    bundle: ProjectBundle


class Dropped(Schema):
    relationships: int


class ImportedProject(Schema):
    """The project, the new id of each id of the bundle, and the counts."""

    project: Project
    ids: dict[Id, Id]
    counts: Counts
    dropped: Dropped


@contextmanager
def prepared_import(request: ImportProject) -> Iterator[CleanedFiles]:
    """Validate the bundle and clean its files, which takes long and needs no query."""
    validate_bundle(request.bundle)
    with cleaned_files(request.bundle) as cleaned:
        yield cleaned


def import_project(
    request: ImportProject,
    files: CleanedFiles,
    now: datetime,
    actor: Actor,
    *,
    files_max_bytes: int,
) -> ImportedProject:
    """
    Create a project from a bundle, with its numbers, versions, times and authors.

    `files` are those of the bundle as `prepared_import` provides them.

    New ids sort like the old ones, since lists use the id as the last sort key.
    """
    bundle = request.bundle
    if ProjectRow.select().where(ProjectRow.slug == request.slug).exists():
        raise SlugTaken(f"There already is a project with the slug '{request.slug}'.")
    ids = _new_ids(bundle, now)
    project = _create_project(request, ids)
    _insert(MemberRow, _memberships(request, project, now))
    _create_labels(bundle, ids)
    dropped = _create_entities(bundle, ids)
    create_files(bundle, ids, files, project, files_max_bytes)
    for batch in _batches(_indexed_texts(bundle, ids)):
        index_texts(batch)
    counts = count_project_rows(project)
    record_activity(
        project,
        "project.imported",
        project.id,
        actor,
        now,
        sourceSlug=bundle.project.slug,
        counts=counts,
        dropped=dropped.to_json(),
    )
    return ImportedProject(
        project=Project.model_validate(project),
        ids=ids,
        counts=counts,
        dropped=dropped,
    )


def _new_ids(bundle: ProjectBundle, now: datetime) -> Ids:
    ids = {bundle.project.id: new_id(now)}
    for kind in KINDS:
        old_ids = sorted(entity.id for entity in getattr(bundle, kind))
        new_ids = sorted(new_id(now) for _ in old_ids)
        ids |= dict(zip(old_ids, new_ids, strict=True))
    return ids


def _create_project(request: ImportProject, ids: Ids) -> ProjectRow:
    values = request.bundle.project.all_fields() | {
        "id": ids[request.bundle.project.id],
        "slug": request.slug,
        "owner_id": request.owner_id,
        # The only built-in project is created by the server itself.
        "builtin": False,
        "last_number": max((item.number for item in request.bundle.work), default=0),
    }
    if request.name is not None:
        values["name"] = request.name
    return ProjectRow.create(**values)


def _memberships(
    request: ImportProject, project: ProjectRow, now: datetime
) -> list[Values]:
    """Return the rows of the members; the owner of the project always is one."""
    members = {member.account_id: member for member in request.bundle.membership}
    owner = members.get(request.owner_id) or ProjectMember(
        project_id=project.id, account_id=request.owner_id, role="owner", created_at=now
    )
    if request.membership == "drop":
        members = {}
    members[request.owner_id] = owner.model_copy(update={"role": "owner"})
    if len(members) > MAX_MEMBERS:
        raise LimitExceeded(f"A project has at most {MAX_MEMBERS} members.")
    return [
        member.all_fields() | {"project_id": project.id} for member in members.values()
    ]


def _create_labels(bundle: ProjectBundle, ids: Ids) -> None:
    """Use the global labels with the same names, and create the other labels."""
    project_id = ids[bundle.project.id]
    query = LabelRow.select().where(LabelRow.project.is_null())
    global_ids = {label.name: label.id for label in query}
    rows = []
    for label in bundle.labels:
        if label.name in global_ids:
            ids[label.id] = global_ids[label.name]
        else:
            values = _row_values(label, ids, "is_global")
            rows.append(values | {"project_id": project_id})
    if len(rows) > MAX_PROJECT_LABELS:
        raise LimitExceeded(
            f"A project has at most {MAX_PROJECT_LABELS} labels of its own."
        )
    _insert(LabelRow, rows)


def _create_entities(bundle: ProjectBundle, ids: Ids) -> Dropped:
    for kind, (row, omitted) in ROWS.items():
        entities = getattr(bundle, kind)
        _insert(row, (_row_values(entity, ids, *omitted) for entity in entities))
    return Dropped(
        relationships=_create_links(bundle, ids) + _create_relationships(bundle, ids)
    )


def _create_links(bundle: ProjectBundle, ids: Ids) -> int:
    """Create the links of work items; return how many specifications were dropped."""
    specification_ids = {specification.id for specification in bundle.specifications}
    dropped = 0
    for name, kind in LINK_KINDS.items():
        rows = []
        for item in bundle.work:
            links = getattr(item, name)
            if name == "specifications":
                links = [
                    link for link in links if link.specification_id in specification_ids
                ]
                dropped += len(item.specifications) - len(links)
            work = {"work": ids[item.id]}
            rows += [_with_new_ids(kind.to_columns(link), ids) | work for link in links]
        _insert(kind.row, rows)
    return dropped


def _create_relationships(bundle: ProjectBundle, ids: Ids) -> int:
    """Create the relationships in the project; return how many were dropped."""
    item_ids = {item.id for item in bundle.work}
    rows = []
    for relationship in bundle.relationships:
        source, target, type = stored_relationship(relationship)
        if source in item_ids and target in item_ids:
            ends = {"source_id": ids[source], "target_id": ids[target]}
            rows.append(relationship.all_fields() | ends | {"relationship": type})
    _insert(WorkRelationshipRow, rows)
    return len(bundle.relationships) - len(rows)


def _indexed_texts(bundle: ProjectBundle, ids: Ids) -> Iterator[Values]:
    """Yield the rows of the search index."""
    project_id = ids[bundle.project.id]
    texts: list[tuple[str, str, str, str]] = [
        *(("work", i.id, i.title, i.description or "") for i in bundle.work),
        *(("specification", s.id, s.title, s.content) for s in bundle.specifications),
        *(
            ("document", d.id, d.title, with_summary(d.summary, d.content))
            for d in bundle.documents
        ),
        *(("comment", c.id, "", c.content) for c in bundle.comments if c.content),
    ]
    for type, id, title, body in texts:
        row = {"entity_type": type, "entity_id": ids[id], "title": title, "body": body}
        yield row | {"project_id": project_id}


def _row_values(entity: Schema, ids: Ids, *omitted: str) -> Values:
    """Return the columns of an entity's row, with the new ids."""
    values = {
        name: value
        for name, value in entity.all_fields().items()
        if name not in omitted
    }
    if isinstance(entity, SpecificationRevision | DocumentRevision):
        values["size"] = len(entity.content.encode())
    if isinstance(entity, DocumentRevision):
        values["digest"] = digest_of(entity.content)
    if isinstance(entity, ProjectActivity):
        values["metadata"] = _replace_ids(entity.metadata, ids)
    return _with_new_ids(values, ids)


def _with_new_ids(values: Values, ids: Ids) -> Values:
    return {
        name: ids.get(value, value) if name in ID_FIELDS and value else value
        for name, value in values.items()
    }


def _replace_ids(value: Any, ids: Ids) -> Any:
    """Replace the old ids anywhere in the metadata of an activity record."""
    if isinstance(value, dict):
        return {name: _replace_ids(item, ids) for name, item in value.items()}
    if isinstance(value, list):
        return [_replace_ids(item, ids) for item in value]
    return ids.get(value, value) if isinstance(value, str) else value


def _insert(model: Any, rows: Iterable[Values]) -> None:
    for batch in _batches(rows):
        model.insert_many(batch).execute()


def _batches(rows: Iterable[Values]) -> Iterator[list[Values]]:
    iterator = iter(rows)
    while batch := list(islice(iterator, BATCH_SIZE)):
        yield batch
