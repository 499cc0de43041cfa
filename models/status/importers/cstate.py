"""Parse a cState site: the systems of its configuration and its Markdown issues."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from unicodedata import category
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import ConfigDict

from models.errors import ValidationFailed
from models.external_formats import (
    ExternalModel,
    ExternalMoment,
    OptionalExternalMoment,
    external_moment_or_none,
    validate_as,
)
from models.front_matter import (
    UnreadableFile,
    parse_yaml_file,
    split_front_matter,
)
from models.status.importers.html_to_markdown import strip_comments
from models.status.importers.imported_status import (
    ImportedStatus,
    external_path,
    updates_with,
)
from models.status.state import Severity

CONFIGURATIONS = ("config.yml", "config.yaml", "hugo.yml", "hugo.yaml")
ISSUES = "content/issues"

SEVERITIES: dict[str, Severity] = {
    "notice": "degraded",
    "disrupted": "partial-outage",
    "down": "major-outage",
}
STATUSES = {"investigating", "identified", "monitoring", "resolved"}
# The shortcode that ends an entry of the timeline and has its time.
_TRACK = re.compile(r'\{\{[<%]\s*+track\s++"?+([^"<>%]*+)"?+\s*+[>%]\}\}')
# A thematic break. Right below text such a line would make a heading of it.
_THEMATIC_BREAK = re.compile(
    r"(?<!\S\n)^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$", re.MULTILINE
)
# The emphasized text that an entry may begin with, such as a status.
_LEADING_EMPHASIS = re.compile(r"([*_]{1,3})([^*_\n]{1,40}?)\1\s*[-–—:]*\s*")
# Whitespace around an entry; editors write line breaks as backslashes.
_WHITESPACE = " \t\r\n\\"


class HugoSchema(ExternalModel):
    """A schema whose keys are in lower case; see `lowercase_keys`."""

    model_config = ConfigDict(alias_generator=lambda name: name.replace("_", ""))


class Category(HugoSchema):
    name: str
    untitled: bool = False


class System(HugoSchema):
    name: str
    display_name: str | None = None
    description: str | None = None
    category: str | None = None


class Params(HugoSchema):
    categories: list[Category] | None = None
    systems: list[System] | None = None


class Configuration(HugoSchema):
    title: str = ""
    base_url: str = ""
    time_zone: str = "UTC"
    params: Params = Params()

    @property
    def source(self) -> str:
        """The base URL, or the title if the base URL is only a path."""
        name = self.base_url if "//" in self.base_url else self.title
        return f"cstate {name or self.base_url}".strip()


class Issue(HugoSchema):
    title: str
    date: ExternalMoment
    resolved: bool | None = None
    resolved_when: OptionalExternalMoment = None
    severity: str | None = None
    affected: list[str] | str | None = None
    informational: bool | None = None
    draft: bool | None = None
    slug: str | None = None

    @property
    def is_resolved(self) -> bool:
        """Whether it says so or, if it does not say, has a time of resolution."""
        return self.resolved if self.resolved is not None else bool(self.resolved_when)

    @property
    def resolved_at(self) -> datetime | None:
        """The time of resolution, unless that is before the beginning."""
        at = self.resolved_when if self.is_resolved else None
        return None if at is None or at < self.date else at

    @property
    def systems(self) -> list[str]:
        if isinstance(self.affected, str):
            return [self.affected]
        return list(dict.fromkeys(self.affected or []))


class Entry(NamedTuple):
    """A part of an issue's text; `is_closing` if it was added on resolution."""

    at: datetime
    text: str
    is_closing: bool


def parse(files: Mapping[str, str]) -> ImportedStatus:
    """Parse the systems as services, and the issues as incidents."""
    configuration = _configuration(files)
    zone = time_zone(configuration.time_zone)
    status = ImportedStatus(configuration.source)
    for system, group in _systems_with_groups(configuration.params):
        status.add_service(
            external_id=system.name,
            path=external_path("affected", urlize(system.name)),
            name=system.display_name or system.name,
            description=system.description,
            group=group,
        )
    for path in sorted(files):
        if PurePosixPath(path).match(f"{ISSUES}/*.md"):
            _add_issue(status, path, files[path], zone)
    return status


def _configuration(files: Mapping[str, str]) -> Configuration:
    name = next((name for name in CONFIGURATIONS if name in files), None)
    if name is None:
        raise ValidationFailed("There is no config.yml with the systems of cState.")
    values = parse_yaml_file(files[name], name) or {}
    return validate_as(Configuration, lowercase_keys(values), name)


def _systems_with_groups(params: Params) -> list[tuple[System, str]]:
    """Return the systems by category; an untitled category is no group."""
    categories = params.categories or []
    names = [category.name for category in categories]
    groups = {c.name: "" if c.untitled else c.name for c in categories}

    def position(system: System) -> int:
        is_known = system.category in names
        return names.index(system.category or "") if is_known else len(names)

    systems = sorted(params.systems or [], key=position)
    return [(system, groups.get(system.category or "", "")) for system in systems]


