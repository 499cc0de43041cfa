"""Import a tree of documents into another server; see the steps in manifest.py."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import ValidationError

from api.client.key_file import KEY_SETTING, read_client_key
from api.client.operations import (
    INSUFFICIENT_SCOPE,
    NOT_FOUND,
    TOO_LARGE,
    ApiClient,
    ApiProblem,
)
from models.base import Schema
from models.base import canonical_json as _json
from models.errors import Refusal
from models.fields import first_error
from models.projects.document_imports.manifest import (
    MAX_TEXTS,
    AppliedDocumentImport,
    DocumentImport,
    ListedDocument,
    ListedFile,
    StartDocumentImport,
)
from models.projects.document_imports.options import (
    ImportOptions,
    ImportReport,
    parse_report,
)
from models.projects.document_imports.sources import DocumentSource
from models.projects.files.file_import import FileSource, read_source, reason_to_refuse
from models.projects.files.names import MAX_NAME_LENGTH
from models.projects.files.uploads import MAX_FILE_BYTES
from models.runtime.commands import CommandError, Progress

PATH = "/projects/v1/document-imports"
SCOPE = "projects:document-imports"
# The operations of an import, each of which has a scope of its own.
VERBS = ("start", "add-texts", "add-file", "apply")
# Of the texts of one request, so that the usual limits of proxies are kept.
PART_BYTES = 900_000
# Parts can be gone when the import is applied; then it is started again.
MAX_STARTS = 3
STALE_KINDS = ("document-import-incomplete", "document-import-not-found")
# What an authorized request without content is told.
EMPTY_KINDS = ("malformed-request", "validation-failed")
# What is wrong with a file, and not with the import.
FILE_KINDS = (TOO_LARGE, "unsupported-media-type", "validation-failed")

Refused = list[tuple[FileSource, str]]
SchemaT = TypeVar("SchemaT", bound=Schema)


def import_over_api(
    url: str,
    key_file: str,
    sources: Sequence[DocumentSource],
    files: Sequence[FileSource],
    options: ImportOptions,
    show_progress: Callable[[str], Progress],
) -> tuple[ImportReport, Refused]:
    """
    Import the sources and their files; return the report, and the files left out.

    Raise CommandError if the server refuses the import, or does not answer.
    """
    client = ApiClient(url, read_client_key(key_file, "--to"))
    remote = _RemoteImport(client, sources, files, options, show_progress)
    try:
        return remote.run(), remote.refused
    except ApiProblem as problem:
        raise CommandError(f"{client.url}: {problem}{_hint(problem)}") from problem


def _hint(problem: ApiProblem) -> str:
    """Return what the sentence of the server cannot know."""
    if problem.kind == NOT_FOUND:
        return (
            " Give the URL of the server, without a path; if that is its URL, it runs a"
            " version of Masthead without imports over the API, so update it."
        )
    if problem.kind == "validation-failed":
        return " If it runs another version of Masthead, update the older of the two."
    return ""


@dataclass
class _RemoteImport:
    client: ApiClient
    sources: Sequence[DocumentSource]
    files: Sequence[FileSource]
    options: ImportOptions
    show_progress: Callable[[str], Progress]
    refused: Refused = field(default_factory=list)

    def run(self) -> ImportReport:
        self._require_scopes()
        request = self._request()
        sent = request.model_dump_json(by_alias=True, exclude_defaults=True)
        body = sent.encode()
        for _ in range(MAX_STARTS):
            answer = self._post("start", body)
            started = _parsed(DocumentImport, answer)
            try:
                self._send_texts(started)
                self._send_files(started)
                return self._apply(started)
            except ApiProblem as problem:
                if problem.kind not in STALE_KINDS:
                    raise
        raise CommandError(
            f"{self.client.url} changed {MAX_STARTS} times while the import was sent."
            " Run it again."
        )

    def _require_scopes(self) -> None:
        """
        Raise CommandError if the key lacks scopes, before anything is uploaded.

        The server checks the scope of a request before it looks at its content.
        """
        missing = [verb for verb in VERBS if not self._may_call(verb)]
        if missing:
            scopes = ", ".join(f"{SCOPE}:{verb}" for verb in missing)
            raise CommandError(
                f"{self.client.url}: The key in {KEY_SETTING} lacks scopes that an"
                f" import needs: {scopes}. Use a key with {SCOPE}:*."
            )

    def _may_call(self, verb: str) -> bool:
        try:
            self._post(verb, b"")
        except ApiProblem as problem:
            if problem.kind == INSUFFICIENT_SCOPE:
                return False
            if problem.kind not in EMPTY_KINDS:
                raise
        return True

    def _request(self) -> StartDocumentImport:
        """Return the list of what the tree has; leave out files that cannot be used."""
        listed = self.show_progress("picture or file")(self.files)
        files = [file for source in listed if (file := self._listed_file(source))]
        try:
            return StartDocumentImport(
                tree=self.options.tree,
                collection=self.options.collection,
                **({"base": self.options.base} if self.options.base else {}),
                below=self.options.path,
                documents=[_listed_document(source) for source in self.sources],
                files=files,
                skipped_paths=sorted(self.options.skipped_paths),
            )
        except ValidationError as error:
            place, sentence = first_error(error)
            raise CommandError(
                f"The tree cannot be imported over the API: {place or 'the tree'}:"
                f" {sentence}."
            ) from error

    def _listed_file(self, source: FileSource) -> ListedFile | None:
        try:
            if source.size > MAX_FILE_BYTES or len(source.name) > MAX_NAME_LENGTH:
                self._check(source)
            with source.path.open("rb") as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
            return ListedFile(name=source.name, sha256=sha256, size=source.size)
        except (OSError, Refusal) as error:
            self.refused.append((source, reason_to_refuse(error)))
        return None

    def _send_texts(self, started: DocumentImport) -> None:
        missing = set(started.missing_texts)
        texts = {
            sha256: source.content
            for source in self.sources
            if (sha256 := source.digest()) in missing
        }
        parts = list(_parts(texts.values()))
        for part in self.show_progress("part of texts")(parts):
            self._send_part(started.id, part)

    def _send_part(self, id: str, texts: list[str]) -> None:
        """Send texts together, or in halves if they are too many for a proxy."""
        try:
            self._post("add-texts", _json({"id": id, "texts": texts}))
        except ApiProblem as problem:
            if problem.kind != TOO_LARGE or len(texts) == 1:
                raise
            half = len(texts) // 2
            self._send_part(id, texts[:half])
            self._send_part(id, texts[half:])

    def _send_files(self, started: DocumentImport) -> None:
        missing = set(started.missing_files) - self._refused_names
        files = [source for source in self.files if source.name in missing]
        for source in self.show_progress("picture or file")(files):
            try:
                self._check(source)
                query = {"id": started.id, "name": source.name}
                content = source.path.read_bytes()
                self.client.post_file(f"{PATH}/add-file", query, content)
            except (OSError, Refusal) as error:
                self.refused.append((source, reason_to_refuse(error)))
            except ApiProblem as problem:
                if problem.kind not in FILE_KINDS:
                    raise
                self.refused.append((source, str(problem)))

    def _check(self, source: FileSource) -> None:
        """Raise what is wrong with a file, so that it need not be sent."""
        with read_source(source):
            pass

    @property
    def _refused_names(self) -> set[str]:
        return {source.name for source, _ in self.refused}

    def _apply(self, started: DocumentImport) -> ImportReport:
        options = self.options
        body = _json(
            {
                "id": started.id,
                "publish": options.publish,
                "prune": options.prune,
                "takeOver": options.take_over,
                "withoutFiles": sorted(self._refused_names),
            }
        )
        # A response that is lost on its way is asked for again.
        key = hashlib.sha256(body).hexdigest()
        is_dry_run = options.is_dry_run
        headers = {"Dry-Run": "true"} if is_dry_run else {"Idempotency-Key": key}
        answer = self._post("apply", body, headers)
        return parse_report(_parsed(AppliedDocumentImport, answer))

    def _post(
        self, verb: str, body: bytes, headers: dict[str, str] | None = None
    ) -> Any:
        return self.client.post(f"{PATH}/{verb}", body, headers)


def _listed_document(source: DocumentSource) -> ListedDocument:
    fields = source.all_fields()
    del fields["content"]
    return ListedDocument(sha256=source.digest(), **fields)


def _parts(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield the texts in parts of about PART_BYTES, as JSON has them."""
    part: list[str] = []
    size = 0
    for text in texts:
        length = len(_json(text))
        if part and (size + length > PART_BYTES or len(part) == MAX_TEXTS):
            yield part
            part, size = [], 0
        part.append(text)
        size += length
    if part:
        yield part


def _parsed(schema: type[SchemaT], data: Any) -> SchemaT:
    """Parse the data of a response; a newer server may have further fields."""
    names = {field.alias for field in schema.model_fields.values()}
    try:
        known = {name: value for name, value in data.items() if name in names}
        return schema.model_validate_json(_json(known))
    except (AttributeError, ValidationError) as error:
        raise CommandError(
            "The server answers as another version of Masthead does: update the older"
            " of the two."
        ) from error
