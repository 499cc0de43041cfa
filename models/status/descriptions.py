"""Describe the fields that several schemas of the status page have."""

from pydantic import Field

from models.fields import EXAMPLE_ID

SERVICE_SLUG = Field(description="The slug of the service.", examples=["api"])
TITLE = Field(description="The title, on one line.", examples=["Errors on the API"])
GROUP = Field(
    description="The heading under which the service is listed.", examples=["Core"]
)
SOURCE = Field(description="The name of the probe.", examples=["probe-frankfurt"])
INCIDENT_ID = Field(description="The ID of the incident.", examples=[EXAMPLE_ID])
HOSTNAME = Field(
    description="The hostname of the service.", examples=["api.example.com"]
)
BODY = Field(
    description="The text on the status page, as Markdown.",
    examples=["We are investigating."],
)
SERVICE_DESCRIPTION = Field(
    description="What the service does, on one line.",
    examples=["Answers every request."],
)
SERVICE_NAME = Field(
    description="The name on the status page, on one line.", examples=["Public API"]
)
SERVICES = Field(description="The services.")
DISPLAY_ORDER = Field(
    description="The position in the list, lowest first.", examples=[10]
)
