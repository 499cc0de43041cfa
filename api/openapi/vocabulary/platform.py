"""Members of keys."""

from typing import Any

_SCOPES = ["status:admin:measurements:record"]

FIELDS: dict[str, str | tuple[str, Any]] = {
    "accountId": "The account that the key belongs to.",
    "action": ("What was done to the key.", "add"),
    "expiresAt": ("When the key ends; null: never.", None),
    "expiresInDays": ("In how many days the key ends. Left out, never.", 365),
    "graceSeconds": "For how long the old secret goes on working.",
    "hash": ("The SHA-256 of the secret, in hexadecimal.", "9f86d081884c7d65" * 4),
    "id": "Which key, by its id.",
    "name": ("What the key is for, on one line.", "Probe in Frankfurt"),
    "prefix": ("How the secret begins: enough to tell keys apart.", "mh_7Gk2pQ9x"),
    "rateCapacity": ("Requests in a burst. Without it, as the settings say.", 100),
    "rateRefill": ("Requests a second. Without it, as the settings say.", 10.0),
    "scopes": ("What the key opens; * at the end opens all below.", _SCOPES),
    "secret": ("The key itself, told this once.", "mh_" + "7Gk2pQ9x" * 5 + "4vTz0c"),
    "status": "Whether it opens anything.",
    "targetKeyId": "The key that was changed.",
    "targetKeyName": ("What it was called then.", "Probe in Frankfurt"),
    "targetKeyPrefix": ("How its secret begins.", "mh_7Gk2pQ9x"),
}

EXAMPLE_FIELDS = {
    "CreateKey": ("expiresInDays",),
    "RotateKey": ("graceSeconds",),
    "UpdateKey": ("name", "rateCapacity"),
}
