"""Declare the operations of developers on keys of their own."""

from types import SimpleNamespace

from api.operation import Call, operation
from api.platform.grants import require_grantable
from models.errors import (
    ActorRequired,
    KeyNotActive,
    KeyNotFound,
    ScopeNotGrantable,
    ScopeNotPublic,
)
from models.platform import keys
from models.platform.developer_keys import (
    CreateDeveloperKey,
    lineage_account,
    own_key,
    own_keys,
    require_public,
)
from models.platform.keys import ApiKey, CreatedApiKey, RemoveKey, RotateKey
from models.platform.scopes import ASSERT_ACTORS


@operation(
    "POST /platform/v1/developer/keys/create",
    scope="platform:developer:keys:create",
    request=CreateDeveloperKey,
    response=CreatedApiKey,
    audit="add",
    secret_field="secret",
    errors=(ActorRequired, ScopeNotPublic),
)
def create_developer_key(call: Call, request: CreateDeveloperKey) -> SimpleNamespace:
    """
    Create a key of one's own with public scopes.

    It belongs to the account in Act-As-Account, else to the account of the calling
    key, else to an account that represents the calling key and its replacements. Only
    this response contains the secret.
    """
    account = _account(call)
    require_public(request.scopes, call.settings.public_scopes)
    key, secret = keys.issue_key(
        request.as_key(), call.now, issuer=call.caller.audit_actor, account_id=account
    )
    call.audit(key, actor=account)
    return key.to_response(call.now, secret.text)


@operation(
    "GET /platform/v1/developer/keys/list",
    scope="platform:developer:keys:list",
    response=list[ApiKey],
    errors=(ActorRequired,),
)
def list_developer_keys(call: Call) -> list[SimpleNamespace]:
    """List one's own keys, newest first."""
    return [key.to_response(call.now) for key in own_keys(_account(call))]


@operation(
    "POST /platform/v1/developer/keys/revoke",
    scope="platform:developer:keys:revoke",
    request=RemoveKey,
    response=ApiKey,
    audit="remove",
    errors=(ActorRequired, KeyNotFound),
)
def revoke_developer_key(call: Call, request: RemoveKey) -> SimpleNamespace:
    """Revoke a key of one's own permanently."""
    account = _account(call)
    key = own_key(request.id, account)
    if keys.revoke_key(key, call.now):
        call.audit(key, actor=account)
    else:
        call.mark_unchanged()
    return key.to_response(call.now)


@operation(
    "POST /platform/v1/developer/keys/rotate",
    scope="platform:developer:keys:rotate",
    request=RotateKey,
    response=CreatedApiKey,
    audit="rotate",
    secret_field="secret",
    errors=(ActorRequired, KeyNotFound, KeyNotActive, ScopeNotGrantable),
)
def rotate_developer_key(call: Call, request: RotateKey) -> SimpleNamespace:
    """
    Replace a key of one's own.

    Both keys are valid until the grace period ends. Only this response contains the
    new secret.
    """
    account = _account(call)
    key = own_key(request.id, account)
    keys.require_active(key, call.now)
    require_grantable(call, key.scopes)
    new, secret = keys.rotate_key(key, call.now, request.grace)
    call.audit(key, detail=keys.describe_rotation(new, request), actor=account)
    return new.to_response(call.now, secret.text)


def _account(call: Call) -> str:
    """Return the account of the caller's keys, which some callers must name."""
    caller = call.caller
    if ASSERT_ACTORS in caller.scopes and caller.acts_as_account is None:
        raise ActorRequired(
            f"A key with the scope {ASSERT_ACTORS} must send the header Act-As-Account."
        )
    return caller.account or lineage_account(caller.lineage)
