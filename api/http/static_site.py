"""Serve the files of the built site, for installations without another web server."""

import gzip
import hashlib
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from flask import Flask, Request, redirect, request, send_file
from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.security import safe_join
from werkzeug.wrappers import Response
from werkzeug.wsgi import wrap_file

from models.base import canonical_json
from models.response_headers import CACHE_CONTROL, SITE_HEADERS, site_headers
from models.site_addresses import GONE_PAGE, link_openapi_to_site

REDIRECTS = "_redirects"
# The site has the OpenAPI document as a file, too: both have the headers of one.
OPENAPI_HEADERS = {**site_headers("openapi.json"), "Vary": "Accept-Encoding"}


def site_file(output: Path, path: str, form_origin: str = "") -> Response | None:
    """Return the file at the URL path, or None."""
    name = _file_name(path)
    file = _find_file(output, name)
    return _send(file, name, form_origin) if file else None


def has_site_file(output: Path, path: str) -> bool:
    return _find_file(output, _file_name(path)) is not None


def has_folder(output: Path, path: str) -> bool:
    """Return whether the URL path lacks only its final slash."""
    return has_site_file(output, path + "/")


def gone_page(output: Path, path: str, form_origin: str = "") -> Response | None:
    """Return a 410 if the page at the URL path was removed, or the page's JSON was."""
    folder = path.removesuffix("/index.html").removesuffix(".json").rstrip("/")
    response = site_file(output, f"{folder}/{GONE_PAGE}", form_origin)
    if response is not None:
        response.status_code = 410
    return response


def moved_page(output: Path, path: str) -> Response | None:
    """
    Return the redirect to where the page at the URL path has moved, if it has.

    It is permanent, but browsers ask again each time: a page may move back, and a
    browser that had cached both redirects would follow them in circles.
    """
    file = output / REDIRECTS
    try:
        stat = file.stat()
    except OSError:
        return None
    version = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
    target = _redirect_targets(file, version).get(path)
    if target is None:
        return None
    response = redirect(target, 301)
    response.headers.update(SITE_HEADERS)
    response.headers["Cache-Control"] = CACHE_CONTROL["page"]
    return response


@lru_cache(maxsize=1)
def _redirect_targets(file: Path, version: tuple[int, int, int]) -> dict[str, str]:
    """Read the targets by URL path; rules with a wildcard are for other hosts."""
    rules = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    return {
        unquote(rule[0]): rule[1]
        for rule in rules
        if len(rule) == 3 and rule[2] == "301"
    }


def _file_name(path: str) -> str:
    name = "/".join(filter(None, path.split("/")))
    return f"{name}/index.html".lstrip("/") if path.endswith("/") else name


def _find_file(output: Path, name: str) -> Path | None:
    # Names with a dot belong to the builder; those with an underscore configure hosts.
    if name.startswith("_") or any(part.startswith(".") for part in name.split("/")):
        return None
    joined = safe_join(str(output), name)
    try:
        if joined is None or not Path(joined).is_file():
            return None
        # The output folder may be a symbolic link; links in it must not leave it.
        is_within = Path(joined).resolve().is_relative_to(output.resolve())
    except OSError:
        # The file system cannot have a file of this name.
        return None
    return Path(joined) if is_within else None


def _send(file: Path, name: str, form_origin: str) -> Response:
    try:
        response = send_file(file.absolute(), etag=True, conditional=True)
    except RequestedRangeNotSatisfiable:
        # An unsatisfiable range, or several ranges, are answered with the whole file.
        response = send_file(file.absolute(), etag=True, conditional=False)
    response.headers.update(site_headers(name, form_origin))
    return response


def register_openapi(
    app: Flask, describe: Callable[[], Mapping[str, Any]], site_path: str
) -> None:
    """Serve the OpenAPI document, which is the same with and without the site."""
    file = OpenApiFile(describe, site_path)

    @app.get("/openapi.json", endpoint="openapi", provide_automatic_options=False)
    def openapi() -> Response:
        return file.response(request)


class OpenApiFile:
    """
    The OpenAPI document, plain and compressed, made when it is first requested.

    Serializing it for each request would keep every thread busy, and a copy for each
    client that does not read would fill the memory.
    """

    def __init__(
        self, describe: Callable[[], Mapping[str, Any]], site_path: str = ""
    ) -> None:
        self._describe = describe
        self._site_path = site_path

    def response(self, request: Request) -> Response:
        """Return the file in an encoding that the client accepts, or 304."""
        encoding = "gzip" if request.accept_encodings["gzip"] else "identity"
        content, tag = self._contents[encoding]
        headers = OPENAPI_HEADERS | {"ETag": f'"{tag}"'}
        if request.if_none_match.contains_weak(tag):
            return Response(status=304, headers=headers)
        if encoding != "identity":
            headers["Content-Encoding"] = encoding
        headers["Content-Length"] = str(len(content))
        # A BytesIO shares the bytes that it is made of, and the server sends from it.
        file = wrap_file(request.environ, BytesIO(content))
        return Response(file, 200, headers, direct_passthrough=True)

    @cached_property
    def _contents(self) -> dict[str, tuple[bytes, str]]:
        """Return the content and the tag of each encoding."""
        text = canonical_json(self._describe()).decode()
        plain = link_openapi_to_site(text, self._site_path).encode()
        contents = {"identity": plain, "gzip": gzip.compress(plain, mtime=0)}
        # One tag for each encoding, since a tag is that of the bytes.
        tag = hashlib.sha256(plain).hexdigest()[:32]
        return {name: (each, f"{tag}-{name}") for name, each in contents.items()}
