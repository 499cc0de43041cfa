"""Importing a project from a bundle: with new ids, and else as it was."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Annotated, Any, Literal

from pydantic import Field

from models.base import Schema, new_id
from models.errors import LimitExceeded, SlugTaken
from models.fields import Id, MayOmit, Slug
from models.projects.bundles.bundle import ProjectBundle
from models.projects.bundles.bundle_validation import KINDS, require_whole, stored_ends
from models.projects.discussion.rows import CommentRow, ExternalReferenceRow
from models.projects.documents.revisions import DocumentRevision
from models.projects.documents.rows import DocumentRevisionRow, DocumentRow, digest_of
from models.projects.fields import Actor
from models.projects.members.members import MOST_MEMBERS, ProjectMember
from models.projects.members.role_checks import MemberRow
from models.projects.planning.labels import MOST_LABELS
from models.projects.planning.rows import LabelRow, MilestoneRow
from models.projects.projects.activity import (
    ActivityRow,
    ProjectActivity,
    record_activity,
)
from models.projects.projects.lifecycle import ProjectName
from models.projects.projects.projects import Project
from models.projects.projects.purge import Counts, held_by
from models.projects.projects.rows import ProjectRow
from models.projects.search.text_index import index_texts
from models.projects.specifications.revisions import SpecificationRevision
from models.projects.specifications.rows import (
    SpecificationRevisionRow,
    SpecificationRow,
)
from models.projects.work.links import TIES
from models.projects.work.rows import WorkItemRow, WorkRelationshipRow

# Rows for one statement.
AT_ONCE = 500

# The members that name something of the bundle.
NAMES = {
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

# What is kept of a bundle as it is, each after what it names: its row, and the
# members that stand elsewhere.
ROWS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "milestones": (MilestoneRow, ()),
    "specifications": (SpecificationRow, ("content",)),
    "specification_revisions": (SpecificationRevisionRow, ()),
    "documents": (DocumentRow, ("content",)),
    "document_revisions": (DocumentRevisionRow, ()),
    "work": (WorkItemRow, tuple(TIES)),
    "comments": (CommentRow, ()),
    "references": (ExternalReferenceRow, ()),
    "activity": (ActivityRow, ()),
}

Ids = dict[str, str]
Members = dict[str, Any]


class ImportProject(Schema):
    slug: Slug
    name: MayOmit[ProjectName] = None
    owner_id: Id
    membership: Annotated[Literal["keep", "drop"], Field(alias="members")] = "keep"
    bundle: ProjectBundle


class Dropped(Schema):
    relationships: int


class ImportedProject(Schema):
    """The project, what each id of the bundle is now, and how much there is."""

    project: Project
    ids: dict[Id, Id]
    counts: Counts
    dropped: Dropped


def import_project(
    request: ImportProject, now: datetime, actor: Actor
) -> ImportedProject:
    """
    Make a project of the bundle; numbers, versions, times and authors stay.

    Ids keep their order, since what is equal otherwise is ordered by them.
    """
    bundle = request.bundle
    if ProjectRow.select().where(ProjectRow.slug == request.slug).exists():
        raise SlugTaken(f"There already is a project with the slug '{request.slug}'.")
    require_whole(bundle)
    ids = _new_ids(bundle, now)
    project = _keep_project(request, ids)
    _keep(MemberRow, _members(request, project, now))
    _keep_labels(bundle, ids)
    dropped = _keep_things(bundle, ids)
    for texts in _in_batches(_texts(bundle, ids)):
        index_texts(texts)
    counts = held_by(project)
    told = {"sourceSlug": bundle.project.slug, "counts": counts}
    told["dropped"] = dropped.to_json()
    record_activity(project, "project.imported", project.id, actor, now, **told)
    return ImportedProject(
        project=Project.model_validate(project),
        ids=ids,
        counts=counts,
        dropped=dropped,
    )


def _new_ids(bundle: ProjectBundle, now: datetime) -> Ids:
    ids = {bundle.project.id: new_id(now)}
    for kind in KINDS:
        old = sorted(each.id for each in getattr(bundle, kind))
        ids |= dict(zip(old, sorted(new_id(now) for _ in old), strict=True))
    return ids


def _keep_project(request: ImportProject, ids: Ids) -> ProjectRow:
    members = request.bundle.project.all_fields() | {
        "id": ids[request.bundle.project.id],
        "slug": request.slug,
        "owner_id": request.owner_id,
        # There is one built-in project, and it is not made by import.
        "builtin": False,
        "last_number": max((each.number for each in request.bundle.work), default=0),
    }
    if request.name is not None:
        members["name"] = request.name
    return ProjectRow.create(**members)


def _members(
    request: ImportProject, project: ProjectRow, now: datetime
) -> list[Members]:
    """Return who belongs to it: whoever answers for it as an owner, in any case."""
    found = {each.account_id: each for each in request.bundle.membership}
    owner = found.get(request.owner_id) or ProjectMember(
        project_id=project.id, account_id=request.owner_id, role="owner", created_at=now
    )
    kept = found if request.membership == "keep" else {}
    kept[request.owner_id] = owner.model_copy(update={"role": "owner"})
    if len(kept) > MOST_MEMBERS:
        raise LimitExceeded(f"A project has at most {MOST_MEMBERS} members.")
    return [each.all_fields() | {"project_id": project.id} for each in kept.values()]


def _keep_labels(bundle: ProjectBundle, ids: Ids) -> None:
    """Use the global label of the name where there is one; make the others."""
    project = ids[bundle.project.id]
    found = LabelRow.select().where(LabelRow.project.is_null())
    existing = {each.name: each.id for each in found}
    made = []
    for each in bundle.labels:
        if each.name in existing:
            ids[each.id] = existing[each.name]
        else:
            made.append(_renamed(each, ids, "is_global") | {"project_id": project})
    if len(made) > MOST_LABELS:
        raise LimitExceeded(f"A project has at most {MOST_LABELS} labels of its own.")
    _keep(LabelRow, made)


def _keep_things(bundle: ProjectBundle, ids: Ids) -> Dropped:
    for kind, (row, aside) in ROWS.items():
        things = getattr(bundle, kind)
        _keep(row, (_renamed(each, ids, *aside) for each in things))
    return Dropped(
        relationships=_keep_ties(bundle, ids) + _keep_relationships(bundle, ids)
    )


def _keep_ties(bundle: ProjectBundle, ids: Ids) -> int:
    """Tie the items as they were; return how many specifications are elsewhere."""
    ours = {each.id for each in bundle.specifications}
    dropped = 0
    for name, kind in TIES.items():
        rows = []
        for item in bundle.work:
            held = getattr(item, name)
            if name == "specifications":
                held = [each for each in held if each.specification_id in ours]
                dropped += len(item.specifications) - len(held)
            work = {"work": ids[item.id]}
            rows += [_with_new(kind.written(each), ids) | work for each in held]
        _keep(kind.row, rows)
    return dropped


def _keep_relationships(bundle: ProjectBundle, ids: Ids) -> int:
    """Relate the items as they were; return how many have one end elsewhere."""
    ours = {each.id for each in bundle.work}
    rows = []
    for each in bundle.relationships:
        source, target, relationship = stored_ends(each)
        if source in ours and target in ours:
            ends = {"source_id": ids[source], "target_id": ids[target]}
            rows.append(each.all_fields() | ends | {"relationship": relationship})
    _keep(WorkRelationshipRow, rows)
    return len(bundle.relationships) - len(rows)


def _texts(bundle: ProjectBundle, ids: Ids) -> Iterator[Members]:
    """Yield what search looks in."""
    project = ids[bundle.project.id]
    words: list[tuple[str, str, str, str]] = [
        *(("work", e.id, e.title, e.description or "") for e in bundle.work),
        *(("specification", e.id, e.title, e.content) for e in bundle.specifications),
        *(("document", e.id, e.title, e.content) for e in bundle.documents),
        *(("comment", e.id, "", e.content) for e in bundle.comments if e.content),
    ]
    for type, id, title, body in words:
        text = {"entity_type": type, "entity_id": ids[id], "title": title, "body": body}
        yield text | {"project_id": project}


def _renamed(each: Schema, ids: Ids, *aside: str) -> Members:
    """Return what of the shape is kept in its row, with the new ids."""
    members = {n: value for n, value in each.all_fields().items() if n not in aside}
    if isinstance(each, SpecificationRevision | DocumentRevision):
        members["size"] = len(each.content.encode())
    if isinstance(each, DocumentRevision):
        members["digest"] = digest_of(each.content)
    if isinstance(each, ProjectActivity):
        members["metadata"] = _told_anew(each.metadata, ids)
    return _with_new(members, ids)


def _with_new(members: Members, ids: Ids) -> Members:
    return {
        name: ids.get(value, value) if name in NAMES and value else value
        for name, value in members.items()
    }


def _told_anew(value: Any, ids: Ids) -> Any:
    """Return what a record tells, with the new ids wherever it names one."""
    if isinstance(value, dict):
        return {name: _told_anew(each, ids) for name, each in value.items()}
    if isinstance(value, list):
        return [_told_anew(each, ids) for each in value]
    return ids.get(value, value) if isinstance(value, str) else value


def _keep(row: Any, members: Iterable[Members]) -> None:
    for batch in _in_batches(members):
        row.insert_many(batch).execute()


def _in_batches(members: Iterable[Members]) -> Iterator[list[Members]]:
    rows = iter(members)
    while batch := list(islice(rows, AT_ONCE)):
        yield batch
