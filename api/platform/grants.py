"""Describe the caller as a key that grants scopes, rates and lifetimes to others."""

from api.operation import Call
from models.errors import (
    KeyNotActive,
    KeyReplaced,
    LifetimeNotGrantable,
    RateNotGrantable,
    ScopeNotGrantable,
)
from models.platform.grants import Grantor
from models.platform.keys import get_key
from models.platform.rate_limits import Rate

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
