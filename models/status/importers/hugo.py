"""What Hugo makes of names and times: cState is a theme of it."""

import re
from datetime import UTC, tzinfo
from typing import Any
from unicodedata import category
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ConfigDict

from models.errors import ValidationFailed
from models.external_formats import ExternalModel


class OfHugo(ExternalModel):
    """Names of Hugo may be written in any case: here they have lower case alone."""

    model_config = ConfigDict(alias_generator=lambda name: name.replace("_", ""))


def urlized(name: str) -> str:
    """Return a name as it stands in an address of Hugo: in its signs, not ours."""
    kept = "".join(
        " " if char.isspace() else char
        for char in name.lower()
        if char.isspace() or char in "._-+~#@/" or category(char)[0] in "LMN"
    )
    return re.sub(" +", "-", re.sub(" *- *", "-", kept.strip()))


def lowered(said: Any) -> Any:
    """Return the same with every name in lower case: Hugo reads any."""
    if isinstance(said, list):
        return [lowered(each) for each in said]
    if isinstance(said, dict):
        return {str(name).lower(): lowered(value) for name, value in said.items()}
    return said


def zone_named(name: str) -> tzinfo:
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValidationFailed(f"There is no time zone '{name}'.") from None
