"""What may be asked about API keys."""

from types import SimpleNamespace

from api.operation import Call, operation
from api.platform.grants import require_grantable
from models.errors import KeyNotActive, KeyNotFound, ScopeNotGrantable
from models.pagination import Page
from models.platform.keys import (
    ApiKey,
    CreatedApiKey,
    CreateKey,
    GetKey,
    ListKeys,
    RemoveKey,
    RotateKey,
    UpdateKey,
    change_key,
    gained,
    issue_key,
    key_with,
    keys_listed,
    replace_key,
    require_active,
    revoke_key,
    told_rotation,
)
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
    "POST /platform/v1/keys/update",
    scope="platform:keys:update",
    takes=UpdateKey,
    gives=ApiKey,
    audit="update",
    refuses=(KeyNotFound, KeyNotActive, ScopeNotGrantable),
)
def update_key(call: Call, asked: UpdateKey) -> SimpleNamespace:
    """
    Change a key's name, scopes or rate.

    What is left out stays; a rate of null is the default rate again. The scopes
    that the key does not cover yet must be grantable by the caller.
    """
    key = key_with(asked.id)
    require_active(key, call.now)
    require_grantable(call, gained(key, asked))
    call.audit_changes(key, change_key(key, asked, call.now))
    return key.seen(call.now)


@operation(
    "POST /platform/v1/keys/rotate",
    scope="platform:keys:rotate",
    takes=RotateKey,
    gives=CreatedApiKey,
    audit="rotate",
    conceals="secret",
    refuses=(KeyNotFound, KeyNotActive, ScopeNotGrantable),
)
def rotate_key(call: Call, asked: RotateKey) -> SimpleNamespace:
    """
    Replace a key by one with the same rights and a new secret.

    Both open until the grace is over, and the old one never longer than it would
    have. They share one rate. The secret of the new one is in this answer and
    nowhere else. The caller must be able to grant all of the key's scopes.
    """
    key = key_with(asked.id)
    require_active(key, call.now)
    require_grantable(call, key.scopes)
    new, secret = replace_key(key, call.now, asked.grace)
    call.audit(key, detail=told_rotation(new, asked))
    return new.seen(call.now, secret.text)


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
def verify_key(call: Call, asked: VerifyKey) -> dict[str, object]:
    """
    Look up the key whose secret has this SHA-256.

    For gateways. A revoked or expired key is found too, with status revoked.
    Cache-Control says how long the answer may be kept.
    """
    key = key_verified(asked)
    call.max_age = key.trusted_seconds(call.now)
    call.used_key = key.id
    return key.seen(call.now)
