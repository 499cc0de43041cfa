"""
Decide what each mutation locks while it writes.

A mutation that is named nowhere here writes alone. Before one is added, what its rule
relies on is checked against models/storage/engines/postgresql_locks.py.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from api.operation import Caller
from models.base import Schema
from models.storage.write_locks import (
    ALONE,
    SHARED,
    STATUS,
    SUBSCRIPTIONS,
    WriteLocks,
    key_locks,
    owner_locks,
    project_locks,
)

Locks = Callable[[Any], WriteLocks]
# Of changes to keys, which depend on the calling key.
KeyLocks = Callable[[Any, Caller], WriteLocks]

# By the area and the noun of an operation: the table of the row that `id` names.
_TABLES = {
    "comments": "comment",
    "documents": "document",
    "milestones": "milestone",
    "projects": "project",
    "references": "external_reference",
    "specifications": "specification",
    "work-items": "work_item",
}
# The types of entities that comments and references are on.
_ENTITY_TABLES = {
    "comment": "comment",
    "document": "document",
    "milestone": "milestone",
    "project": "project",
    "specification": "specification",
    "work": "work_item",
}


def _in_project(request: Any) -> WriteLocks:
    return project_locks(request.project_id)


def _of_row(noun: str) -> Locks:
    return lambda request: owner_locks(_TABLES[noun], request.id)


def _of_entity(request: Any) -> WriteLocks:
    if request.entity_type == "member":
        return project_locks(request.project_id)
    return owner_locks(_ENTITY_TABLES[request.entity_type], request.entity_id)


def _of_label(request: Any) -> WriteLocks:
    # Without a project the label is global, and its name unique in all projects.
    return ALONE if request.project_id is None else project_locks(request.project_id)


def _of_relationship(request: Any) -> WriteLocks:
    ends = (request.source_id, request.target_id)
    return owner_locks("work_item", *ends, names=("relationships",))


def _of_items(request: Any) -> WriteLocks:
    return owner_locks("work_item", *request.ids)


def _of_new_file(request: Any) -> WriteLocks:
    return replace(project_locks(request.project_id), names=("files",))


def _of_file(request: Any) -> WriteLocks:
    return owner_locks("file", request.id, names=("files",))


def _of_new_import(request: Any) -> WriteLocks:
    # Without a project it is that of the docs, whose id is not known yet.
    return ALONE if request.project_id is None else _of_new_file(request)


def _of_import(request: Any) -> WriteLocks:
    return owner_locks("document_import", request.id, names=("files",))


def _of_new_items(request: Any) -> WriteLocks:
    # Relationships may be with items of any project.
    return ALONE if request.relationships else project_locks(request.project_id)


def _of_new_key(_: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id)


def _of_key(request: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id, request.id)


def _of_new_own_key(_: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id, account=caller.own_account)


def _of_rotated_own_key(request: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id, request.id, account=caller.own_account)


_BY_PROJECT = (
    "documents:create",
    "members:add",
    "members:update",
    "members:remove",
    "milestones:create",
    "specifications:create",
    "work-items:create",
)
_BY_ROW = (
    *("comments:update", "comments:remove"),
    *("documents:update", "documents:publish", "documents:unpublish"),
    *("documents:remove", "documents:restore"),
    *("milestones:update", "milestones:remove", "milestones:restore"),
    *("projects:update", "projects:transfer", "projects:remove", "projects:restore"),
    *("references:update", "references:remove"),
    *("specifications:update", "specifications:supersede"),
    *("specifications:remove", "specifications:restore"),
    *("work-items:update", "work-items:remove", "work-items:restore"),
)
LOCKS: dict[str, Locks | WriteLocks] = {
    **{f"projects:{name}": _in_project for name in _BY_PROJECT},
    **{f"projects:{name}": _of_row(name.partition(":")[0]) for name in _BY_ROW},
    "projects:comments:add": _of_entity,
    "projects:references:add": _of_entity,
    "projects:files:add": _of_new_file,
    "projects:files:remove": _of_file,
    "projects:document-imports:start": _of_new_import,
    "projects:document-imports:add-texts": _of_import,
    "projects:document-imports:add-file": _of_import,
    "projects:document-imports:apply": _of_import,
    "projects:labels:create": _of_label,
    "projects:relationships:add": _of_relationship,
    "projects:relationships:remove": _of_relationship,
    "projects:work-items:bulk-update": _of_items,
    "projects:work-items:bulk-create": _of_new_items,
    "projects:document-revisions:restore": lambda request: owner_locks(
        "document", request.document_id
    ),
    "projects:specification-revisions:restore": lambda request: owner_locks(
        "specification", request.specification_id
    ),
    "status:admin:services:add": STATUS,
    "status:admin:services:update": STATUS,
    "status:admin:incidents:add": STATUS,
    "status:admin:incidents:update": STATUS,
    "status:admin:incidents:remove": STATUS,
    "status:admin:incident-updates:add": STATUS,
    "status:admin:incident-updates:update": STATUS,
    "status:admin:incident-updates:remove": STATUS,
    "status:admin:incident-templates:add": STATUS,
    "status:admin:incident-templates:update": STATUS,
    "status:admin:incident-templates:remove": STATUS,
    "status:admin:maintenance:add": STATUS,
    "status:admin:maintenance:update": STATUS,
    "status:admin:maintenance:remove": STATUS,
    "status:admin:measurements:record": SHARED,
    "status:admin:subscriptions:add": SUBSCRIPTIONS,
    "status:admin:subscriptions:update": SUBSCRIPTIONS,
    "status:admin:subscriptions:remove": SUBSCRIPTIONS,
    "status:admin:subscriptions:rotate-secret": SUBSCRIPTIONS,
    "status:admin:subscriptions:test": SUBSCRIPTIONS,
    "status:admin:deliveries:replay": SUBSCRIPTIONS,
}
KEY_LOCKS: dict[str, KeyLocks] = {
    "platform:keys:add": _of_new_key,
    "platform:keys:update": _of_key,
    "platform:keys:rotate": _of_key,
    "platform:keys:remove": _of_key,
    "platform:developer:keys:create": _of_new_own_key,
    "platform:developer:keys:revoke": _of_key,
    "platform:developer:keys:rotate": _of_rotated_own_key,
}


def write_locks(name: str, request: Schema | None, caller: Caller) -> WriteLocks:
    """Return what the operation of this name locks for the request of the caller."""
    if name in KEY_LOCKS:
        return KEY_LOCKS[name](request, caller)
    locks = LOCKS.get(name, ALONE)
    return locks if isinstance(locks, WriteLocks) else locks(request)
