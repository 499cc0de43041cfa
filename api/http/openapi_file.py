"""Serve the OpenAPI document as a file that is made once."""

import gzip
import hashlib
from collections.abc import Callable, Mapping
from io import BytesIO
from threading import Lock
from typing import Any

from flask import Request, Response
from werkzeug.wsgi import wrap_file

from models.base import canonical_json
from models.response_headers import site_headers
from models.site_addresses import link_openapi_to_site

# The site has the same file: both have the headers of one.
HEADERS = {**site_headers("openapi.json"), "Vary": "Accept-Encoding"}


class OpenApiFile:
    """
    The document as bytes, plain and compressed, made when it is first requested.

    Serializing it for each request would keep every thread busy, and a copy for each
    client that does not read would fill the memory.
    """

    def __init__(
        self, describe: Callable[[], Mapping[str, Any]], site_path: str = ""
    ) -> None:
        self._describe = describe
        self._site_path = site_path
        self._lock = Lock()
        self._contents: dict[str, bytes] = {}

    def response(self, request: Request) -> Response:
        """Return the file in an encoding that the client accepts, or 304."""
        encoding = "gzip" if request.accept_encodings["gzip"] else "identity"
        content, tag = self._content(encoding)
        headers = HEADERS | {"ETag": f'"{tag}"'}
        if request.if_none_match.contains_weak(tag):
            return Response(status=304, headers=headers)
        if encoding != "identity":
            headers["Content-Encoding"] = encoding
        headers["Content-Length"] = str(len(content))
        # A BytesIO shares the bytes that it is made of, and the server sends from it.
        file = wrap_file(request.environ, BytesIO(content))
        return Response(file, 200, headers, direct_passthrough=True)

    def _content(self, encoding: str) -> tuple[bytes, str]:
        with self._lock:
            if not self._contents:
                text = canonical_json(self._describe()).decode()
                plain = link_openapi_to_site(text, self._site_path).encode()
                self._contents["identity"] = plain
                self._contents["gzip"] = gzip.compress(plain, mtime=0)
                self._tag = hashlib.sha256(plain).hexdigest()[:32]
        # One tag for each encoding, since a tag is that of the bytes.
        return self._contents[encoding], f"{self._tag}-{encoding}"
