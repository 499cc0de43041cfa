"""Messages to webhooks: the event as JSON, by Standard Webhooks 1.0.0."""

import json
from collections.abc import Mapping
from copy import deepcopy
from datetime import datetime
from typing import Any

from models.fields import format_moment
from models.notifications.deliveries.attempts import Attempt
from models.settings import Settings
from sitegen.messages.text_limits import fitted_line, most
from sitegen.theme.theme import Theme

# Standard Webhooks asks for bodies of less than 20 KB.
MAX_BODY_BYTES = 20_000


class Webhook:
    def __init__(self, settings: Settings) -> None:
        self._site_url = settings.site_url

    def render(self, attempt: Attempt, now: datetime, theme: Theme) -> bytes:
        """Return the event, the same in every language."""
        data = {**attempt.data, "url": self._site_url + attempt.path}
        return webhook_body(attempt.type, attempt.at, data)


def webhook_body(type: str, at: datetime, data: Mapping[str, Any]) -> bytes:
    """
    Return the JSON of an event, in less than MAX_BODY_BYTES.

    If the data is larger, the oldest updates of an incident are left out until it
    fits; the newest update always stays. If that is not enough, the last of the
    affected services are left out, and then the text of the update or of the
    maintenance window is cut and ends with an ellipsis.
    """
    data = deepcopy(dict(data))
    message = {"type": type, "timestamp": format_moment(at), "data": data}
    incident, window = data.get("incident", {}), data.get("maintenance", {})
    subject = incident.get("incident", window)
    updates, services = incident.get("updates", []), subject.get("services", [])

    def fits(part: dict[str, Any], name: str, value: Any) -> bool:
        part[name] = value
        return len(_to_json(message)) < MAX_BODY_BYTES

    count = most(len(updates), lambda n: fits(incident, "updates", updates[-n:]))
    incident["updates"] = updates = updates[-max(1, count) :]
    count = most(len(services), lambda n: fits(subject, "services", services[:n]))
    subject["services"] = services[:count]
    part, name = (updates[-1], "body") if updates else (window, "description")
    if text := part.get(name):
        part[name] = fitted_line(text, lambda shorter: fits(part, name, shorter))
    return _to_json(message)


def _to_json(message: Mapping[str, Any]) -> bytes:
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
