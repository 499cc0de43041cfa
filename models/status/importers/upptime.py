"""Parse an Upptime repository: the sites of its configuration and GitHub issues."""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

from models.external_formats import (
    ExternalCamelModel,
    ExternalModel,
    ExternalMoment,
    OptionalExternalMoment,
    external_moment_or_none,
    parse_json,
    validate_as,
)
from models.fields import slugify
from models.front_matter import parse_yaml_file
from models.status.importers.html_to_markdown import html_comments, strip_comments
from models.status.importers.imported_status import (
    ImportedStatus,
    external_path,
    slug_for,
    strip_accents,
    truncate,
    updates_with,
)

CONFIGURATION = ".upptimerc.yml"
HISTORY = "history"
# The output of `gh issue list --json`; the repository itself has no issues.
ISSUES = "issues.json"
OUTAGE_LABEL, MAINTENANCE_LABEL = "status", "maintenance"
RESOLVED_PREFIX = "**Resolved:**"

# The fields of a maintenance issue, in a comment of its text.
_KEY = re.compile(r"\b(start|end|expectedDown|expectedDegraded)[ \t]*:")
# A code block whose only content was a comment.
_EMPTY_BLOCK = re.compile(r"^(`{3,8}|~{3,8})[^\n]*\n\s*\1[ \t]*$", re.MULTILINE)
# The start of a word in a name in camel case.
_WORD_START = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-rt-z0-9])")


class Site(ExternalModel):
    name: str
    url: str = ""
    slug: str | None = None


class Configuration(ExternalModel):
    owner: str
    repo: str
    sites: list[Site] | None = None


class SiteHistory(ExternalModel):
    url: str | None = None


class Label(ExternalModel):
    name: str


class Comment(ExternalCamelModel):
    body: str = ""
    created_at: ExternalMoment
    is_minimized: bool = False


class Issue(ExternalCamelModel):
    number: int
    title: str
    body: str | None = None
    state: str = "OPEN"
    created_at: ExternalMoment
    closed_at: OptionalExternalMoment = None
    labels: list[Label] = []
    comments: list[Comment] = []

    @property
    def label_names(self) -> list[str]:
        return [label.name for label in self.labels]

    @property
    def is_closed(self) -> bool:
        return self.state.upper() == "CLOSED"

    @property
    def visible_texts(self) -> list[tuple[datetime, str]]:
        """The texts of the issue and of its comments, as readers see them."""
        texts = [(self.created_at, self.body or "")]
        texts += [(c.created_at, c.body) for c in self.comments if not c.is_minimized]
        return [
            (at, _EMPTY_BLOCK.sub("", strip_comments(text)).strip())
            for at, text in texts
        ]

    @property
    def resolved_at(self) -> datetime | None:
        """
        When it was last said to be resolved or, failing that, closed.

        People comment on issues, and close them, long after that. Some issues could
        not be closed at all.
        """
        said = [at for at, text in self.visible_texts if _is_resolution(text)]
        closed = [self.closed_at] if self.is_closed and self.closed_at else []
        ends = [*said[-1:], *closed]
        return max(min(ends), self.created_at) if ends else None


def parse(files: Mapping[str, str]) -> ImportedStatus:
    """Parse the sites as services, and the issues, if they were exported."""
    values = parse_yaml_file(files[CONFIGURATION], CONFIGURATION)
    configuration = validate_as(Configuration, values, CONFIGURATION)
    status = ImportedStatus(f"upptime {configuration.owner}/{configuration.repo}")
    slugs_by_url = _slugs_by_url(files)
    for site in configuration.sites or []:
        slug = _site_slug(site, slugs_by_url)
        status.add_service(
            external_id=slug,
            path=external_path("history", slug),
            name=site.name,
            hostname=_hostname(site.url),
        )
    if ISSUES in files:
        for issue in parse_json(list[Issue], files[ISSUES], ISSUES):
            if MAINTENANCE_LABEL in issue.label_names:
                _add_window(status, issue)
            elif OUTAGE_LABEL in issue.label_names:
                _add_incident(status, issue)
    return status


