"""Describe the fields of API keys."""

from typing import Any

_SCOPES = ["status:admin:measurements:record"]

FIELDS: dict[str, str | tuple[str, Any]] = {
    "accountId": "The ID of the account that owns the key.",
    "action": ("The action that was recorded.", "add"),
    "expiresAt": ("When the key expires. null: never.", None),
    "expiresInDays": ("The number of days until the key expires. Default: never.", 365),
    "graceSeconds": "The number of seconds for which the old secret remains valid.",
    "hash": ("The SHA-256 of the secret, in hexadecimal.", "9f86d081884c7d65" * 4),
    "id": "The ID of the key.",
    "name": ("What the key is used for, on one line.", "Probe in Frankfurt"),
    "prefix": ("The first characters of the secret, which identify it.", "mh_7Gk2pQ9x"),
    "rateCapacity": (
        "The number of requests allowed in a burst. null: the server's default.",
        100,
    ),
    "rateRefill": (
        "The number of requests allowed per second. null: the server's default.",
        10.0,
    ),
    "scopes": ("The scopes of the key; a final * stands for all below.", _SCOPES),
    "secret": (
        "The secret. It is returned only once.",
        "mh_" + "7Gk2pQ9x" * 5 + "4vTz0c",
    ),
    "status": "The status; expired keys are revoked, too.",
    "targetKeyId": "The ID of the key that was changed.",
    "targetKeyName": ("The name of the key at that time.", "Probe in Frankfurt"),
    "targetKeyPrefix": ("The first characters of the key's secret.", "mh_7Gk2pQ9x"),
}

EXAMPLE_FIELDS = {
    "CreateKey": ("expiresInDays",),
    "RotateKey": ("graceSeconds",),
    "UpdateKey": ("name", "rateCapacity"),
}
