"""Validate the consistency of a bundle: unique ids, known references, no cycles."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any

from pydantic.alias_generators import to_camel

from models.base import MAX_ERRORS
from models.errors import ReferenceNotFound, ValidationFailed
from models.projects.bundles.bundle import ProjectBundle
from models.projects.work.relationships import SYMMETRIC

# The lists of the bundle whose entities have an id.
KINDS = (
    "labels",
    "milestones",
    "work",
    "specifications",
    "specification_revisions",
    "documents",
    "document_revisions",
    "files",
    "comments",
    "references",
    "activity",
)

# Those and the lists whose entities are only unique by what they say.
LISTS = (
    "membership",
    *KINDS,
    "relationships",
    "aliases",
    "pinned_files",
    "file_contents",
)

# What must be unique: the list, the field to report, and the key unless it is None.
UNIQUE_KEYS: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("membership", "account_id", lambda member: member.account_id),
    ("labels", "name", lambda label: label.name),
    ("work", "number", lambda item: item.number),
    ("specifications", "slug", lambda specification: specification.slug),
    ("documents", "slug", lambda document: document.slug),
    (
        "documents",
        "path",
        lambda document: document.collection and (document.collection, document.place),
    ),
    ("files", "name", lambda file: file.name),
    (
        "pinned_files",
        "name",
        lambda pin: (pin.document_id, pin.version, pin.name),
    ),
    ("file_contents", "sha256", lambda content: content.sha256),
    ("aliases", "address", lambda alias: (alias.document_id, alias.address)),
    (
        "relationships",
        "target_id",
        lambda relationship: stored_relationship(relationship),
    ),
    (
        "references",
        "url",
        lambda reference: (
            reference.url
            and (reference.entity_type, reference.entity_id, reference.url)
        ),
    ),
    (
        "references",
        "external_id",
        lambda reference: (
            reference.external_id
            and (
                reference.entity_type,
                reference.entity_id,
                reference.system,
                reference.external_id,
            )
        ),
    ),
)

# The fields that refer to another entity of the bundle, and the list of that entity.
REFERENCES = (
    ("work", "milestone_id", "milestones"),
    ("specifications", "superseded_by", "specifications"),
    ("specification_revisions", "specification_id", "specifications"),
    ("document_revisions", "document_id", "documents"),
    ("aliases", "document_id", "documents"),
    ("pinned_files", "document_id", "documents"),
)
ENTITY_KINDS = {
    "work": "work",
    "specification": "specifications",
    "document": "documents",
    "milestone": "milestones",
    "comment": "comments",
}

# The fields that a head shares with its newest revision.
VERSIONED_FIELDS = (
    ("specifications", "specification", ("title", "content", "status")),
    ("documents", "document", ("title", "content", "summary")),
)

Error = dict[str, str]
BundledIds = dict[str, set[str]]


def validate_bundle(bundle: ProjectBundle) -> BundledIds:
    """
    Return the ids of the bundle by list.

    Raise ValidationFailed or ReferenceNotFound if it is inconsistent; the refusal lists
    the first MAX_ERRORS errors of one kind.
    """
    ids, *conflicts = _conflicts(bundle)
    checks = (_revision_mismatches, _wrong_contents, _wrong_pins, _cycles)
    for found in (*conflicts, *(check(bundle) for check in checks)):
        errors = list(islice(found, MAX_ERRORS))
        if errors:
            raise ValidationFailed(_summary(errors), *errors)
    errors = list(islice(_unknown_ids(bundle, ids), MAX_ERRORS))
    if errors:
        raise ReferenceNotFound(_summary(errors), errors=errors)
    return ids


def stored_relationship(relationship: Any) -> tuple[str, str, str]:
    """Return source, target and type; symmetric ones with the lower id as source."""
    source, target = relationship.source_id, relationship.target_id
    if relationship.relationship in SYMMETRIC and target < source:
        source, target = target, source
    return source, target, relationship.relationship


def _conflicts(
    bundle: ProjectBundle,
) -> tuple[BundledIds, list[Error], list[Error], list[Error]]:
    """
    Return the ids by list, and the first errors of these kinds: repeated ids, repeated
    keys, and ids of other projects.

    This is one pass, since entities are read again for each.
    """
    ids: BundledIds = {kind: set() for kind in KINDS}
    all_ids = {bundle.project.id}
    repeated_ids: list[Error] = []
    repeated_keys: list[Error] = []
    other_projects: list[Error] = []
    for kind in LISTS:
        keys = [
            (field, key_of, {None}) for k, field, key_of in UNIQUE_KEYS if k == kind
        ]
        for index, entity in enumerate(getattr(bundle, kind)):
            if kind in ids:
                if entity.id in all_ids:
                    _note(repeated_ids, _duplicate(kind, index, "id"))
                all_ids.add(entity.id)
                ids[kind].add(entity.id)
            for field, key_of, seen in keys:
                key = key_of(entity)
                if key is not None and key in seen:
                    _note(repeated_keys, _duplicate(kind, index, field))
                seen.add(key)
            project_id = getattr(entity, "project_id", None)
            if project_id is not None and project_id != bundle.project.id:
                detail = "Is not the id of the project."
                _note(other_projects, _error(kind, index, "project_id", detail))
    return ids, repeated_ids, repeated_keys, other_projects


def _note(errors: list[Error], error: Error) -> None:
    if len(errors) < MAX_ERRORS:
        errors.append(error)


def _revision_mismatches(bundle: ProjectBundle) -> Iterator[Error]:
    """Each version needs a revision, and the newest must equal the head."""
    for kind, noun, fields in VERSIONED_FIELDS:
        revisions = getattr(bundle, f"{noun}_revisions")
        # The index of each revision: their contents would take much memory.
        indices: dict[str, dict[int, int]] = {}
        for index, revision in enumerate(revisions):
            by_version = indices.setdefault(getattr(revision, f"{noun}_id"), {})
            if revision.version in by_version:
                yield _duplicate(f"{noun}_revisions", index, "version")
            by_version[revision.version] = index
        for index, head in enumerate(getattr(bundle, kind)):
            by_version = indices.get(head.id, {})
            if not len(by_version) == max(by_version, default=0) == head.version:
                mismatches = ["version"]
            else:
                newest = revisions[by_version[head.version]]
                mismatches = [
                    field
                    for field in fields
                    if getattr(head, field) != getattr(newest, field)
                ]
            for field in mismatches:
                yield _error(kind, index, field, "Does not match its revisions.")


def _wrong_contents(bundle: ProjectBundle) -> Iterator[Error]:
    for index, content in enumerate(bundle.file_contents):
        try:
            is_same = hashlib.sha256(content.decode()).hexdigest() == content.sha256
        except ValueError:
            yield _error("file_contents", index, "data", "Is not Base64.")
            continue
        if not is_same:
            yield _error("file_contents", index, "data", "Does not have the sha256.")


def _wrong_pins(bundle: ProjectBundle) -> Iterator[Error]:
    versions = {document.id: document.version for document in bundle.documents}
    for index, pin in enumerate(bundle.pinned_files):
        if pin.version > versions.get(pin.document_id, pin.version):
            detail = "Is greater than the version of the document."
            yield _error("pinned_files", index, "version", detail)


def _cycles(bundle: ProjectBundle) -> Iterator[Error]:
    for type in ("blocks", "supersedes"):
        edges = (
            (relationship.source_id, relationship.target_id)
            for relationship in bundle.relationships
            if relationship.relationship == type
        )
        if _has_cycle(edges):
            detail = f"The {type} relationships form a cycle."
            yield {"pointer": "/bundle/relationships", "code": "ring", "detail": detail}
    for index, relationship in enumerate(bundle.relationships):
        if relationship.source_id == relationship.target_id:
            yield _error("relationships", index, "target_id", "Is the sourceId, too.")
    supersessions = (
        (specification.id, specification.superseded_by)
        for specification in bundle.specifications
        if specification.superseded_by
    )
    if _has_cycle(supersessions):
        detail = "The specifications supersede each other in a cycle."
        yield {"pointer": "/bundle/specifications", "code": "ring", "detail": detail}


def _has_cycle(edges: Iterable[tuple[str, str]]) -> bool:
    graph: TopologicalSorter[str] = TopologicalSorter()
    for source, target in edges:
        graph.add(source, target)
    try:
        graph.prepare()
    except CycleError:
        return True
    return False


def _unknown_ids(bundle: ProjectBundle, ids: BundledIds) -> Iterator[Error]:
    for kind, field, target_kind in REFERENCES:
        for index, entity in enumerate(getattr(bundle, kind)):
            id = getattr(entity, field)
            if id is not None and id not in ids[target_kind]:
                detail = f"Is not among the {target_kind} of the bundle: {id}."
                yield _error(kind, index, field, detail)
    for index, item in enumerate(bundle.work):
        for id in set(item.label_ids) - ids["labels"]:
            detail = f"Is not among the labels of the bundle: {id}."
            yield _error("work", index, "label_ids", detail)
    for index, relationship in enumerate(bundle.relationships):
        if not {relationship.source_id, relationship.target_id} & ids["work"]:
            detail = "Neither end is among the work of the bundle."
            yield _error("relationships", index, "source_id", detail)
    contents = {content.sha256 for content in bundle.file_contents}
    for kind in ("files", "pinned_files"):
        for index, file in enumerate(getattr(bundle, kind)):
            if file.sha256 not in contents:
                detail = f"Is not among the fileContents of the bundle: {file.sha256}."
                yield _error(kind, index, "sha256", detail)
    yield from _unknown_entities(bundle, ids)


def _unknown_entities(bundle: ProjectBundle, ids: BundledIds) -> Iterator[Error]:
    for kind in ("comments", "references", "activity"):
        for index, entry in enumerate(getattr(bundle, kind)):
            type, id = entry.entity_type, entry.entity_id
            # A member may have left the project, but nothing else.
            if type == "member":
                continue
            known = (
                ids[ENTITY_KINDS[type]] if type in ENTITY_KINDS else {bundle.project.id}
            )
            if id not in known:
                detail = f"The bundle has no {type} with this id: {id}."
                yield _error(kind, index, "entity_id", detail)


def _duplicate(kind: str, index: int, field: str) -> Error:
    return _error(kind, index, field, "Occurs twice in the bundle.")


def _error(kind: str, index: int, field: str, detail: str) -> Error:
    name = "members" if kind == "membership" else to_camel(kind)
    pointer = f"/bundle/{name}/{index}/{to_camel(field)}"
    return {"pointer": pointer, "code": "bundle", "detail": detail}


def _summary(errors: list[Error]) -> str:
    return f"{errors[0]['pointer']}: {errors[0]['detail']}"
