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
    request=CreateKey,
    response=CreatedApiKey,
    idempotent="required",
    audit="add",
    secret_field="secret",
    errors=(ScopeNotGrantable,),
)
def add_key(call: Call, request: CreateKey) -> SimpleNamespace:
    """
    Issue an API key.

    The secret is in this answer and nowhere else; a repeat with the same
    Idempotency-Key within 24 hours gets it once more. A key may grant only the
    scopes that it covers itself.
    """
    require_grantable(call, request.scopes)
    key, secret = issue_key(request, call.now, issuer=call.caller.audit_actor)
    call.audit(key)
    return key.seen(call.now, secret.text)


@operation(
    "GET /platform/v1/keys/list",
    scope="platform:keys:list",
    request=ListKeys,
    response=list[ApiKey],
)
def list_keys(call: Call, query: ListKeys) -> Page[SimpleNamespace]:
    """List API keys, newest first; by status and by owning account."""
    page = keys_listed(query, call.now)
    return Page([key.seen(call.now) for key in page.items], page.meta)


@operation(
    "GET /platform/v1/keys/get",
    scope="platform:keys:get",
    request=GetKey,
    response=ApiKey,
    errors=(KeyNotFound,),
)
def get_key(call: Call, query: GetKey) -> SimpleNamespace:
    """Get one API key."""
    return key_with(query.id).seen(call.now)


@operation(
    "POST /platform/v1/keys/update",
    scope="platform:keys:update",
    request=UpdateKey,
    response=ApiKey,
    audit="update",
    errors=(KeyNotFound, KeyNotActive, ScopeNotGrantable),
)
def update_key(call: Call, request: UpdateKey) -> SimpleNamespace:
    """
    Change a key's name, scopes or rate.

    What is left out stays; a rate of null is the default rate again. The scopes
    that the key does not cover yet must be grantable by the caller.
    """
    key = key_with(request.id)
    require_active(key, call.now)
    require_grantable(call, gained(key, request))
    call.audit_changes(key, change_key(key, request, call.now))
    return key.seen(call.now)


@operation(
    "POST /platform/v1/keys/rotate",
    scope="platform:keys:rotate",
    request=RotateKey,
    response=CreatedApiKey,
    audit="rotate",
    secret_field="secret",
    errors=(KeyNotFound, KeyNotActive, ScopeNotGrantable),
)
def rotate_key(call: Call, request: RotateKey) -> SimpleNamespace:
    """
    Replace a key by one with the same rights and a new secret.

    Both open until the grace is over, and the old one never longer than it would
    have. They share one rate. The secret of the new one is in this answer and
    nowhere else. The caller must be able to grant all of the key's scopes.
    """
    key = key_with(request.id)
    require_active(key, call.now)
    require_grantable(call, key.scopes)
    new, secret = replace_key(key, call.now, request.grace)
    call.audit(key, detail=told_rotation(new, request))
    return new.seen(call.now, secret.text)


@operation(
    "POST /platform/v1/keys/remove",
    scope="platform:keys:remove",
    request=RemoveKey,
    response=ApiKey,
    audit="remove",
    errors=(KeyNotFound,),
)
def remove_key(call: Call, request: RemoveKey) -> SimpleNamespace:
    """
    Revoke an API key for good.

    The next request with it is refused. The record stays, so that a gateway
    that verifies the key learns that it is revoked.
    """
    key = key_with(request.id)
    if revoke_key(key, call.now):
        call.audit(key)
    else:
        call.mark_unchanged()
    return key.seen(call.now)


@operation(
    "POST /platform/v1/keys/verify",
    scope="platform:keys:verify",
    request=VerifyKey,
    response=VerifiedKey,
    read_only=True,
    errors=(KeyNotFound,),
)
def verify_key(call: Call, request: VerifyKey) -> dict[str, object]:
    """
    Look up the key whose secret has this SHA-256.

    For gateways. A revoked or expired key is found too, with status revoked.
    Cache-Control says how long the answer may be kept.
    """
    key = key_verified(request)
    call.max_age = key.trusted_seconds(call.now)
    call.verified_key_id = key.id
    return key.seen(call.now)
