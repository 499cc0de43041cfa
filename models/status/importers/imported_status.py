"""What a reader of another status page finds, in our words and with its old names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any
from unicodedata import combining, normalize

from pydantic import Field, ValidationError

from models.base import Schema
from models.external_formats import first_error
from models.fields import SLUG_LENGTH, Moment, StatusSlug, slugify, unique_slug
from models.status.incidents.incidents import Body, IncidentStatus, IncidentTitle
from models.status.maintenance.windows import MaintenanceText
from models.status.services.catalogue import Description, Group, Hostname, ServiceName
from models.status.state import Severity

TITLE, TEXT, NAME, GROUP, DESCRIPTION = 160, 4000, 120, 64, 280

OldName = Annotated[str, Field(min_length=1, max_length=300)]
# Where a thing stood on the page that it comes from. No page of ours is there.
OLD_ADDRESS = (
    r"^/(affected|history|incident|incidents|issues)/[A-Za-z0-9][A-Za-z0-9._-]{0,150}$"
)
OldAddress = Annotated[str, Field(pattern=OLD_ADDRESS)]


class MovingService(Schema):
    old: OldName
    address: OldAddress | None = None
    slug: StatusSlug
    name: ServiceName
    description: Description | None = None
    hostname: Hostname | None = None
    group: Group | None = None


class MovingEntry(Schema):
    status: IncidentStatus
    body: Body
    at: Moment


class MovingIncident(Schema):
    old: OldName
    address: OldAddress | None = None
    title: IncidentTitle
    severity: Severity
    status: IncidentStatus
    started_at: Moment
    resolved_at: Moment | None
    services: list[str]
    entries: list[MovingEntry]


class MovingWindow(Schema):
    old: OldName
    address: OldAddress | None = None
    title: IncidentTitle
    description: MaintenanceText = None
    starts_at: Moment
    ends_at: Moment
    # When it was said to be over before its end.
    completed_at: Moment | None = None
    # When it was called off before its start.
    cancelled_at: Moment | None = None
    announced_at: Moment
    services: list[str]

    @property
    def written(self) -> str:
        """What a person said of it; all else is the clock's."""
        if self.cancelled_at:
            return "cancelled"
        return "completed" if self.completed_at else "scheduled"


@dataclass
class Cargo:
    """All that was found; `source` names the page, so that it is known again."""

    source: str
    services: list[MovingService] = field(default_factory=list)
    incidents: list[MovingIncident] = field(default_factory=list)
    windows: list[MovingWindow] = field(default_factory=list)
    # What cannot come along, and why.
    left_out: list[tuple[str, str]] = field(default_factory=list)

    def add_service(self, **members: Any) -> None:
        """Add a service under a slug that no other of this page has."""
        taken = {each.slug for each in self.services}
        slug = unique_slug(slug_of(members["name"]), taken)
        self._add(self.services, MovingService, slug=slug, **members)

    def add_incident(self, **members: Any) -> None:
        self._add(self.incidents, MovingIncident, **members)

    def add_window(self, **members: Any) -> None:
        self._add(self.windows, MovingWindow, **members)

    def _add(self, into: list[Any], kind: Any, **members: Any) -> None:
        """What breaks a rule is left out with the rule that it breaks."""
        try:
            into.append(kind(**members))
        except ValidationError as error:
            self.left_out.append((members["old"], first_error(error)))


def folded(name: str) -> str:
    """Return the name without the marks on its letters."""
    return "".join(c for c in normalize("NFKD", name) if not combining(c))


def slug_of(name: str) -> str:
    """Return a slug for any name at all."""
    slug = slugify(folded(name))
    slug = slug if slug[:1].isalpha() else f"service-{slug}"
    return slug[:SLUG_LENGTH].rstrip("-")


def old_address(folder: str, name: str) -> str | None:
    """Return where a thing stood, None where a file of ours cannot stand."""
    found = f"/{folder}/{name}"
    return found if re.fullmatch(OLD_ADDRESS, found) else None


def line(text: str, most: int) -> str:
    """Return the text as one line, cut where it is too long."""
    printed = "".join(char if char.isprintable() else " " for char in text)
    return fitted(" ".join(printed.split()), most)


def plain(text: str) -> str:
    """Return the text with our ends of lines and without what no text has."""
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "").strip()


def fitted(text: str, most: int = TEXT) -> str:
    """Return the text, cut where it is too long."""
    text = plain(text)
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def passages(text: str, most: int = TEXT) -> Iterator[str]:
    """Yield the text in parts that fit, cut at the end of a passage, line or word."""
    left = plain(text)
    while len(left) > most:
        ends = (left.rfind(mark, 1, most) for mark in ("\n\n", "\n", " "))
        end = next((each for each in ends if each > 0), most)
        yield left[:end].rstrip()
        left = left[end:].lstrip()
    if left:
        yield left
