"""Parse the forms that browsers send, up to a number of fields."""

from io import BytesIO
from typing import IO, Any

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.formparser import FormDataParser

URL_ENCODED = "application/x-www-form-urlencoded"


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
