"""Whether a bundle is a project: whole, and saying nothing twice."""

from collections.abc import Callable, Iterable, Iterator
from graphlib import CycleError, TopologicalSorter
from itertools import islice
from typing import Any

from pydantic.alias_generators import to_camel

from models.errors import ReferenceNotFound, ValidationFailed
from models.projects.bundles.bundle import ProjectBundle
from models.projects.work.relationships import SYMMETRIC

# How many errors one refusal tells.
TOLD = 20

# What has an id of its own.
KINDS = (
    "labels",
    "milestones",
    "work",
    "specifications",
    "specification_revisions",
    "documents",
    "document_revisions",
    "comments",
    "references",
    "activity",
)

# What may stand in a project once: the member to name, and what it is told by.
ONCE: tuple[tuple[str, str, Callable[[Any], Any]], ...] = (
    ("membership", "account_id", lambda each: each.account_id),
    ("labels", "name", lambda each: each.name),
    ("work", "number", lambda each: each.number),
    ("specifications", "slug", lambda each: each.slug),
    ("documents", "slug", lambda each: each.slug),
    ("relationships", "target_id", lambda each: stored_relationship(each)),
    (
        "references",
        "url",
        lambda each: each.url and (each.entity_type, each.entity_id, each.url),
    ),
    (
        "references",
        "external_id",
        lambda each: (
            each.external_id
            and (each.entity_type, each.entity_id, each.system, each.external_id)
        ),
    ),
)

# Which members name something else of the bundle, and of what kind it is.
NAMED = (
    ("work", "milestone_id", "milestones"),
    ("specifications", "superseded_by", "specifications"),
    ("specification_revisions", "specification_id", "specifications"),
    ("document_revisions", "document_id", "documents"),
)
ENTITIES = {
    "work": "work",
    "specification": "specifications",
    "document": "documents",
    "milestone": "milestones",
    "comment": "comments",
}

# What of a head its newest revision says as well.
WORDS = (
    ("specifications", "specification", ("title", "content", "status")),
    ("documents", "document", ("title", "content", "summary")),
)

Error = dict[str, str]


def validate_bundle(bundle: ProjectBundle) -> None:
    """Refuse a bundle that no project could have been, and say where."""
    for check in (_ids_twice, _twice, _foreign, _unlike_their_revisions, _rings):
        errors = list(islice(check(bundle), TOLD))
        if errors:
            raise ValidationFailed(_sentence(errors), *errors)
    errors = list(islice(_unknown(bundle), TOLD))
    if errors:
        raise ReferenceNotFound(_sentence(errors), errors=errors)


def stored_relationship(each: Any) -> tuple[str, str, str]:
    """Return source, target and relationship as they are stored: lower id first."""
    source, target = each.source_id, each.target_id
    if each.relationship in SYMMETRIC and target < source:
        source, target = target, source
    return source, target, each.relationship


def _ids_twice(bundle: ProjectBundle) -> Iterator[Error]:
    seen = {bundle.project.id}
    for kind in KINDS:
        for place, each in enumerate(getattr(bundle, kind)):
            if each.id in seen:
                yield _error(kind, place, "id", "Is in the bundle already.")
            seen.add(each.id)


def _twice(bundle: ProjectBundle) -> Iterator[Error]:
    for kind, member, key in ONCE:
        seen = {None}
        for place, each in enumerate(getattr(bundle, kind)):
            if (value := key(each)) is None:
                continue
            if value in seen:
                yield _error(kind, place, member, "Is in the bundle already.")
            seen.add(value)


def _foreign(bundle: ProjectBundle) -> Iterator[Error]:
    for kind in ("membership", *KINDS):
        for place, each in enumerate(getattr(bundle, kind)):
            of = getattr(each, "project_id", None)
            if of is not None and of != bundle.project.id:
                yield _error(kind, place, "project_id", "Is another project.")


