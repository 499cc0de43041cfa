"""Write the command line of curl that sends a request for an operation."""

import json
from collections.abc import Mapping
from shlex import quote
from typing import Any
from urllib.parse import quote_plus, urlencode

from api.console.forms.fields import is_query
from api.console.forms.submission import parameter
from api.operation import Operation

# A longer argument is more than Linux passes to a program.
MAX_ARGUMENT = 100_000


def curl_line(
    operation: Operation,
    request: Mapping[str, Any],
    *,
    origin: str,
    headers: Mapping[str, str],
) -> str:
    """
    Return the line; the API key is in the variable KEY, a file is called FILE.

    A shell that runs it sends what the form sends, whatever the values contain.
    """
    url = origin + operation.path
    if operation.read_upload:
        url = f"{url}?{urlencode({n: parameter(v) for n, v in request.items()})}"
        data = ["--data-binary @FILE", "-H 'Content-Type: application/octet-stream'"]
        return _joined([f"curl {quote(url)}", _bearer(headers), *data])
    start = "curl -G" if is_query(operation) and request else "curl"
    parts = [f"{start} {quote(url)}", _bearer(headers)]
    if is_query(operation):
        return _joined([*parts, *map(_query_part, request.items())])
    body = escape_unprintable(json.dumps(request, ensure_ascii=False))
    if len(body.encode()) > MAX_ARGUMENT:
        return _joined([*parts, "--json @- <<'JSON'"]) + f"\n{body}\nJSON"
    return _joined([*parts, f"--json {quote(body)}"])


def _joined(parts: list[str]) -> str:
    return " \\\n  ".join(parts)


def _bearer(headers: Mapping[str, str]) -> str:
    """Return the headers; only in that of the key, the shell inserts something."""
    lines = ['-H "Authorization: Bearer $KEY"']
    lines += [f"-H {quote(f'{name}: {value}')}" for name, value in headers.items()]
    return _joined(lines)


def _query_part(item: tuple[str, Any]) -> str:
    name, text = item[0], parameter(item[1])
    if text.isprintable():
        return f"--data-urlencode {quote(f'{name}={text}')}"
    return f"--data {quote(f'{name}={quote_plus(text)}')}"


def escape_unprintable(text: str) -> str:
    """Escape in JSON what a screen does not show, or shows in another order."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text
    )
