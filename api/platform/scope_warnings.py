"""Warn callers of scopes that open no operation, which are accepted all the same."""

from api.operation import operation_scopes
from models.platform.developer_keys import CreateDeveloperKey
from models.platform.keys import CreateKey, UpdateKey
from models.platform.scope_warnings import scope_warning


def warn_of_unknown_scopes(
    request: CreateKey | UpdateKey | CreateDeveloperKey,
) -> str | None:
    """Return a sentence about the unknown scopes of the request, None without any."""
    return scope_warning(request.scopes or (), operation_scopes())
