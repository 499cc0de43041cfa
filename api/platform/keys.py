"""Declare the operations on API keys."""

from types import SimpleNamespace

from api.operation import Call, operation
from api.platform.grants import (
    GRANT_ERRORS,
    ROTATION_ERRORS,
    grantor,
    warn_of_unknown_scopes,
)
from models.errors import KeyNotActive, KeyNotFound, KeyReplaced
from models.pagination import Page
from models.platform import keys, verification
from models.platform.verification import VerifiedKey, VerifyKey


@operation(
    "POST /platform/v1/keys/add",
    warning=warn_of_unknown_scopes,
    response=keys.CreatedApiKey,
    idempotent="required",
    audit="add",
    secret_field="secret",
    errors=GRANT_ERRORS,
)
def add_key(call: Call, request: keys.CreateKey) -> SimpleNamespace:
    """
    Issue an API key.

    Only this response contains the secret; a repeat with the same Idempotency-Key
    within 24 hours returns it again. A key may grant only the scopes that it covers
    itself, no higher rate than its own, and no later expiry.
    """
    grantor(call).require_creation(request, call.now)
    key, secret = keys.issue_key(request, call.now, issuer=call.caller.audit_actor)
    call.audit(key)
    return key.to_response(call.clock_at, secret.text)


@operation("GET /platform/v1/keys/list", response=list[keys.ApiKey])
def list_keys(call: Call, query: keys.ListKeys) -> Page[SimpleNamespace]:
    """List API keys, newest first, optionally of one status or one account."""
    page = keys.list_keys(query, call.clock_at)
    return Page([key.to_response(call.clock_at) for key in page.items], page.meta)


@operation(
    "GET /platform/v1/keys/get",
    response=keys.ApiKey,
    snapshot=False,
    errors=(KeyNotFound,),
)
def get_key(call: Call, query: keys.GetKey) -> SimpleNamespace:
    """Get one API key."""
    return keys.get_key(query.id).to_response(call.clock_at)


@operation(
    "POST /platform/v1/keys/update",
    warning=warn_of_unknown_scopes,
    response=keys.ApiKey,
    audit="update",
    errors=(KeyNotFound, KeyNotActive, KeyReplaced, *GRANT_ERRORS),
)
def update_key(call: Call, request: keys.UpdateKey) -> SimpleNamespace:
    """
    Change a key's name, scopes or rate.

    A field that is left out stays as it is; a rate of null resets it to the default.
    The caller must cover the key's present scopes, and be able to grant the scopes that
    the key does not cover yet. A key that gains scopes or a higher rate must have
    neither a higher rate nor a later expiry than the caller. A rotated key cannot
    change its replacement.
    """
    key = keys.get_key(request.id)
    grantor(call).require_update(key, request, call.clock_at)
    call.audit_changes(key, keys.update_key(key, request, call.now))
    return key.to_response(call.clock_at)


@operation(
    "POST /platform/v1/keys/rotate",
    response=keys.CreatedApiKey,
    audit="rotate",
    secret_field="secret",
    errors=(KeyNotFound, *ROTATION_ERRORS, *GRANT_ERRORS),
)
def rotate_key(call: Call, request: keys.RotateKey) -> SimpleNamespace:
    """
    Replace a key by one with the same scopes and a new secret.

    Both keys are valid until the grace period ends, or until the old key expires. They
    share one rate limit. Only this response contains the new secret. The caller must
    cover all scopes of the key, and have neither a lower rate nor an earlier expiry
    than the replacement; a key that rotates itself keeps its expiry. Changes made with
    the replacement are audited under who rotated the key. A key in its grace period
    cannot be rotated again.
    """
    key, caller = keys.get_key(request.id), grantor(call)
    caller.require_rotation(key, call.now)
    new, secret = keys.rotate_key(
        key,
        call.now,
        call.clock_at + request.grace,
        issuer=call.caller.audit_actor,
        latest_end=caller.latest_end,
    )
    call.audit(key, detail=keys.describe_rotation(new, request))
    return new.to_response(call.clock_at, secret.text)


@operation(
    "POST /platform/v1/keys/remove",
    response=keys.ApiKey,
    audit="remove",
    errors=(KeyNotFound,),
)
def remove_key(call: Call, request: keys.RemoveKey) -> SimpleNamespace:
    """
    Revoke an API key permanently.

    The next request with it is rejected. The record of the key is kept, so that a
    gateway that verifies the key learns that it is revoked.
    """
    key = keys.get_key(request.id)
    call.audit_if(keys.revoke_key(key, call.clock_at), key)
    return key.to_response(call.clock_at)


@operation(
    "POST /platform/v1/keys/verify",
    response=VerifiedKey,
    read_only=True,
    snapshot=False,
    errors=(KeyNotFound,),
)
def verify_key(call: Call, request: VerifyKey) -> dict[str, object]:
    """
    Look up the key whose secret has this SHA-256 hash.

    For API gateways. A revoked or expired key is returned too, with status revoked.
    Cache-Control says how long the response may be cached.
    """
    key = verification.verify_key(request)
    call.max_age = key.max_age(call.clock_at)
    call.verified_key_id = key.id
    return key.to_response(call.clock_at)
