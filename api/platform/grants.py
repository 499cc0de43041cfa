"""What a caller may put into a key."""

from api.operation import Call
from models.errors import ScopeNotGrantable
from models.platform.scopes import ESCALATE, not_grantable


def require_grantable(call: Call, scopes: list[str]) -> None:
    """Refuse scopes beyond the caller's own; an open policy lets all escalate."""
    held = call.caller.scopes
    if call.settings.grant_policy == "open":
        held = (*held, ESCALATE)
    refused = not_grantable(scopes, held, call.settings.public_scopes)
    if refused:
        raise ScopeNotGrantable(
            "This key may not grant some of the scopes.", scopes=refused
        )
