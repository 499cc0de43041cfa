"""Let developers manage keys of their own, with public scopes."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Annotated, Any
from uuid import UUID, uuid5

from models.base import Schema
from models.errors import LimitExceeded, ScopeNotPublic
from models.platform import descriptions
from models.platform.keys import (
    CreateKey,
    KeyName,
    KeyRow,
    Scopes,
    get_key,
    key_not_found,
    revoked_or_expired,
)
from models.platform.scopes import is_publishable


class CreateDeveloperKey(Schema):
    name: Annotated[KeyName, descriptions.KEY_NAME]
    scopes: Annotated[Scopes, descriptions.SCOPES]

    def as_key(self, rates: Mapping[str, Any]) -> CreateKey:
        """Return the request for a key with these rates."""
        return CreateKey(name=self.name, scopes=self.scopes, **rates)


def lineage_account(lineage: str) -> str:
    """
    Return the account id of a caller that has no account, derived from its lineage.

    A key without an account can thus create keys of its own, which only it and its
    replacements see.
    """
    return str(uuid5(UUID(lineage), "account"))


def require_public(scopes: list[str], public: Collection[str]) -> None:
    refused = [s for s in scopes if s not in public or not is_publishable(s)]
    if refused:
        raise ScopeNotPublic("Some of the scopes are not public.", scopes=refused)


def require_room(account_id: str, now: datetime, maximum: int) -> None:
    """Raise LimitExceeded if the account has the most active keys that it may have."""
    is_own = KeyRow.account_id == account_id
    active = KeyRow.select().where(is_own, ~revoked_or_expired(now))
    if active.count() >= maximum:
        raise LimitExceeded(
            f"An account may have at most {maximum} active keys, including those in a"
            " grace period. Revoke a key, or rotate it with graceSeconds 0."
        )


def own_keys(account_id: str) -> list[KeyRow]:
    """Return the keys of the account, newest first."""
    rows = KeyRow.select().where(KeyRow.account_id == account_id)
    return list(rows.order_by(KeyRow.created_at.desc(), KeyRow.id.desc()))


def own_key(id: str, account_id: str) -> KeyRow:
    """Return a key of the account; raise KeyNotFound for any other."""
    key = get_key(id)
    if key.account_id != account_id:
        raise key_not_found(id)
    return key
