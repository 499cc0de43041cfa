"""Who is asking: the bearer key, and the person it may act for."""

import re
from dataclasses import replace
from datetime import datetime

from api.http.middleware import SentHeaders
from api.operation import Caller
from models.errors import (
    ActorNotAllowed,
    InvalidKey,
    KeyExpired,
    KeyRevoked,
    MissingCredentials,
    ValidationFailed,
)
from models.platform.rate_limits import Rate
from models.platform.scopes import ASSERT_ACTORS
from models.platform.secrets import hash_secret, is_well_formed
from models.platform.verification import VerifiedKeyRecord, key_by_hash
from models.settings import Settings

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Headers are ASCII; an address that is more comes in garbled, and is refused.
_EMAIL = re.compile(r"[!-?A-~]{1,64}@[!-?A-~]{1,255}")


def authenticate(
    headers: SentHeaders, settings: Settings, now: datetime
) -> tuple[Caller, Rate]:
    """Return who bears the key and at what rate, or raise why it does not open."""
    bearer = _bearer(headers.get("Authorization"))
    key = key_by_hash(hash_secret(bearer)) if is_well_formed(bearer) else None
    if key is None:
        raise InvalidKey("The API key is not one of ours, or was mistyped.")
    if key.revoked_at is not None:
        raise KeyRevoked("The API key has been revoked.")
    if key.status(now) != "active":
        raise KeyExpired("The API key has expired.")
    return _caller(key, bearer), _rate(key, settings)


def acting_for(caller: Caller, headers: SentHeaders) -> Caller:
    """Return the caller with the person that Act-As-Email and -Account name."""
    email, account = headers.get("Act-As-Email"), headers.get("Act-As-Account")
    if email is None and account is None:
        return caller
    if ASSERT_ACTORS not in caller.scopes:
        raise ActorNotAllowed(
            f"Acting for a person needs a key that holds {ASSERT_ACTORS}."
        )
    if email is not None and not _EMAIL.fullmatch(email):
        raise _wrong_header("Act-As-Email", "Must be an e-mail address.")
    if account is not None and not _UUID.fullmatch(account):
        raise _wrong_header("Act-As-Account", "Must be a UUID in lower case.")
    return replace(caller, acts_as_email=email, acts_as_account=account)


def _wrong_header(name: str, detail: str) -> ValidationFailed:
    error = {"header": name, "code": "invalid", "detail": detail}
    return ValidationFailed(f"The header {name} cannot be used.", error)


def _bearer(header: str | None) -> str:
    if header is None:
        raise MissingCredentials(
            "Send an API key in the header Authorization, as Bearer <API_KEY>."
        )
    scheme, _, token = header.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise MissingCredentials("The header Authorization must be Bearer <API_KEY>.")
    return token.strip()


def _caller(key: VerifiedKeyRecord, bearer: str) -> Caller:
    return Caller(
        key_id=key.id,
        prefix=key.prefix,
        scopes=key.scopes,
        issuer=key.issuer,
        lineage=key.lineage,
        account_id=key.account_id,
        bearer=bearer,
    )


def _rate(key: VerifiedKeyRecord, settings: Settings) -> Rate:
    return Rate(
        capacity=key.rate_capacity or settings.default_rate_capacity,
        refill=key.rate_refill or settings.default_rate_refill,
    )
