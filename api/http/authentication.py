"""Authenticate a caller by API key, check its scope, and read whom it acts for."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime

from api.http.request import RequestHeaders
from api.operation import Caller
from models.errors import (
    ActorNotAllowed,
    InsufficientScope,
    InvalidKey,
    KeyExpired,
    KeyRevoked,
    MissingCredentials,
    ValidationFailed,
)
from models.fields import UUID_TEXT
from models.platform.rate_limits import Rate
from models.platform.scopes import ASSERT_ACTORS
from models.platform.secrets import hash_secret, is_well_formed
from models.platform.verification import key_by_hash
from models.settings import Settings

# Headers are ASCII: a non-ASCII address arrives garbled and is refused.
_EMAIL = re.compile(r"[!-?A-~]{1,64}@[!-?A-~]{1,255}")


@dataclass(frozen=True)
class Credentials:
    """
    An API key, by the SHA-256 of its secret.

    `secret` is that of the key, or the token of a session.
    """

    key_hash: str
    secret: str = field(repr=False)


def bearer_credentials(headers: RequestHeaders) -> Credentials:
    """Return the credentials of a bearer key; raise a refusal if there is none."""
    return key_credentials(_bearer_token(headers.get("Authorization")))


def key_credentials(secret: str) -> Credentials:
    """Return the credentials of a key; raise InvalidKey if it is mistyped."""
    if not is_well_formed(secret):
        raise _unknown_key()
    return Credentials(hash_secret(secret), secret)


def authenticate(credentials: Credentials, settings: Settings, now: datetime) -> Caller:
    """Return the caller with the key, or raise a refusal."""
    key = key_by_hash(credentials.key_hash)
    if key is None:
        raise _unknown_key()
    if key.revoked_at is not None:
        raise KeyRevoked("The API key has been revoked.")
    if key.status(now) != "active":
        raise KeyExpired("The API key has expired.")
    return Caller(
        key_id=key.id,
        key_name=key.name,
        prefix=key.prefix,
        scopes=key.scopes,
        issuer=key.issuer,
        lineage=key.lineage,
        key_account=key.account_id,
        secret=credentials.secret,
        rate=Rate(
            capacity=key.rate_capacity or settings.default_rate_capacity,
            refill=key.rate_refill or settings.default_rate_refill,
        ),
    )


def _unknown_key() -> InvalidKey:
    return InvalidKey("The API key does not exist or is mistyped.")


def require_scope(caller: Caller, scope: str) -> None:
    """Raise InsufficientScope unless the caller's key covers the scope."""
    if not caller.has_scope(scope):
        raise InsufficientScope(
            f"This operation requires the scope {scope}.", requiredScope=scope
        )


def act_for_person(caller: Caller, headers: RequestHeaders) -> Caller:
    """
    Return the caller with the person named by Act-As-Email and Act-As-Account.

    Raise ActorNotAllowed if its key may not act for others, and ValidationFailed if
    a header is not an e-mail address or a UUID.
    """
    email, account = headers.get("Act-As-Email"), headers.get("Act-As-Account")
    if email is None and account is None:
        return caller
    if ASSERT_ACTORS not in caller.scopes:
        raise ActorNotAllowed(
            f"Acting for a person requires a key with the scope {ASSERT_ACTORS}."
        )
    if email is not None and not _EMAIL.fullmatch(email):
        raise _invalid_header("Act-As-Email", "Must be an e-mail address.")
    if account is not None and not UUID_TEXT.fullmatch(account):
        raise _invalid_header("Act-As-Account", "Must be a UUID in lower case.")
    return replace(caller, acts_as_email=email, acts_as_account=account)


def _invalid_header(name: str, detail: str) -> ValidationFailed:
    error = {"header": name, "code": "invalid", "detail": detail}
    return ValidationFailed(f"The header {name} is invalid.", error)


def _bearer_token(header: str | None) -> str:
    if header is None:
        raise MissingCredentials(
            "Send an API key in the header Authorization: Bearer <API_KEY>."
        )
    scheme, _, token = header.strip().partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise MissingCredentials("The header Authorization must be Bearer <API_KEY>.")
    return token.strip()
