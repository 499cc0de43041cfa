"""Serve the files of the built site, for installations without another web server."""

from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from flask import Response, redirect, send_file
from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.security import safe_join

from models.response_headers import CACHE_CONTROL, SITE_HEADERS, site_headers
from models.site_addresses import GONE_PAGE

REDIRECTS = "_redirects"


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
    response: Response = redirect(target, 301)  # type: ignore[assignment]
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
