"""What may be asked about API keys."""

from types import SimpleNamespace

from api.operation import Call, operation
from models.errors import KeyNotFound, ScopeNotGrantable
from models.pagination import Page
from models.platform.keys import (
    ApiKey,
    CreatedApiKey,
    CreateKey,
    GetKey,
    ListKeys,
    RemoveKey,
    issue_key,
    key_with,
    keys_listed,
    revoke_key,
)
from models.platform.scopes import ESCALATE, not_grantable
from models.platform.verification import VerifiedKey, VerifyKey, key_verified


@operation(
    "POST /platform/v1/keys/add",
    scope="platform:keys:add",
    takes=CreateKey,
    gives=CreatedApiKey,
    idempotent="required",
    audit="add",
    conceals="secret",
    refuses=(ScopeNotGrantable,),
)
def add_key(call: Call, asked: CreateKey) -> SimpleNamespace:
    """
    Issue an API key.

    The secret is in this answer and nowhere else; a repeat with the same
    Idempotency-Key within 24 hours gets it once more. A key may grant only the
    scopes that it covers itself.
    """
    require_grantable(call, asked.scopes)
    key, secret = issue_key(asked, call.now, issuer=call.caller.manager)
    call.audit(key)
    return key.seen(call.now, secret.text)


@operation(
    "GET /platform/v1/keys/list",
    scope="platform:keys:list",
    takes=ListKeys,
    gives=list[ApiKey],
)
def list_keys(call: Call, asked: ListKeys) -> Page[SimpleNamespace]:
    """List API keys, newest first; by status and by owning account."""
    page = keys_listed(asked, call.now)
    return Page([key.seen(call.now) for key in page.items], page.meta)


@operation(
    "GET /platform/v1/keys/get",
    scope="platform:keys:get",
    takes=GetKey,
    gives=ApiKey,
    refuses=(KeyNotFound,),
)
def get_key(call: Call, asked: GetKey) -> SimpleNamespace:
    """Get one API key."""
    return key_with(asked.id).seen(call.now)


@operation(
    "POST /platform/v1/keys/remove",
    scope="platform:keys:remove",
    takes=RemoveKey,
    gives=ApiKey,
    audit="remove",
    refuses=(KeyNotFound,),
)
def remove_key(call: Call, asked: RemoveKey) -> SimpleNamespace:
    """
    Revoke an API key for good.

    The next request with it is refused. The record stays, so that a gateway
    that verifies the key learns that it is revoked.
    """
    key = key_with(asked.id)
    if revoke_key(key, call.now):
        call.audit(key)
    else:
        call.unchanged()
    return key.seen(call.now)


@operation(
    "POST /platform/v1/keys/verify",
    scope="platform:keys:verify",
    takes=VerifyKey,
    gives=VerifiedKey,
    reads_only=True,
    refuses=(KeyNotFound,),
)
def verify_key(call: Call, asked: VerifyKey) -> VerifiedKey:
    """
    Look up the key whose secret has this SHA-256.

    For gateways. A revoked or expired key is found too, with status revoked.
    Cache-Control says how long the answer may be kept.
    """
    key = key_verified(asked)
    call.max_age = key.trusted_seconds(call.now)
    return key.verified(call.now)


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
