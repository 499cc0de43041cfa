"""Name fields and their values as the manual does."""

import re

# Where the name of a field is not what the manual calls it.
_LABELS = {
    "body": "Message",
    "endsAt": "Ends",
    "expectedUpdatedAt": "Changed last at",
    "expectedVersion": "Version",
    "id": "ID",
    "notify": "Notify subscribers",
    "q": "Search",
    "startsAt": "Starts",
    "type": "Type",
    "url": "URL",
}
_ABBREVIATIONS = {
    "id": "ID",
    "ids": "IDs",
    "ms": "ms",
    "url": "URL",
    "sha256": "SHA-256",
}
_WORD = re.compile(r"[A-Z]?[a-z0-9]+|[A-Z]+")


def field_label(name: str) -> str:
    """Return `Started at` for `startedAt`."""
    if label := _LABELS.get(name):
        return label
    words = [word.lower() for word in _WORD.findall(name)] or [name]
    text = " ".join(_ABBREVIATIONS.get(word, word) for word in words)
    return text[:1].upper() + text[1:]


def value_label(value: str) -> str:
    """Return `Partial outage` for `partial-outage`; codes stay as they are."""
    if "." in value or ":" in value:
        return value
    text = value.replace("-", " ").replace("_", " ")
    return text[:1].upper() + text[1:]
