"""Keep the secrets of webhooks sealed, and compute the tokens in links of mails."""

import base64
import binascii
import hmac
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from models.instance import InstanceRow
from models.notifications.rows import SubscriptionRow
from models.sealing import open_sealed, seal

TokenPurpose = Literal["confirm", "manage"]

MAC_BYTES = 16
# For so long after a rotation, messages are signed with the former secret too.
FORMER_SECRET_SIGNS = timedelta(hours=24)


def seal_secret(subscription_id: str, secret: str) -> bytes:
    """Return the secret of a webhook as it is stored."""
    return seal(secret.encode(), notification_secret(), subscription_id.encode())


def replace_secret(row: SubscriptionRow, secret: str, now: datetime) -> None:
    """Sign with a new secret, and for a while with the former one as well."""
    row.former_secret = row.sealed_secret
    row.former_secret_until = now + FORMER_SECRET_SIGNS
    row.sealed_secret = seal_secret(row.id, secret)


def signing_secrets(
    row: SubscriptionRow, now: datetime, instance_secret: str | None = None
) -> tuple[str, ...]:
    """
    Return the secrets that sign now: after a rotation, both for a while.

    Whoever needs many gives the `notification_secret`, which is read otherwise.
    """
    sealed = [row.sealed_secret]
    if row.former_secret_until is not None and now < row.former_secret_until:
        sealed.append(row.former_secret)
    secret, id = instance_secret or notification_secret(), row.id.encode()
    return tuple(
        open_sealed(bytes(each), secret, id).decode() for each in sealed if each
    )


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
