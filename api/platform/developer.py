"""What developers may ask about keys of their own."""

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
from models.platform.developer_keys import (
    CreateDeveloperKey,
    lineage_account,
    own_key,
    own_keys,
    require_public,
)
from models.platform.keys import (
    ApiKey,
    CreatedApiKey,
    RemoveKey,
    RotateKey,
    issue_key,
    replace_key,
    require_active,
    revoke_key,
    told_rotation,
)
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
    Make a key of one's own, of public scopes.

    It belongs to the account that Act-As-Account names, else to the account of
    the calling key, else to an account that stands for the calling key and its
    replacements. The secret is in this answer and nowhere else.
    """
    account = _account(call)
    require_public(request.scopes, call.settings.public_scopes)
    key, secret = issue_key(
        request.as_key(), call.now, issuer=call.caller.audit_actor, account_id=account
    )
    call.audit(key, actor=account)
    return key.seen(call.now, secret.text)


@operation(
    "GET /platform/v1/developer/keys/list",
    scope="platform:developer:keys:list",
    response=list[ApiKey],
    errors=(ActorRequired,),
)
def list_developer_keys(call: Call) -> list[SimpleNamespace]:
    """List one's own keys, newest first."""
    return [key.seen(call.now) for key in own_keys(_account(call))]


@operation(
    "POST /platform/v1/developer/keys/revoke",
    scope="platform:developer:keys:revoke",
    request=RemoveKey,
    response=ApiKey,
    audit="remove",
    errors=(ActorRequired, KeyNotFound),
)
def revoke_developer_key(call: Call, request: RemoveKey) -> SimpleNamespace:
    """Revoke a key of one's own for good."""
    account = _account(call)
    key = own_key(request.id, account)
    if revoke_key(key, call.now):
        call.audit(key, actor=account)
    else:
        call.mark_unchanged()
    return key.seen(call.now)


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

    Both keys open until the grace is over; the secret of the new one is in this
    answer and nowhere else.
    """
    account = _account(call)
    key = own_key(request.id, account)
    require_active(key, call.now)
    require_grantable(call, key.scopes)
    new, secret = replace_key(key, call.now, request.grace)
    call.audit(key, detail=told_rotation(new, request), actor=account)
    return new.seen(call.now, secret.text)


def _account(call: Call) -> str:
    """Return whose keys these are; who may act for others must say for whom."""
    caller = call.caller
    if ASSERT_ACTORS in caller.scopes and caller.acts_as_account is None:
        raise ActorRequired(
            f"A key that holds {ASSERT_ACTORS} must send the header Act-As-Account."
        )
    return caller.account or lineage_account(caller.lineage)
