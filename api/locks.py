"""
Say what a mutation locks while it writes, for the parameter `locks` of @operation.

What each rule relies on is in models/storage/engines/postgresql_locks.py.
"""

from dataclasses import replace
from typing import Any

from api.operation import Caller, LocksOf
from models.storage.write_locks import (
    ALONE,
    WriteLocks,
    key_locks,
    owner_locks,
    project_locks,
)

# The types of entities that comments and references are on.
_ENTITY_TABLES = {
    "comment": "comment",
    "document": "document",
    "milestone": "milestone",
    "project": "project",
    "specification": "specification",
    "work": "work_item",
}


def in_project(request: Any, _: Caller) -> WriteLocks:
    return project_locks(request.project_id)


def of_row(table: str, field: str = "id") -> LocksOf:
    """Lock the project of the row of the table that the field names."""
    return lambda request, _: owner_locks(table, getattr(request, field))


def of_entity(request: Any, _: Caller) -> WriteLocks:
    if request.entity_type == "member":
        return project_locks(request.project_id)
    return owner_locks(_ENTITY_TABLES[request.entity_type], request.entity_id)


def of_label(request: Any, _: Caller) -> WriteLocks:
    # Without a project the label is global, and its name unique in all projects.
    return ALONE if request.project_id is None else project_locks(request.project_id)


def of_relationship(request: Any, _: Caller) -> WriteLocks:
    ends = (request.source_id, request.target_id)
    return owner_locks("work_item", *ends, names=("relationships",))


def of_items(request: Any, _: Caller) -> WriteLocks:
    return owner_locks("work_item", *request.ids)


def of_new_items(request: Any, _: Caller) -> WriteLocks:
    # Relationships may be with items of any project.
    return ALONE if request.relationships else project_locks(request.project_id)


def of_new_file(request: Any, _: Caller) -> WriteLocks:
    return replace(project_locks(request.project_id), names=("files",))


def of_file(request: Any, _: Caller) -> WriteLocks:
    return owner_locks("file", request.id, names=("files",))


def of_new_import(request: Any, caller: Caller) -> WriteLocks:
    # Without a project it is that of the docs, whose id is not known yet.
    return ALONE if request.project_id is None else of_new_file(request, caller)


def of_import(request: Any, _: Caller) -> WriteLocks:
    return owner_locks("document_import", request.id, names=("files",))


def of_new_key(_: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id)


def of_key(request: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id, request.id)


def of_new_own_key(_: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id, account=caller.own_account)


def of_rotated_own_key(request: Any, caller: Caller) -> WriteLocks:
    return key_locks(caller.key_id, request.id, account=caller.own_account)
