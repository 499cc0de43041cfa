"""The built site, for those who have no other server to put before it."""

from functools import lru_cache
from pathlib import Path

from flask import Response, redirect, send_file
from werkzeug.exceptions import RequestedRangeNotSatisfiable
from werkzeug.security import safe_join

from models.response_headers import site_headers

REDIRECTS = "_redirects"


def site_file(output: Path, path: str) -> Response | None:
    """Return the file that stands at the address, or None."""
    name = _name(path)
    found = _found(output, name)
    return _sent(Path(found), name) if found else None


def is_served(output: Path, path: str) -> bool:
    """Tell whether a file stands at the address."""
    return _found(output, _name(path)) is not None


def is_folder(output: Path, path: str) -> bool:
    """Tell whether the address lacks only its final slash."""
    return is_served(output, path + "/")


def moved(output: Path, path: str) -> Response | None:
    """Return the way to what has left the address, if the site says that it has."""
    file = output / REDIRECTS
    try:
        stat = file.stat()
    except OSError:
        return None
    target = _targets(file, (stat.st_mtime_ns, stat.st_size, stat.st_ino)).get(path)
    return redirect(target, 302) if target else None  # type: ignore[return-value]


@lru_cache(maxsize=1)
def _targets(file: Path, _: tuple[int, int, int]) -> dict[str, str]:
    """Read the moves; the rules with a star are for other hosts."""
    rules = [line.split() for line in file.read_text(encoding="utf-8").splitlines()]
    return {rule[0]: rule[1] for rule in rules if len(rule) == 3 and rule[2] == "302"}


def _name(path: str) -> str:
    return path.lstrip("/") + ("index.html" if path.endswith("/") else "")


def _found(output: Path, name: str) -> str | None:
    # Names with a dot are the builder's own, those with a line are for hosts.
    if name.startswith("_") or any(part.startswith(".") for part in name.split("/")):
        return None
    found = safe_join(str(output), name)
    try:
        if found is None or not Path(found).is_file():
            return None
        # The folder may be a link itself; a link in it leads nowhere else.
        is_within = Path(found).resolve().is_relative_to(output.resolve())
    except OSError:
        # A name that the file system cannot have names nothing.
        return None
    return found if is_within else None


def _sent(file: Path, name: str) -> Response:
    try:
        response = send_file(file.absolute(), etag=True, conditional=True)
    except RequestedRangeNotSatisfiable:
        # Whoever asks for a part that is not there, or for several, gets the whole.
        response = send_file(file.absolute(), etag=True, conditional=False)
    response.headers.update(site_headers(name))
    return response
