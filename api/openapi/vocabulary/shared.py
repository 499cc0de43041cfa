"""Members that mean the same in every area."""

from typing import Any

_ID = "0199d6c1-3b6a-7a10-8d5f-3f2a5f1c9b01"

FIELDS: dict[str, str | tuple[str, Any]] = {
    "accountId": "The account, by its id.",
    "action": ("What was done.", "work.created"),
    "actor": ("Who did it.", "ada@example.com"),
    "at": "When it was done.",
    "createdAt": "When it was made.",
    "cursor": (
        "Where to go on: the cursor of the page before. Left out, the first page.",
        "AQIDBAUGBwgJCgsMDQ4PEA",
    ),
    "detail": ("What else is known of the change.", None),
    "from": "Nothing that is wholly before this instant.",
    "limit": "How many at most.",
    "offset": "How many to pass over.",
    "order": "asc: the smallest or oldest first; desc: the other way round.",
    "q": ("Words that must be found in it.", "archive"),
    "scopes": ("What it opens.", ["status:services:list"]),
    "status": "Where it stands.",
    "targetId": (
        "What was changed, by its id.",
        _ID,
    ),
    "targetLabel": ("What it was called then.", "Errors on the API"),
    "targetType": "What kind of thing was changed.",
    "title": ("What it is about, on one line.", "Errors on the API"),
    "to": "Nothing that is wholly after this instant.",
    "truncated": "Whether there is more than is told.",
    "updatedAt": "When it was last changed.",
}