def _unlike_their_revisions(bundle: ProjectBundle) -> Iterator[Error]:
    """A head is its newest revision, and there is one for every version."""
    for kind, noun, words in WORDS:
        versions: dict[str, dict[int, Any]] = {}
        for place, each in enumerate(getattr(bundle, f"{noun}_revisions")):
            kept = versions.setdefault(getattr(each, f"{noun}_id"), {})
            if each.version in kept:
                at = (f"{noun}_revisions", place, "version")
                yield _error(*at, "Is in the bundle already.")
            kept[each.version] = each
        for place, head in enumerate(getattr(bundle, kind)):
            for member in _unlike(head, versions.get(head.id, {}), words):
                yield _error(kind, place, member, "Differs from its revisions.")


def _unlike(head: Any, kept: dict[int, Any], words: tuple[str, ...]) -> list[str]:
    """Return the members in which a head is not what was kept of it."""
    if len(kept) != head.version or max(kept, default=0) != head.version:
        return ["version"]
    newest = kept[head.version]
    return [each for each in words if getattr(head, each) != getattr(newest, each)]


def _rings(bundle: ProjectBundle) -> Iterator[Error]:
    """What blocks, or gives way to, another never comes back to itself."""
    for kind in ("blocks", "supersedes"):
        edges = [e for e in bundle.relationships if e.relationship == kind]
        if _is_ring((each.source_id, each.target_id) for each in edges):
            detail = f"Those that are {kind} come back to where they began."
            yield {"pointer": "/bundle/relationships", "code": "ring", "detail": detail}
    for place, each in enumerate(bundle.relationships):
        if each.source_id == each.target_id:
            yield _error("relationships", place, "target_id", "Is the source.")
    lines = [(e.id, e.superseded_by) for e in bundle.specifications if e.superseded_by]
    if _is_ring(lines):
        detail = "A line of supersededBy comes back to where it began."
        yield {"pointer": "/bundle/specifications", "code": "ring", "detail": detail}


def _is_ring(edges: Iterable[tuple[str, str]]) -> bool:
    graph: TopologicalSorter[str] = TopologicalSorter()
    for source, target in edges:
        graph.add(source, target)
    try:
        graph.prepare()
    except CycleError:
        return True
    return False


def _unknown(bundle: ProjectBundle) -> Iterator[Error]:
    ids = {kind: {each.id for each in getattr(bundle, kind)} for kind in KINDS}
    for kind, member, of in NAMED:
        for place, each in enumerate(getattr(bundle, kind)):
            id = getattr(each, member)
            if id is not None and id not in ids[of]:
                yield _error(kind, place, member, f"Is not among the {of}: {id}.")
    for place, item in enumerate(bundle.work):
        for id in set(item.label_ids) - ids["labels"]:
            yield _error("work", place, "label_ids", f"Is not among the labels: {id}.")
    for place, each in enumerate(bundle.relationships):
        if not {each.source_id, each.target_id} & ids["work"]:
            detail = "Neither end is among the work."
            yield _error("relationships", place, "source_id", detail)
    yield from _about_unknown(bundle, ids)


def _about_unknown(bundle: ProjectBundle, ids: dict[str, set[str]]) -> Iterator[Error]:
    """A member may have left; everything else that is told of is there."""
    for kind in ("comments", "references", "activity"):
        for place, each in enumerate(getattr(bundle, kind)):
            type, id = each.entity_type, each.entity_id
            known = ids[ENTITIES[type]] if type in ENTITIES else {bundle.project.id}
            if type != "member" and id not in known:
                told = f"Is no {type} of the bundle: {id}."
                yield _error(kind, place, "entity_id", told)


def _error(kind: str, place: int, member: str, detail: str) -> Error:
    told = "members" if kind == "membership" else to_camel(kind)
    pointer = f"/bundle/{told}/{place}/{to_camel(member)}"
    return {"pointer": pointer, "code": "bundle", "detail": detail}


def _sentence(errors: list[Error]) -> str:
    return f"{errors[0]['pointer']}: {errors[0]['detail']}"