def _add_issue(status: ImportedStatus, path: str, text: str, zone: tzinfo) -> None:
    name = PurePosixPath(path).stem
    if name.startswith("_"):
        return
    try:
        front_matter, body = split_front_matter(text)
        values = lowercase_keys(front_matter)
        issue = validate_as(Issue, values, "The front matter", zone)
    except (UnreadableFile, ValidationFailed) as error:
        status.leave_out(name, str(error))
        return
    if issue.informational:
        status.leave_out(name, "It is an announcement, not an incident.")
    elif issue.draft:
        status.leave_out(name, "It is a draft.")
    else:
        updates = list(_updates(issue, strip_comments(body), zone))
        services = _external_ids(status, issue.systems)
        status.add_incident(**_incident(name, issue, updates), services=services)


def _external_ids(status: ImportedStatus, systems: list[str]) -> list[str]:
    """Return the systems as the configuration spells them, if it has their path."""
    ids = {urlize(s.external_id): s.external_id for s in status.services}
    return list(dict.fromkeys(ids.get(urlize(system), system) for system in systems))


def _incident(name: str, issue: Issue, updates: list[dict[str, Any]]) -> dict[str, Any]:
    resolved_at, status = None, updates[-1]["status"] if updates else "investigating"
    if issue.is_resolved:
        last = updates[-1]["created_at"] if updates else issue.date
        resolved_at = max(issue.resolved_at or last, issue.date)
        status = "resolved"
    elif status == "resolved":
        status = "investigating"
    return {
        "external_id": name,
        "path": external_path("issues", urlize(issue.slug or name)),
        "title": issue.title,
        "severity": SEVERITIES.get((issue.severity or "").lower(), "degraded"),
        "status": status,
        "started_at": issue.date,
        "resolved_at": resolved_at,
        "updates": updates,
    }


def _updates(issue: Issue, body: str, zone: tzinfo) -> Iterator[dict[str, Any]]:
    """Yield the timeline, oldest first, with the statuses that the text names."""
    entries = sorted(_entries(issue, body, zone), key=lambda entry: entry.at)
    first, last = (entries[0].at, entries[-1].at) if entries else (issue.date,) * 2
    # If all entries are dated after the resolution, as by the clock of another time
    # zone, only the last one resolves the incident.
    resolved_at = last
    if issue.resolved_at and first < issue.resolved_at:
        resolved_at = issue.resolved_at
    status = "investigating"
    for at, text, is_closing in entries:
        named = _leading_status(text)
        if named:
            status, text = named
        elif issue.is_resolved and (is_closing or at >= resolved_at):
            status = "resolved"
        yield from updates_with(status, text, at)


def _leading_status(text: str) -> tuple[str, str] | None:
    """Return the status that a text begins with, and the rest of the text."""
    match = _LEADING_EMPHASIS.match(text)
    status = match[2].strip().strip(":").lower() if match else ""
    return (status, text[match.end() :]) if match and status in STATUSES else None


def _entries(issue: Issue, body: str, zone: tzinfo) -> Iterator[Entry]:
    """
    Yield the entries of the text.

    The one without a time was written when the issue began, or last if the entries
    are in chronological order. The closing text was written on resolution.
    """
    closing, text = _split_closing(body, issue.is_resolved)
    *tracked, rest = _TRACK.split(text)
    dated = [
        (external_moment_or_none(at, zone) or issue.date, entry)
        for entry, at in zip(tracked[::2], tracked[1::2], strict=True)
    ]
    last = max([issue.date, *(at for at, _ in dated)])
    # cState asks for the newest first, but some write the oldest first.
    is_chronological = len(dated) > 1 and dated[0][0] < dated[-1][0]
    if is_chronological:
        in_order = [*dated, (last, rest)]
    else:
        in_order = [(issue.date, rest), *dated[::-1]]
    for at, entry in in_order:
        if entry.strip(_WHITESPACE):
            yield Entry(at, entry.strip(_WHITESPACE), is_closing=False)
    if closing:
        yield Entry(max(issue.resolved_at or last, last), closing, is_closing=True)


def _split_closing(body: str, is_resolved: bool) -> tuple[str, str]:
    """
    Return the text that was added on resolution, and the rest.

    It stands above a thematic break and has no time. The text of a resolved issue
    without breaks and times is all of it.
    """
    above, *below = _THEMATIC_BREAK.split(body, maxsplit=1)
    if _TRACK.search(above) or not (below or is_resolved):
        return "", body
    named = _leading_status(above.strip())
    if not below and named and named[0] != "resolved":
        return "", body
    return above.strip(), "".join(below)


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
