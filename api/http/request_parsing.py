"""Parse a request: its body or query into the declared schema, and its headers."""

import re
from io import BytesIO
from typing import IO, Any, BinaryIO

from flask import Request
from werkzeug.datastructures import LanguageAccept, MultiDict
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

from api.http.lazy_body import parse_lazy_body
from api.http.request import OperationRequest
from api.http.validation import parse_json, validate
from api.operation import Operation, UploadedBody
from models.base import Schema
from models.errors import (
    IdempotencyKeyInvalid,
    IdempotencyKeyMissing,
    MalformedRequest,
    PayloadTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
)

URL_ENCODED = "application/x-www-form-urlencoded"
# An Idempotency-Key without quotation marks, and as the quoted string of the IETF
# draft, in which a backslash escapes a quotation mark and itself.
BARE_KEY = r"[!#-+\--\[\]-~]{1,255}"
QUOTED_KEY = r'"((?:[ !#-\[\]-~]|\\["\\]){1,255})"'


def read_body(
    operation: Operation, stream: BinaryIO, length: int, media_type: str
) -> bytes | UploadedBody:
    """
    Return the body; an operation that takes a file or lazy lists reads it itself.

    Raise PayloadTooLarge if it is longer than the operation allows.
    """
    if length > operation.max_body_bytes:
        raise body_too_large(operation.max_body_bytes)
    if operation.read_upload or operation.lazy_lists:
        return UploadedBody(stream, length, media_type)
    return stream.read(length) if length else b""


def body_too_large(max_bytes: int) -> PayloadTooLarge:
    return PayloadTooLarge(
        f"The body may have at most {max_bytes} bytes.", limitBytes=max_bytes
    )


def parse_request(operation: Operation, request: OperationRequest) -> Schema:
    """
    Parse the query of a GET, or the JSON body of a POST, which may have no query.

    If the body is a file, the query describes it. Raise UnsupportedMediaType,
    MalformedRequest if the body is not JSON or an object in it has a field twice, or
    ValidationFailed if it does not match the schema.
    """
    schema = operation.request or Schema
    if operation.method == "GET" or operation.read_upload:
        return parse_query(schema, request.query)
    if request.query:
        parse_query(Schema, request.query)
    if request.media_type not in ("", "application/json"):
        raise UnsupportedMediaType(
            "Send the body with the header Content-Type: application/json."
        )
    if isinstance(request.body, UploadedBody):
        return parse_lazy_body(schema, request.body, operation.lazy_lists or "")
    return validate(schema, parse_json(request.body), "pointer")


def parse_query(schema: type[Schema], query: MultiDict[str, str]) -> Schema:
    """
    Parse query parameters.

    Raise MalformedRequest if one is repeated, ValidationFailed if one is unknown
    or invalid.
    """
    repeated = [name for name, values in query.lists() if len(values) > 1]
    if repeated:
        raise MalformedRequest(f"The parameter {repeated[0]} is repeated.")
    return validate(schema, query.to_dict(), "parameter")


def accepted_languages(header: LanguageAccept) -> list[str]:
    """Return the tags of the languages that a browser asks for, the preferred first."""
    # A quality of zero refuses a language.
    return [tag for tag, quality in header if quality > 0]


def parse_idempotency_key(operation: Operation, header: str | None) -> str | None:
    """Return the key without quotation marks; None if it is optional and missing."""
    if header is None:
        if operation.idempotent == "required":
            raise IdempotencyKeyMissing(
                "This operation requires the header Idempotency-Key."
            )
        return None
    if re.fullmatch(BARE_KEY, header):
        return header
    if quoted := re.fullmatch(QUOTED_KEY, header):
        return re.sub(r"\\(.)", r"\1", quoted[1])
    raise IdempotencyKeyInvalid(
        "Idempotency-Key must be 1 to 255 visible ASCII characters other than"
        ' ", comma and \\, or a quoted string.'
    )


def parse_dry_run(header: str | None) -> bool:
    """Return whether the change is to be rolled back; raise if it is not a boolean."""
    if header in (None, "false"):
        return False
    if header != "true":
        detail = "Must be true or false."
        error = {"header": "Dry-Run", "code": "value_error", "detail": detail}
        raise ValidationFailed(f"Dry-Run: {detail}", error)
    return True


class FormParser(FormDataParser):
    """
    Limits the fields of every form by `max_form_parts`.

    Werkzeug limits those of multipart forms only; parsed, a field of three bytes takes
    fifty times as much memory.
    """

    def parse(
        self,
        stream: IO[bytes],
        mimetype: str,
        content_length: int | None,
        options: dict[str, str] | None = None,
    ) -> Any:
        """Return the stream, the fields and the files."""
        if mimetype == URL_ENCODED and self.max_form_parts is not None:
            body = stream.read()
            if body.count(b"&") >= self.max_form_parts:
                raise RequestEntityTooLarge
            stream = BytesIO(body)
        return super().parse(stream, mimetype, content_length, options)


class FormRequest(Request):
    """A request of Flask whose forms have a limited number of fields."""

    form_data_parser_class = FormParser
