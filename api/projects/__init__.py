"""The operations on projects, and what can refuse a change in any of them."""

from models.errors import Archived, ProjectArchived, RoleRequired, VersionConflict

PROJECT_CHANGE = (RoleRequired, ProjectArchived)
# Of something that can be archived itself.
ENTITY_CHANGE = (*PROJECT_CHANGE, Archived)
# With the version that the caller has seen.
VERSIONED_CHANGE = (*ENTITY_CHANGE, VersionConflict)
