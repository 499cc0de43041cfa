"""Describe the fields that mean the same in every area."""

from typing import Any

_ID = "0199d6c1-3b6a-7a10-8d5f-3f2a5f1c9b01"

FIELDS: dict[str, str | tuple[str, Any]] = {
    "accountId": "The ID of the account.",
    "action": ("The action that was recorded.", "work.created"),
    "actor": ("Who made the change.", "ada@example.com"),
    "at": "When the change was made.",
    "createdAt": "When it was created.",
    "cursor": (
        "The cursor from the previous page. Omit it for the first page.",
        "AQIDBAUGBwgJCgsMDQ4PEA",
    ),
    "detail": ("Details of the change.", None),
    "from": "The start of the time range; entries that end before it are omitted.",
    "limit": "The maximum number of entries on a page.",
    "offset": "The number of entries to skip.",
    "order": "The sort order: asc for ascending, desc for descending.",
    "q": ("Words to search for; all of them must occur.", "archive"),
    "status": "The status.",
    "targetId": ("The ID of the object that was changed.", _ID),
    "targetLabel": (
        "The name or title of the object at that time.",
        "Errors on the API",
    ),
    "targetType": "The type of the object that was changed.",
    "title": ("The title, on one line.", "Errors on the API"),
    "to": "The end of the time range; entries that begin after it are omitted.",
    "truncated": "Whether entries are missing because the limit was reached.",
    "updatedAt": "When it was last changed.",
}
