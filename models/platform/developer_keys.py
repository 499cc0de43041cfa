"""Let developers manage keys of their own, with public scopes."""

from collections.abc import Collection
from uuid import UUID, uuid5

from models.base import Schema
from models.errors import ScopeNotPublic
from models.platform.keys import (
    CreateKey,
    KeyName,
    KeyRow,
    Scopes,
    get_key,
    key_not_found,
)


class CreateDeveloperKey(Schema):
    name: KeyName
    scopes: Scopes

    def as_key(self) -> CreateKey:
        return CreateKey(name=self.name, scopes=self.scopes)


def lineage_account(lineage: str) -> str:
    """
    Return the account id of a caller that has no account, derived from its lineage.

    A key without an account can thus create keys of its own, which only it and its
    replacements see.
    """
    return str(uuid5(UUID(lineage), "account"))


def require_public(scopes: list[str], public: Collection[str]) -> None:
    refused = [scope for scope in scopes if scope not in public]
    if refused:
        raise ScopeNotPublic("Some of the scopes are not public.", scopes=refused)


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