def _slugs_by_url(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return the slugs under which Upptime keeps the history of each URL."""
    slugs: dict[str, set[str]] = {}
    for path in sorted(files):
        if PurePosixPath(path).match(f"{HISTORY}/*.yml"):
            values = parse_yaml_file(files[path], path)
            # Early versions of Upptime wrote a list of pairs.
            if isinstance(values, list):
                pairs = (pair for pair in values if isinstance(pair, dict))
                values = dict(ChainMap(*pairs))
            history = validate_as(SiteHistory, values or {}, path)
            slugs.setdefault(history.url or "", set()).add(PurePosixPath(path).stem)
    return slugs


def _site_slug(site: Site, slugs_by_url: Mapping[str, set[str]]) -> str:
    """Return the slug that Upptime gives a site; several may have the same URL."""
    name = _WORD_START.sub(" ", site.name)
    slug = slugify(strip_accents(name)) or slug_for(site.name)
    known_slugs = slugs_by_url.get(site.url, set())
    if site.slug or slug in known_slugs or len(known_slugs) != 1:
        return site.slug or slug
    return next(iter(known_slugs))


def _hostname(url: str) -> str | None:
    """Return the host of a URL, None for one that is the name of a secret."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return None
    return host if re.fullmatch(r"[a-z0-9.:-]{1,253}", host) else None


def _add_incident(status: ImportedStatus, issue: Issue) -> None:
    is_degraded = "degraded" in issue.title.lower()
    status.add_incident(
        **_common_values(status, issue, issue.label_names),
        severity="degraded" if is_degraded else "major-outage",
        status="resolved" if issue.resolved_at else "investigating",
        started_at=issue.created_at,
        resolved_at=issue.resolved_at,
        updates=list(_updates(issue)),
    )


def _add_window(status: ImportedStatus, issue: Issue) -> None:
    """Add a window, whose times are in a comment of the issue's text."""
    comments = "\n".join(html_comments(issue.body or ""))
    _, *parts = _KEY.split(comments)
    # A value ends at the end of its line, if there is no other key before.
    values = [value.partition("\n")[0].strip(" \t") for value in parts[1::2]]
    fields = dict(zip(parts[::2], values, strict=True))
    starts_at = external_moment_or_none(fields.get("start", ""))
    ends_at = external_moment_or_none(fields.get("end", ""))
    if starts_at is None or ends_at is None or ends_at <= starts_at:
        reason = "Maintenance needs a start and a later end."
        status.leave_out(f"issue {issue.number}", reason)
        return
    names = f"{fields.get('expectedDown', '')},{fields.get('expectedDegraded', '')}"
    sites = dict.fromkeys(name.strip() for name in names.split(","))
    closed_at = (issue.closed_at if issue.is_closed else None) or ends_at
    status.add_window(
        **_common_values(status, issue, list(sites)),
        description=truncate("\n\n".join(t for _, t in issue.visible_texts if t)),
        starts_at=starts_at,
        ends_at=ends_at,
        completed_at=closed_at if starts_at <= closed_at < ends_at else None,
        cancelled_at=closed_at if closed_at < starts_at else None,
        announced_at=issue.created_at,
    )


def _common_values(
    status: ImportedStatus, issue: Issue, names: list[str]
) -> dict[str, Any]:
    known_ids = {service.external_id for service in status.services}
    return {
        "external_id": str(issue.number),
        "path": external_path("incident", str(issue.number)),
        "title": issue.title,
        "services": [name for name in names if name in known_ids],
    }


def _updates(issue: Issue) -> Iterator[dict[str, Any]]:
    """Yield the timeline, which has at least one update."""
    (opened_at, body), *comments = issue.visible_texts
    resolved_at = issue.resolved_at
    updates = [(opened_at, body or issue.title, False)]
    for at, text in comments:
        is_over = resolved_at is not None and at >= resolved_at
        updates.append((at, text, is_over or _is_resolution(text)))
    for at, text, is_resolved in updates:
        status = "resolved" if is_resolved else "investigating"
        yield from updates_with(status, text.removeprefix(RESOLVED_PREFIX), at)


def _is_resolution(text: str) -> bool:
    return text.startswith(RESOLVED_PREFIX)
