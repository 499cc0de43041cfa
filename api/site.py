"""The built site, for those who have no other server to put before it."""

from pathlib import Path

from flask import Response, send_file
from werkzeug.security import safe_join

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' https:;"
    " connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
IMMUTABLE = "public, max-age=31536000, immutable"
VOLATILE = "public, max-age=0, must-revalidate"


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


def _name(path: str) -> str:
    return path.lstrip("/") + ("index.html" if path.endswith("/") else "")


def _found(output: Path, name: str) -> str | None:
    if any(part.startswith(".") for part in name.split("/")):
        return None
    found = safe_join(str(output), name)
    try:
        return found if found and Path(found).is_file() else None
    except OSError:
        # A name that the file system cannot have names nothing.
        return None


def _sent(file: Path, name: str) -> Response:
    response = send_file(file.absolute(), etag=True, conditional=True)
    kept = IMMUTABLE if name.startswith("assets/") else VOLATILE
    response.headers["Cache-Control"] = kept
    response.headers["Content-Security-Policy"] = POLICY
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "strict-origin-when-cross-origin"
    if name.endswith(".json"):
        response.headers["Access-Control-Allow-Origin"] = "*"
    if (response.mimetype or "").startswith("text/") or name.endswith(".md"):
        kind = "text/markdown" if name.endswith(".md") else response.mimetype
        response.headers["Content-Type"] = f"{kind}; charset=utf-8"
    return response
