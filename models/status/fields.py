"""Define the field types that incidents and maintenance windows share."""

from datetime import datetime
from typing import Annotated

from pydantic import Field

from models.errors import ValidationFailed
from models.fields import TRIMMED, SingleLine, StatusSlug, WholeNumber

StatusId = Annotated[str, Field(min_length=1, max_length=64)]
StatusTitle = Annotated[str, TRIMMED, Field(min_length=1, max_length=160), SingleLine]
# Of what may change while somebody edits it: 1, and one more with each change.
Version = Annotated[WholeNumber, Field(gt=0, le=2**31)]
ServiceSlugs = Annotated[list[StatusSlug], Field(min_length=1, max_length=1000)]

# What several fields mean.
AffectedSlugs = Annotated[
    ServiceSlugs,
    Field(description="The slugs of the affected services.", examples=[["api"]]),
]
Notify = Annotated[
    bool,
    Field(
        description="Whether subscribers are told of the change; no response shows it.",
        examples=[True],
    ),
]


def require_valid_range(start: datetime | None, end: datetime | None) -> None:
    """Raise ValidationFailed if the query parameter `to` is before `from`."""
    if start and end and end < start:
        error = {
            "parameter": "to",
            "code": "range",
            "detail": "Must not be before from.",
        }
        raise ValidationFailed("The parameter to is before from.", error)
