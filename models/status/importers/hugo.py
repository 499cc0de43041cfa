"""Read names, keys and time zones as Hugo does; cState is a theme of Hugo."""

import re
from datetime import UTC, tzinfo
from typing import Any
from unicodedata import category
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ConfigDict

from models.errors import ValidationFailed
from models.external_formats import ExternalModel


class HugoSchema(ExternalModel):
    """A schema whose keys are in lower case; see `lowercase_keys`."""

    model_config = ConfigDict(alias_generator=lambda name: name.replace("_", ""))


def urlize(name: str) -> str:
    """Return a name as Hugo puts it into a path, like its function `urlize`."""
    characters = "".join(
        " " if char.isspace() else char
        for char in name.lower()
        if char.isspace() or char in "._-+~#@/" or category(char)[0] in "LMN"
    )
    words = " ".join(characters.split())
    return re.sub(" ?- ?", "-", words).replace(" ", "-")


def lowercase_keys(value: Any) -> Any:
    """Return the value with all keys in lower case: Hugo ignores their case."""
    if isinstance(value, list):
        return [lowercase_keys(item) for item in value]
    if isinstance(value, dict):
        return {str(key).lower(): lowercase_keys(item) for key, item in value.items()}
    return value


def time_zone(name: str) -> tzinfo:
    """Return the time zone; raise ValidationFailed if there is none of that name."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValidationFailed(f"There is no time zone '{name}'.") from None
