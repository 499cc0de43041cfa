"""
Build and sign the messages of webhooks, by Standard Webhooks 1.0.0.

The module is pure: it reads no rows, no clock and no settings.
"""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from models.notifications.messages.text_limits import fitted_line, most

SECRET_PREFIX = "whsec_"  # noqa: S105
SECRET_BYTES = 32
# Standard Webhooks asks for bodies of less than 20 KB.
MAX_BODY_BYTES = 20_000

Data = Mapping[str, Any]
Fits = Callable[[Data], bool]


def new_webhook_secret() -> str:
    """Return a random secret in the form that receivers configure."""
    key = secrets.token_bytes(SECRET_BYTES)
    return SECRET_PREFIX + base64.b64encode(key).decode()


def webhook_headers(
    message_id: str, sent_at: datetime, body: bytes, webhook_secrets: Sequence[str]
) -> dict[str, str]:
    """
    Return the headers of an attempt, with a signature for each of the secrets.

    The id is the same for all attempts; the time is that of this attempt.
    """
    timestamp = str(int(sent_at.timestamp()))
    content = f"{message_id}.{timestamp}.".encode() + body
    signatures = [_signature(secret, content) for secret in webhook_secrets]
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(signatures),
    }


def _signature(secret: str, content: bytes) -> str:
    key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    digest = hmac.new(key, content, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def webhook_body(type: str, at: datetime, data: Data) -> bytes:
    """
    Return the JSON of an event, in less than MAX_BODY_BYTES.

    If the data is larger, the oldest updates of an incident are left out until it
    fits; the newest update always stays. If that is not enough, the last of the
    affected services are left out, and then the text of the update or of the
    maintenance window is cut and ends with an ellipsis.
    """
    body = _to_json(type, at, data)
    for shorten in (_with_newest_updates, _with_first_services, _with_cut_text):
        if len(body) < MAX_BODY_BYTES:
            break
        data = shorten(data, lambda shorter: _fits(type, at, shorter))
        body = _to_json(type, at, data)
    return body


def _to_json(type: str, at: datetime, data: Data) -> bytes:
    moment = at.astimezone(UTC).isoformat(timespec="milliseconds")
    timestamp = moment.removesuffix("+00:00") + "Z"
    message = {"type": type, "timestamp": timestamp, "data": data}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _fits(type: str, at: datetime, data: Data) -> bool:
    return len(_to_json(type, at, data)) < MAX_BODY_BYTES


def _with_newest_updates(data: Data, fits: Fits) -> Data:
    def keep(count: int) -> Data:
        return _replaced(data, ("incident", "updates"), updates[-count:])

    updates = _value(data, ("incident", "updates"))
    return (
        keep(max(1, most(len(updates), lambda n: fits(keep(n))))) if updates else data
    )


def _with_first_services(data: Data, fits: Fits) -> Data:
    def keep(count: int) -> Data:
        return _replaced(data, path, services[:count])

    for path in (("incident", "incident", "services"), ("maintenance", "services")):
        if services := _value(data, path):
            return keep(most(len(services), lambda n: fits(keep(n))))
    return data


def _with_cut_text(data: Data, fits: Fits) -> Data:
    def replaced(text: str) -> Data:
        return _replaced(data, path, text)

    for path in (("incident", "updates", -1, "body"), ("maintenance", "description")):
        if text := _value(data, path):
            return replaced(fitted_line(text, lambda shorter: fits(replaced(shorter))))
    return data


def _value(data: Any, path: Sequence[str | int]) -> Any:
    """Return what is at the path, or None if there is nothing."""
    for key in path:
        try:
            data = data[key]
        except (KeyError, IndexError, TypeError):
            return None
    return data


def _replaced(data: Any, path: Sequence[str | int], value: Any) -> Any:
    """Return the data with another value at the path, without changing the original."""
    if not path:
        return value
    key, *rest = path
    copy = data.copy()
    copy[key] = _replaced(data[key], rest, value)
    return copy
