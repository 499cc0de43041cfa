"""Read and change the incidents and maintenance windows of another server."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any, Self

from api.client.key_file import KEY_SETTING
from api.client.operations import INSUFFICIENT_SCOPE, NOT_FOUND, ApiClient, ApiProblem
from models.runtime.commands import CommandError

PATH = "/status/v1"
ADMIN_PATH = f"{PATH}/admin"
# Whoever is on call waits no longer for an answer, and for a server that is busy.
REQUEST_SECONDS, PATIENCE_SECONDS = 30, 60
PAGE_LIMIT, MAX_PAGES = 100, 1000
MAX_NAMED_SERVICES = 10
KEY_KINDS = ("invalid-key", "key-revoked", "key-expired", INSUFFICIENT_SCOPE)
# The options of the commands, by the place of the field in a request.
OPTIONS = {
    "/title": "The title",
    "/body": "--message",
    "/description": "--message",
    "/services": "--service",
    "/id": "The id",
    "/incidentId": "The id",
}
_POINTER = re.compile(r"(/[A-Za-z]+)(/\d+)?(?=: )")
# Ids become part of addresses and of commands that people copy.
_ID = re.compile(r"[0-9A-Za-z-]{1,64}")

# The path of an operation under ADMIN_PATH, and its body.
Change = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Subject:
    """
    An incident or a maintenance window, with what the server says of it in `data`.

    Not a schema of the domain, which takes longer to import than the command takes.
    """

    data: dict[str, Any]
    id: str
    title: str
    status: str

    @classmethod
    def parse(cls, data: Any) -> Self:
        """Return the subject in an answer; raise CommandError if it has none."""
        if not isinstance(data, dict):
            raise _not_understood()
        texts = [data.get(name) for name in ("id", "title", "status")]
        id, title, status = (text if isinstance(text, str) else "" for text in texts)
        if not _ID.fullmatch(id):
            raise _not_understood()
        return cls(data, id, title, status)

    def text(self, name: str) -> str:
        """Return another field, such as a time."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    @property
    def slugs(self) -> list[str]:
        """The services that are affected."""
        services = self.data.get("services")
        if not isinstance(services, list):
            return []
        return [
            str(each["slug"])
            for each in services
            if isinstance(each, dict) and "slug" in each
        ]


def _not_understood() -> CommandError:
    return CommandError(
        "The server answers as another version of Masthead does: update the older of"
        " the two."
    )


@dataclass
class StatusPageClient:
    """
    A client of the status page of a server.

    Changes are sent with the idempotency key, or as a dry run.
    """

    api: ApiClient
    idempotency_key: str
    is_dry_run: bool = False
    # Whether an earlier command with the idempotency key made the last change.
    is_replayed: bool = False
    # Whether a change was sent, so that it may have been made.
    has_sent: bool = False
    # What a repeat of the command must name beside the idempotency key.
    repeat_with: list[str] = field(default_factory=list)

    def make(self, *changes: Change) -> list[Any]:
        """
        Make the changes, and return the data of their answers.

        Several are tried before the first is made, so that a refusal of one leaves
        nothing half done.
        """
        if len(changes) > 1 and not self.is_dry_run:
            for path, body in changes:
                self._send(path, body, is_dry_run=True)
        return [
            self._send(path, body, is_dry_run=self.is_dry_run) for path, body in changes
        ]

    def _send(self, path: str, body: dict[str, Any], *, is_dry_run: bool) -> Any:
        headers = {"Idempotency-Key": self.idempotency_key}
        headers |= {"Dry-Run": "true"} if is_dry_run else {}
        self.has_sent |= not is_dry_run
        try:
            sent = json.dumps(body, ensure_ascii=False).encode()
            answer = self.api.change(f"{ADMIN_PATH}/{path}", sent, headers)
        except ApiProblem as problem:
            is_unknown = problem.kind == "reference-not-found"
            is_about_services = is_unknown or str(problem).startswith("/services")
            slugs = body.get("services", []) if is_about_services else []
            raise self._error(problem, self._nearest_services(slugs)) from problem
        self.is_replayed = answer.is_replayed
        return answer.data

    def incidents(self, query: dict[str, str]) -> list[Subject]:
        """Return the incidents that match the query, newest first."""
        return [*map(Subject.parse, self._list("incidents/list", query))]

    def windows(self, query: dict[str, str]) -> list[Subject]:
        """Return the maintenance windows that match the query, newest first."""
        return [*map(Subject.parse, self._list("maintenance/list", query))]

    def window_with_id(self, id: str) -> Subject:
        return Subject.parse(self._get("maintenance/get", {"id": id}).data)

    def _list(self, path: str, query: dict[str, str]) -> Iterator[Any]:
        limited = query | {"limit": str(PAGE_LIMIT)}
        cursor: dict[str, str] = {}
        for _ in range(MAX_PAGES):
            page = self._get(path, limited | cursor)
            if not isinstance(page.data, list):
                raise _not_understood()
            yield from page.data
            meta = page.meta if isinstance(page.meta, dict) else {}
            if not (next_cursor := meta.get("cursor")):
                return
            cursor = {"cursor": str(next_cursor)}
        raise CommandError(f"{self.api.url} answers {path} with pages without end.")

    def _get(self, path: str, query: dict[str, str]) -> Any:
        try:
            return self.api.get(f"{PATH}/{path}", query)
        except ApiProblem as problem:
            raise self._error(problem) from problem

    def _error(self, problem: ApiProblem, hint: str = "") -> CommandError:
        detail = _POINTER.sub(
            lambda match: OPTIONS.get(match[1], match[0]), str(problem), count=1
        )
        return CommandError(f"{self.api.url}: {detail}{hint or _hint(problem)}")

    def _nearest_services(self, slugs: Sequence[str]) -> str:
        """Return which services unknown slugs may have meant, if the key may know."""
        if not slugs:
            return ""
        try:
            services = self.api.get(f"{PATH}/services/list", {}).data["services"]
            names = {str(each["slug"]): str(each["name"]) for each in services}
        except (ApiProblem, CommandError, KeyError, TypeError):
            return ""
        meant = [
            near
            for slug in slugs
            if slug not in names
            for near in _nearest(slug, names)
        ]
        if meant:
            return f" Did you mean {' or '.join(dict.fromkeys(meant))}?"
        if names and len(names) <= MAX_NAMED_SERVICES:
            return f" The services are {', '.join(names)}."
        return ""


def _nearest(slug: str, names: dict[str, str]) -> list[str]:
    """Return up to three slugs that are like this one, or whose names are."""
    texts = {name.lower(): known for known, name in names.items()}
    texts |= {known: known for known in names}
    matches = get_close_matches(slug.lower(), texts, n=3)
    return list(dict.fromkeys(texts[match] for match in matches))


def _hint(problem: ApiProblem) -> str:
    """Return what the sentence of the server cannot know."""
    if problem.kind in KEY_KINDS:
        return f" The key is that in {KEY_SETTING}."
    if problem.kind == NOT_FOUND:
        return " Give the URL of the API, without a path."
    return ""


def require_id(id: str) -> str:
    """Return the id; raise CommandError if no incident or window can have it."""
    if not _ID.fullmatch(id):
        raise CommandError(
            "An id consists of letters, digits and hyphens, such as"
            " 019cab2d-8e00-7000-8000-0123456789ab."
        )
    return id
