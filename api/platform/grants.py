"""Check which scopes a caller may grant to a key."""

from api.operation import Call
from models.errors import ScopeNotGrantable
from models.platform.scopes import ESCALATE, not_grantable


def require_grantable(call: Call, scopes: list[str]) -> None:
    """Raise ScopeNotGrantable if the caller may not grant all of the scopes."""
    granted = call.caller.scopes
    if call.settings.grant_policy == "open":
        granted = (*granted, ESCALATE)
    rejected = not_grantable(scopes, granted, call.settings.public_scopes)
    if rejected:
        raise ScopeNotGrantable(
            "This key may not grant some of the scopes.", scopes=rejected
        )
