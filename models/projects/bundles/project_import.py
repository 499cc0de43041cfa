"""Import a project from a bundle, with new ids."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from peewee import chunked, fn
from pydantic import Field

from models.base import Schema, new_id
from models.errors import LimitExceeded, SlugTaken
from models.fields import EXAMPLE_ID, OTHER_ID, Id, MayOmit, Slug
from models.projects import descriptions
from models.projects.bundles.bundle import BundledDocument, ProjectBundle
from models.projects.bundles.bundle_validation import (
    BundledIds,
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
from models.projects.fields import Actor, OwnerId
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

# What is inserted together.
MAX_ROWS, MAX_CHARACTERS = 500, 1_000_000

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

# The lists whose entities are found by searching: the type, title and body of each.
TEXTS: dict[str, Callable[[Any], tuple[str, str, str]]] = {
    "work": lambda item: ("work", item.title, item.description or ""),
    "specifications": lambda head: ("specification", head.title, head.content),
    "documents": lambda head: (
        "document",
        head.title,
        with_summary(head.summary, head.content),
    ),
    "comments": lambda comment: ("comment", "", comment.content),
}

Ids = dict[str, str]
Values = dict[str, Any]


class ImportProject(Schema):
    slug: Slug = Field(description="The slug of the new project.", examples=["harbour"])
    name: Annotated[MayOmit[ProjectName], descriptions.NAME] = None
    owner_id: OwnerId
    membership: Annotated[Literal["keep", "drop"], Field(alias="members")] = Field(
        default="keep", description="Whether to import the members."
    )
    bundle: ProjectBundle = Field(
        description="The bundle that projects/export returned."
    )


class Dropped(Schema):
    relationships: Annotated[int, descriptions.RELATIONSHIPS]


class ImportedProject(Schema):
    """The project, the new id of each id of the bundle, and the counts."""

    project: Annotated[Project, descriptions.PROJECT]
    ids: dict[Id, Id] = Field(
        description="The new IDs, by ID in the bundle.",
        examples=[{OTHER_ID: EXAMPLE_ID}],
    )
    counts: Counts = Field(
        description="The number of imported objects of each type.",
        examples=[{"work": 12, "documents": 3}],
    )
    dropped: Dropped = Field(description="References that could not be imported.")


class PreparedImport(NamedTuple):
    old_ids: BundledIds
    files: CleanedFiles


@contextmanager
def prepared_import(request: ImportProject) -> Iterator[PreparedImport]:
    """Validate the bundle and clean its files, which takes long and needs no query."""
    old_ids = validate_bundle(request.bundle)
    with cleaned_files(request.bundle) as cleaned:
        yield PreparedImport(old_ids, cleaned)


def import_project(
    request: ImportProject,
    prepared: PreparedImport,
    now: datetime,
    actor: Actor,
    *,
    files_max_bytes: int,
) -> ImportedProject:
    """
    Create a project from a bundle, with its numbers, versions, times and authors.

    `prepared` is what `prepared_import` provides.

    New ids sort like the old ones, since lists use the id as the last sort key.
    """
    bundle = request.bundle
    if ProjectRow.select().where(ProjectRow.slug == request.slug).exists():
        raise SlugTaken(f"There already is a project with the slug '{request.slug}'.")
    ids = _new_ids(bundle.project.id, prepared.old_ids, now)
    project = _create_project(request, ids)
    _insert(MemberRow, _memberships(request, project, now))
    _create_labels(bundle, ids)
    dropped = _create_entities(bundle, ids, prepared.old_ids)
    create_files(bundle, ids, prepared.files, project, files_max_bytes)
    is_of_project = WorkItemRow.project == project.id
    newest = WorkItemRow.select(fn.MAX(WorkItemRow.number)).where(is_of_project)
    project.last_number = newest.scalar() or 0
    project.save()
    counts = count_project_rows(project)
    record_activity(
        project,
        "project.imported",
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


def _new_ids(project_id: str, old_ids: BundledIds, now: datetime) -> Ids:
    ids = {project_id: new_id(now)}
    for old in old_ids.values():
        new = sorted(new_id(now) for _ in old)
        ids.update(zip(sorted(old), new, strict=True))
    return ids


def _create_project(request: ImportProject, ids: Ids) -> ProjectRow:
    values = request.bundle.project.all_fields() | {
        "id": ids[request.bundle.project.id],
        "slug": request.slug,
        "owner_id": request.owner_id,
        # The only built-in project is created by the server itself.
        "builtin": False,
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
    rows: list[Values] = []
    for label in bundle.labels:
        if label.name in global_ids:
            ids[label.id] = global_ids[label.name]
            continue
        values = _row_values(label, ids, "is_global")
        rows.append(values | {"project_id": project_id})
        if len(rows) > MAX_PROJECT_LABELS:
            raise LimitExceeded(
                f"A project has at most {MAX_PROJECT_LABELS} labels of its own."
            )
    _insert(LabelRow, rows)


def _create_entities(bundle: ProjectBundle, ids: Ids, old_ids: BundledIds) -> Dropped:
    dropped = 0
    for kind, (row, omitted) in ROWS.items():
        for batch in _batches(getattr(bundle, kind)):
            _insert(row, (_row_values(entity, ids, *omitted) for entity in batch))
            if kind == "work":
                dropped += _create_links(batch, ids, old_ids["specifications"])
            if kind in TEXTS:
                index_texts(_indexed_texts(kind, batch, bundle, ids))
    dropped += _create_relationships(bundle, ids, old_ids["work"])
    return Dropped(relationships=dropped)


def _create_links(items: list[Any], ids: Ids, specification_ids: set[str]) -> int:
    """Create the links of work items; return how many specifications were dropped."""
    dropped = 0
    for name, kind in LINK_KINDS.items():
        rows = []
        for item in items:
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


def _create_relationships(bundle: ProjectBundle, ids: Ids, item_ids: set[str]) -> int:
    """Create the relationships in the project; return how many were dropped."""
    dropped = 0
    for batch in _batches(bundle.relationships):
        rows = []
        for relationship in batch:
            source, target, type = stored_relationship(relationship)
            if source in item_ids and target in item_ids:
                ends = {"source_id": ids[source], "target_id": ids[target]}
                rows.append(relationship.all_fields() | ends | {"relationship": type})
        _insert(WorkRelationshipRow, rows)
        dropped += len(batch) - len(rows)
    return dropped


def _indexed_texts(
    kind: str, entities: list[Any], bundle: ProjectBundle, ids: Ids
) -> Iterator[Values]:
    """Yield the rows of the search index."""
    for entity in entities:
        type, title, body = TEXTS[kind](entity)
        if title or body:
            row = {"project_id": ids[bundle.project.id], "entity_id": ids[entity.id]}
            yield row | {"entity_type": type, "title": title, "body": body}


def _row_values(entity: Schema, ids: Ids, *omitted: str) -> Values:
    """Return the columns of an entity's row, with the new ids."""
    values = {
        name: value
        for name, value in entity.all_fields().items()
        if name not in omitted
    }
    if isinstance(entity, BundledDocument):
        values["path"] = entity.place
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
    for batch in chunked(rows, MAX_ROWS):
        model.insert_many(batch).execute()


def _batches(entities: Iterable[Schema]) -> Iterator[list[Any]]:
    """Yield entities that are inserted together: few, if their texts are long."""
    batch: list[Any] = []
    characters = 0
    for entity in entities:
        batch.append(entity)
        texts = (text for text in entity.all_fields().values() if isinstance(text, str))
        characters += sum(map(len, texts))
        if len(batch) == MAX_ROWS or characters > MAX_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch
