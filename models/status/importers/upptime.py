"""Upptime: the sites of its configuration, and its issues as GitHub tells them."""

import re
from collections import ChainMap
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import yaml

from models.errors import ValidationFailed
from models.external_formats import (
    ExternalCamelModel,
    ExternalModel,
    ExternalMoment,
    OptionalExternalMoment,
    parse_external_moment,
    parse_json,
    validate_as,
)
from models.fields import slugify
from models.front_matter import load_yaml
from models.status.importers.html_to_markdown import comments_in, uncommented
from models.status.importers.imported_status import (
    NAME,
    TITLE,
    Cargo,
    fitted,
    folded,
    line,
    old_address,
    passages,
    slug_of,
)

CONFIGURATION = ".upptimerc.yml"
HISTORY = "history"
# What `gh issue list --json` writes; the repository itself holds no issues.
ISSUES = "issues.json"
OUTAGE, MAINTENANCE = "status", "maintenance"

_NAME = r"\b(start|end|expectedDown|expectedDegraded)[ \t]*:"
_MEMBER = re.compile(rf"{_NAME}[ \t]*([^\n]*?)[ \t]*(?={_NAME}|\n|\Z)")
# What is left of a block of code of which all was a comment.
_EMPTY_BLOCK = re.compile(r"^(`{3,8}|~{3,8})[^\n]*\n\s*\1[ \t]*$", re.MULTILINE)
# Where a new word begins in a name without spaces.
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-rt-z0-9])")


class Site(ExternalModel):
    name: str
    url: str = ""
    slug: str | None = None


class Configuration(ExternalModel):
    owner: str
    repo: str
    sites: list[Site] | None = None


class Past(ExternalModel):
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
    def named(self) -> list[str]:
        return [each.name for each in self.labels]

    @property
    def is_closed(self) -> bool:
        return self.state.upper() == "CLOSED"

    @property
    def told(self) -> list[tuple[datetime, str]]:
        """The text and the comments, without what readers did not see."""
        told = [(self.created_at, uncommented(self.body or ""))]
        seen = [each for each in self.comments if not each.is_minimized]
        told += [(each.created_at, uncommented(each.body)) for each in seen]
        return [(at, _EMPTY_BLOCK.sub("", text).strip()) for at, text in told]


def cargo(files: Mapping[str, str]) -> Cargo:
    """Return the sites as services; incidents and windows where issues were saved."""
    configuration = validate_as(
        Configuration, _yaml(files[CONFIGURATION], CONFIGURATION), CONFIGURATION
    )
    found = Cargo(f"upptime {configuration.owner}/{configuration.repo}")
    slugs = _slugs(files)
    for site in configuration.sites or []:
        slug = _slug(site, slugs)
        found.add_service(
            old=slug,
            address=old_address("history", slug),
            name=line(site.name, NAME),
            hostname=_host(site.url),
        )
    if ISSUES in files:
        for issue in parse_json(list[Issue], files[ISSUES], ISSUES):
            if MAINTENANCE in issue.named:
                _add_window(found, issue)
            elif OUTAGE in issue.named:
                found.add_incident(**_incident(found, issue))
    return found


def _yaml(text: str, name: str) -> Any:
    try:
        return load_yaml(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        raise ValidationFailed(f"{name} is not YAML that can be read.") from None


def _slugs(files: Mapping[str, str]) -> dict[str, set[str]]:
    """Return what Upptime calls the sites, by the addresses that it asks."""
    found: dict[str, set[str]] = {}
    for path in sorted(files):
        if PurePosixPath(path).match(f"{HISTORY}/*.yml"):
            said = _yaml(files[path], path)
            # The first Upptime wrote a list of pairs.
            if isinstance(said, list):
                said = dict(
                    ChainMap(*(each for each in said if isinstance(each, dict)))
                )
            past = validate_as(Past, said or {}, path)
            found.setdefault(past.url or "", set()).add(PurePosixPath(path).stem)
    return found


def _slug(site: Site, slugs: Mapping[str, set[str]]) -> str:
    """Return what Upptime calls a site: several may be asked at one address."""
    own = slugify(folded(_HUMP.sub(" ", site.name))) or slug_of(site.name)
    asked = slugs.get(site.url, set())
    if site.slug or own in asked or len(asked) != 1:
        return site.slug or own
    return next(iter(asked))


def _host(url: str) -> str | None:
    """Return the host that is asked; one that only a secret tells stays secret."""
    try:
        host = urlsplit(url if "//" in url else f"//{url}").hostname or ""
    except ValueError:
        return None
    return host if re.fullmatch(r"[a-z0-9.:-]{1,253}", host) else None


def _named(found: Cargo, issue: Issue, names: list[str]) -> dict[str, Any]:
    known = {each.old for each in found.services}
    return {
        "old": str(issue.number),
        "address": old_address("incident", str(issue.number)),
        "title": line(issue.title, TITLE),
        "services": [each for each in names if each in known],
    }


def _incident(found: Cargo, issue: Issue) -> dict[str, Any]:
    entries = list(_entries(issue))
    last = entries[-1]
    # Some stay open after that was said, where nothing could close them.
    is_over = issue.is_closed or last["status"] == "resolved"
    over = (issue.closed_at or last["at"]) if is_over else None
    return {
        **_named(found, issue, issue.named),
        "severity": "degraded" if "degraded" in issue.title.lower() else "major-outage",
        "status": "resolved" if over else "investigating",
        "started_at": issue.created_at,
        "resolved_at": max(over, issue.created_at) if over else None,
        "entries": entries,
    }


def _entries(issue: Issue) -> Iterator[dict[str, Any]]:
    (opened_at, body), *comments = issue.told
    for at, text in [(opened_at, body or issue.title), *comments]:
        is_over = text.startswith("**Resolved:**")
        status = "resolved" if is_over else "investigating"
        for part in passages(text.removeprefix("**Resolved:**")):
            yield {"status": status, "body": part, "at": at}


def _add_window(found: Cargo, issue: Issue) -> None:
    """The times stand in a comment of the text, where readers do not see them."""
    hidden = "\n".join(comments_in(issue.body or ""))
    said = {name: value for name, value, _ in _MEMBER.findall(hidden)}
    starts, ends = _moment(said.get("start")), _moment(said.get("end"))
    if starts is None or ends is None or ends <= starts:
        why = "A maintenance needs a start, and an end that is later."
        found.left_out.append((f"issue {issue.number}", why))
        return
    listed = f"{said.get('expectedDown', '')},{said.get('expectedDegraded', '')}"
    names = [each.strip() for each in listed.split(",")]
    closed = (issue.closed_at if issue.is_closed else None) or ends
    found.add_window(
        **_named(found, issue, list(dict.fromkeys(names))),
        description=fitted("\n\n".join(text for _, text in issue.told if text)),
        starts_at=starts,
        ends_at=ends,
        completed_at=closed if starts <= closed < ends else None,
        cancelled_at=closed if closed < starts else None,
        announced_at=issue.created_at,
    )


def _moment(said: str | None) -> datetime | None:
    try:
        return parse_external_moment(said) if said else None
    except ValueError:
        return None
