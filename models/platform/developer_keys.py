"""The keys that developers make for themselves: whose they are, what they may hold."""

from collections.abc import Collection
from uuid import UUID, uuid5

from models.base import Schema
from models.errors import ScopeNotPublic
from models.platform.keys import CreateKey, KeyName, KeyRow, Scopes, key_with, no_key


class CreateDeveloperKey(Schema):
    name: KeyName
    scopes: Scopes

    def as_key(self) -> CreateKey:
        return CreateKey(name=self.name, scopes=self.scopes)


def lineage_account(lineage: str) -> str:
    """
    Return the account of a caller that has none: its line of keys is one.

    So a plain key can make keys of its own, which no other caller sees.
    """
    return str(uuid5(UUID(lineage), "account"))


def require_public(scopes: list[str], public: Collection[str]) -> None:
    refused = [each for each in scopes if each not in public]
    if refused:
        raise ScopeNotPublic("Some of the scopes are not public.", scopes=refused)


def own_keys(account_id: str) -> list[KeyRow]:
    """Return the keys of the account, newest first."""
    query = KeyRow.select().where(KeyRow.account_id == account_id)
    return list(query.order_by(KeyRow.created_at.desc(), KeyRow.id.desc()))


def own_key(id: str, account_id: str) -> KeyRow:
    """Return a key of the account; somebody else's is as good as missing."""
    key = key_with(id)
    if key.account_id != account_id:
        raise no_key(id)
    return key
