"""What the converters share: names become slugs, samples become bodies to post."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from pydantic import TypeAdapter, ValidationError

from models.errors import ValidationFailed
from models.fields import StatusSlug, slugify
from models.status.measurements.measurements import (
    StatusMeasurement,
    StatusRecordMeasurements,
)

# As many as one body may hold, and the longest answer it may tell.
AT_ONCE = 200
LONGEST_MS = 600_000

_SLUG: TypeAdapter[str] = TypeAdapter(StatusSlug)


class Names:
    """Which service is meant by which name: as told, or else by the name itself."""

    def __init__(self, told: Mapping[str, str] | None = None) -> None:
        self._told = {name: _slug(slug, name) for name, slug in (told or {}).items()}
        # What was passed over, since nobody told what it is.
        self.untold: list[str] = []

    def is_told(self, name: str) -> bool:
        """Tell whether it was told which service this is; remember it if not."""
        if name not in self._told and name not in self.untold:
            self.untold.append(name)
        return name in self._told

    def remarks(self) -> Iterator[str]:
        for name in self.untold:
            yield f"left out: {name}: --service {name}=SLUG gives it a service."

    def slug(self, name: str, *closer: str) -> str:
        """Return the slug of what has this name, and others that say it closer."""
        for each in (*closer, name):
            if each in self._told:
                return self._told[each]
        return _slug(slugify(name), name)


def pairs(told: Iterable[str]) -> dict[str, str]:
    """Read NAME=SLUG; a name may hold signs of equality, a slug does not."""
    found = {}
    for each in told:
        name, sign, slug = each.rpartition("=")
        if not (name and sign and slug):
            raise ValidationFailed(f"--service takes NAME=SLUG, and '{each}' is not.")
        found[name] = slug
    return found


def sample(slug: str, **members: Any) -> StatusMeasurement:
    """Return a measurement; an answer that took too long took the longest time."""
    took = members.pop("response_time_ms", None)
    if took is not None:
        took = min(max(round(took), 0), LONGEST_MS)
    return StatusMeasurement(slug=slug, response_time_ms=took, **members)


def bodies(
    source: str, samples: Sequence[StatusMeasurement]
) -> Iterator[StatusRecordMeasurements]:
    """Yield bodies for measurements/record that hold the samples in their order."""
    left = iter(samples)
    _slug(source, "--source")
    while batch := list(islice(left, AT_ONCE)):
        yield StatusRecordMeasurements(source=source, measurements=batch)


def _slug(slug: str, name: str) -> str:
    try:
        return _SLUG.validate_python(slug)
    except ValidationError:
        pass
    raise ValidationFailed(
        f"'{slug}', for '{name}', is no slug: a lower-case letter, then letters, digits"
        " and hyphens, 64 in all. Say which service is meant with --service NAME=SLUG."
    )
