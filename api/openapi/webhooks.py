"""Describe the messages that webhooks receive, by Standard Webhooks 1.0.0."""

from typing import Any

from api.openapi.schemas import REF
from models.notifications.event_types import EVENT_TYPES, EventType

_SUMMARIES: dict[EventType, str] = {
    "incident.opened": "An incident was opened",
    "incident.updated": "An incident has an update, a new severity or other services",
    "incident.resolved": "An incident was resolved",
    "incident.reopened": "A resolved incident was reopened",
    "maintenance.scheduled": "A maintenance window was scheduled",
    "maintenance.changed": "A maintenance window was changed",
    "maintenance.started": "A maintenance window has started",
    "maintenance.completed": "A maintenance window is over",
    "maintenance.cancelled": "A maintenance window was cancelled",
    "service.state-changed": "A service has had another state for a minute",
    "document.published": "A version of a document appeared on the site",
    "document.unpublished": "A document left the site",
    "incident.reminder": "An active incident has had no update for a while",
    "maintenance.reminder": "A maintenance window starts within three hours",
}
_HEADERS = {
    "webhook-id": "The ID of the delivery, which is the same for all its attempts.",
    "webhook-timestamp": "When the attempt was made, in seconds since 1970.",
    "webhook-signature": (
        "The signatures of ID, timestamp and body, separated by spaces: `v1,` and"
        " Base64 of an HMAC-SHA256."
    ),
}
_TEXT = {"type": "string"}
_DOCUMENT = {
    "type": "object",
    "description": "The document.",
    "properties": {
        "id": _TEXT | {"description": "The ID."},
        "slug": _TEXT | {"description": "The slug, the last part of its address."},
        "collection": _TEXT | {"description": "The collection."},
        "title": _TEXT | {"description": "The title."},
        "version": {
            "type": ["integer", "null"],
            "description": "The version that was published; null if it left the site.",
        },
    },
    "required": ["id", "slug", "collection", "title", "version"],
}


def webhook_objects() -> dict[str, Any]:
    """Return the OpenAPI object of each event that webhooks are told of."""
    return {type: {"post": _operation_object(type)} for type in EVENT_TYPES}


def _operation_object(type: EventType) -> dict[str, Any]:
    data = _data(type)
    schema = {
        "type": "object",
        "properties": {
            "type": {"const": type, "description": "The event."},
            "timestamp": _TEXT
            | {"format": "date-time", "description": "When it happened."},
            "data": {
                "type": "object",
                "description": "What the event is about.",
                "properties": data,
                "required": list(data),
            },
        },
        "required": ["type", "timestamp", "data"],
    }
    return {
        "summary": _SUMMARIES[type],
        "security": [],
        "parameters": [
            {
                "name": name,
                "in": "header",
                "required": True,
                "description": description,
                "schema": _TEXT,
            }
            for name, description in _HEADERS.items()
        ],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": schema}},
        },
        "responses": {"2XX": {"description": "Delivered; it is not sent again."}},
    }


def _data(type: EventType) -> dict[str, Any]:
    """Return the fields of the data: what the event is about, and its page."""
    url = {"url": _TEXT | {"description": "The address of its page on the site."}}
    if type == "service.state-changed":
        state = _TEXT | {"description": "The state that was told before."}
        service = {"$ref": REF.format(model="StatusService")}
        return {"service": service, "previousState": state} | url
    if type.startswith("document."):
        return {"document": _DOCUMENT} | url
    noun = type.partition(".")[0]
    models = {"incident": "StatusIncidentDetail", "maintenance": "StatusMaintenance"}
    return {noun: {"$ref": REF.format(model=models[noun])}} | url
