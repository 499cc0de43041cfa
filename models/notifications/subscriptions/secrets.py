"""Make and seal the secrets of webhooks, and compute the tokens in links of mails."""

import base64
import binascii
import hmac
import secrets
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from models.errors import LimitExceeded
from models.instance import InstanceRow
from models.notifications.rows import FormerSecretRow, SubscriptionRow
from models.sealing import open_sealed, seal

TokenPurpose = Literal["confirm", "manage"]

# The form of a secret in Standard Webhooks.
SECRET_PREFIX = "whsec_"  # noqa: S105
SECRET_BYTES = 32

MAC_BYTES = 16
# For so long after a rotation, messages are signed with the former secret too.
FORMER_SECRET_SIGNS = timedelta(hours=24)
# How many of them sign beside the newest one.
MAX_FORMER_SECRETS = 9


def new_webhook_secret() -> str:
    """Return a random secret in the form that receivers configure."""
    key = secrets.token_bytes(SECRET_BYTES)
    return SECRET_PREFIX + base64.b64encode(key).decode()


def seal_secret(subscription_id: str, secret: str) -> bytes:
    """Return the secret of a webhook as it is stored."""
    return seal(secret.encode(), notification_secret(), subscription_id.encode())


def replace_secret(row: SubscriptionRow, secret: str, now: datetime) -> None:
    """
    Sign with a new secret, and for a while with the former one as well.

    Raise LimitExceeded if too many former ones sign, because each makes every message
    longer.
    """
    if len(_former_secrets([row.id], now)) >= MAX_FORMER_SECRETS:
        raise LimitExceeded(
            f"{MAX_FORMER_SECRETS} former secrets of this webhook still sign its"
            " messages. Rotate it again once the first of them has expired, 24 hours"
            " after it was replaced."
        )
    FormerSecretRow.create(
        subscription=row.id,
        sealed_secret=row.sealed_secret,
        expires_at=now + FORMER_SECRET_SIGNS,
    )
    row.sealed_secret = seal_secret(row.id, secret)


def signing_secrets(
    rows: Sequence[SubscriptionRow], now: datetime, instance_secret: str | None = None
) -> dict[str, tuple[str, ...]]:
    """
    Return the secrets that sign for each webhook: its own, and the newest former ones.

    Whoever has the `notification_secret` gives it, and it is read otherwise.
    """
    sealed = {row.id: [bytes(row.sealed_secret)] for row in rows if row.sealed_secret}
    for former in _former_secrets(sealed, now):
        sealed[former.subscription_id].append(bytes(former.sealed_secret))
    secret = instance_secret or notification_secret()
    return {
        id: tuple(open_sealed(each, secret, id.encode()).decode() for each in values)
        for id, values in sealed.items()
    }


def _former_secrets(ids: Iterable[str], now: datetime) -> list[FormerSecretRow]:
    """Return those that still sign, the newest first."""
    ids = list(ids)
    if not ids:
        return []
    rows = FormerSecretRow.select().where(
        FormerSecretRow.subscription.in_(ids), FormerSecretRow.expires_at > now
    )
    return list(rows.order_by(FormerSecretRow.number.desc()))


def token_of(
    subscription_id: str, purpose: TokenPurpose, instance_secret: str | None = None
) -> str:
    """
    Return the token of the links in a subscriber's mails.

    It is computed from the id and a secret of the instance, so that each mail can have
    it although no table stores it. Whoever needs many gives the `notification_secret`,
    which is read otherwise.
    """
    id = UUID(subscription_id).bytes
    mac = _mac(id, purpose, instance_secret or notification_secret())
    return base64.urlsafe_b64encode(id + mac).decode().rstrip("=")


def subscription_id_of(token: str, purpose: TokenPurpose) -> str | None:
    """Return the id of the subscription, None if the token was not made here."""
    try:
        content = base64.urlsafe_b64decode(token.encode("ascii") + b"==")
    except (UnicodeEncodeError, binascii.Error):
        return None
    id, mac = content[:16], content[16:]
    if len(id) < 16 or not hmac.compare_digest(
        mac, _mac(id, purpose, notification_secret())
    ):
        return None
    return str(UUID(bytes=id))


def _mac(id: bytes, purpose: TokenPurpose, secret: str) -> bytes:
    message = f"subscription {purpose} ".encode() + id
    return hmac.digest(secret.encode(), message, "sha256")[:MAC_BYTES]


def notification_secret() -> str:
    """Return the secret of this instance that seals webhooks and makes tokens."""
    row = InstanceRow.get(InstanceRow.name == "notification-secret")
    return str(row.value)
