"""Declare the operations of developers on keys of their own."""

from types import SimpleNamespace

from api.operation import Call, operation
from api.platform.grants import ROTATION_ERRORS, grantor, warn_of_unknown_scopes
from models.errors import (
    ActorRequired,
    KeyNotFound,
    LimitExceeded,
    ScopeNotGrantable,
    ScopeNotPublic,
)
from models.platform import keys
from models.platform.developer_keys import (
    CreateDeveloperKey,
    own_key,
    own_keys,
    require_public,
    require_room,
)
from models.platform.keys import ApiKey, CreatedApiKey, RemoveKey, RotateKey
from models.platform.scopes import ASSERT_ACTORS


@operation(
    "POST /platform/v1/developer/keys/create",
    warning=warn_of_unknown_scopes,
    response=CreatedApiKey,
    audit="add",
    secret_field="secret",
    errors=(ActorRequired, ScopeNotPublic, LimitExceeded),
)
def create_developer_key(call: Call, request: CreateDeveloperKey) -> SimpleNamespace:
    """
    Create a key of one's own with public scopes.

    It belongs to the account in Act-As-Account, else to the account of the calling
    key, else to an account that represents the calling key and its replacements. It
    has neither a higher rate nor a later expiry than the calling key. Only this
    response contains the secret.
    """
    account, caller = _account(call), grantor(call)
    require_public(request.scopes, call.settings.public_scopes)
    require_room(account, call.clock_at, call.settings.developer_keys_max)
    key, secret = keys.issue_key(
        request.as_key(caller.limited_rate()),
        call.now,
        issuer=call.caller.audit_actor,
        account_id=account,
        latest_end=caller.latest_end,
    )
    call.audit(key, actor=account)
    return key.to_response(call.clock_at, secret.text)


@operation(
    "GET /platform/v1/developer/keys/list",
    response=list[ApiKey],
    errors=(ActorRequired,),
)
def list_developer_keys(call: Call) -> list[SimpleNamespace]:
    """List one's own keys, newest first."""
    return [key.to_response(call.clock_at) for key in own_keys(_account(call))]


@operation(
    "POST /platform/v1/developer/keys/revoke",
    response=ApiKey,
    audit="remove",
    errors=(ActorRequired, KeyNotFound),
)
def revoke_developer_key(call: Call, request: RemoveKey) -> SimpleNamespace:
    """Revoke a key of one's own permanently."""
    account = _account(call)
    key = own_key(request.id, account)
    call.audit_if(keys.revoke_key(key, call.clock_at), key, actor=account)
    return key.to_response(call.clock_at)


@operation(
    "POST /platform/v1/developer/keys/rotate",
    response=CreatedApiKey,
    audit="rotate",
    secret_field="secret",
    errors=(
        *(ActorRequired, KeyNotFound, *ROTATION_ERRORS),
        *(ScopeNotGrantable, LimitExceeded),
    ),
)
def rotate_developer_key(call: Call, request: RotateKey) -> SimpleNamespace:
    """
    Replace a key of one's own.

    Both keys are valid until the grace period ends. Only this response contains the
    new secret. The replacement has neither a higher rate nor a later expiry than the
    calling key. A key in its grace period cannot be rotated again.
    """
    account, caller = _account(call), grantor(call)
    key = own_key(request.id, account)
    caller.require_not_replaced(key, call.now)
    caller.require_grantable(key.scopes)
    if request.grace:
        require_room(account, call.clock_at, call.settings.developer_keys_max)
    new, secret = keys.rotate_key(
        key,
        call.now,
        call.clock_at + request.grace,
        issuer=call.caller.audit_actor,
        latest_end=caller.latest_end,
        limited_rate=caller.limited_rate(key),
    )
    call.audit(key, detail=keys.describe_rotation(new, request), actor=account)
    return new.to_response(call.clock_at, secret.text)


def _account(call: Call) -> str:
    """Return the account of the caller's keys, which some callers must name."""
    caller = call.caller
    if ASSERT_ACTORS in caller.scopes and caller.acts_as_account is None:
        raise ActorRequired(
            f"A key with the scope {ASSERT_ACTORS} must send the header Act-As-Account."
        )
    return caller.own_account
