"""Map the names and values of monitoring tools to slugs and measurements."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from models.errors import ValidationFailed
from models.fields import StatusSlug, slugify
from models.status.measurements.measurements import StatusMeasurement
from models.status.state import MeasurementStatus

# The limit of StatusMeasurement.
MAX_RESPONSE_TIME_MS = 600_000

_SLUG: TypeAdapter[str] = TypeAdapter(StatusSlug)


class ServiceNames:
    """
    Maps names to the slugs of services.

    Names that are not in the given mapping are converted to slugs.
    """

    def __init__(self, slugs: Mapping[str, str] | None = None) -> None:
        self._slugs = {
            name: valid_slug(slug, name) for name, slug in (slugs or {}).items()
        }
        # Names without a mapping that were left out.
        self.left_out: list[str] = []

    def is_mapped(self, name: str) -> bool:
        return name in self._slugs

    def leave_out(self, name: str) -> None:
        """Remember that a name was left out; see `remarks`."""
        if name not in self.left_out:
            self.left_out.append(name)

    def remarks(self) -> Iterator[str]:
        for name in self.left_out:
            yield f"left out: {name}: map it to a service with --service {name}=SLUG."

    def slug(self, name: str, *specific_names: str) -> str:
        """Return the slug of a thing that may be mapped by more specific names."""
        for candidate in (*specific_names, name):
            if candidate in self._slugs:
                return self._slugs[candidate]
        return valid_slug(slugify(name), name)


def parse_service_options(options: Iterable[str]) -> dict[str, str]:
    """Parse NAME=SLUG options; a name may contain an equals sign, a slug may not."""
    slugs = {}
    for option in options:
        name, separator, slug = option.rpartition("=")
        if not (name and separator and slug):
            raise ValidationFailed(f"--service takes NAME=SLUG, not '{option}'.")
        slugs[name] = slug
    return slugs


def build_measurement(
    slug: str,
    status: MeasurementStatus,
    observed_at: datetime,
    response_time_ms: float | None = None,
) -> StatusMeasurement:
    """
    Return a measurement, with its response time rounded and within the limit.

    That of a service that is down says nothing, and is left out.
    """
    rounded = None
    if response_time_ms is not None and status != "down":
        rounded = min(max(round(response_time_ms), 0), MAX_RESPONSE_TIME_MS)
    return StatusMeasurement(
        slug=slug, status=status, observed_at=observed_at, response_time_ms=rounded
    )


def valid_slug(slug: str, name: str) -> str:
    """Return the slug; raise ValidationFailed if the API would reject it."""
    try:
        return _SLUG.validate_python(slug)
    except ValidationError:
        pass
    raise ValidationFailed(
        f"'{slug}', for '{name}', is not a valid slug. A slug has at most 64 lower-case"
        " letters, digits and hyphens, and begins with a letter. Set one with"
        " --service NAME=SLUG."
    )
