"""Describe the fields that several schemas of API keys have."""

from pydantic import Field

KEY_STATUS = Field(description="The status; expired keys are revoked, too.")
KEY_NAME = Field(
    description="What the key is used for, on one line.",
    examples=["Probe in Frankfurt"],
)
KEY_ID = Field(description="The ID of the key.")
SCOPES = Field(
    description="The scopes of the key; a final * stands for all below.",
    examples=[["status:admin:measurements:record"]],
)
RATE_REFILL = Field(
    description="The number of requests allowed per second. null: the server's"
    " default.",
    examples=[10.0],
)
RATE_CAPACITY = Field(
    description="The number of requests allowed in a burst. null: the server's"
    " default.",
    examples=[100],
)
