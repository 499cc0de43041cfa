"""What a caller grants: as which key, and with which warnings."""

from api.operation import Call, operation_scopes
from models.errors import (
    KeyNotActive,
    KeyReplaced,
    LifetimeNotGrantable,
    RateNotGrantable,
    ScopeNotGrantable,
)
from models.platform.developer_keys import CreateDeveloperKey
from models.platform.grants import Grantor
from models.platform.keys import CreateKey, UpdateKey, get_key
from models.platform.rate_limits import Rate
from models.platform.scopes import scope_warning

# What the operations that issue, update or rotate keys may refuse.
GRANT_ERRORS = (ScopeNotGrantable, RateNotGrantable, LifetimeNotGrantable)
ROTATION_ERRORS = (KeyNotActive, KeyReplaced)


def grantor(call: Call) -> Grantor:
    """Return the calling key with what the settings say about grants."""
    settings = call.settings
    return Grantor(
        key=get_key(call.caller.key_id),
        public_scopes=settings.public_scopes,
        default_rate=Rate(settings.default_rate_capacity, settings.default_rate_refill),
        is_policy_open=settings.grant_policy == "open",
    )


def warn_of_unknown_scopes(
    request: CreateKey | UpdateKey | CreateDeveloperKey,
) -> str | None:
    """Return a sentence about the unknown scopes of the request, None without any."""
    return scope_warning(request.scopes or (), operation_scopes())
