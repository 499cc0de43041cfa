"""Write the example of an operation as a command of curl, in Python and in JavaScript.

All three send the same request. The URL of the API and the key are variables of the
environment, so that no example contains a key.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote

# The file that examples send as their body, or write the response to.
FILE = "setup.png"
# The longest list that stands on one line.
MAX_LINE = 60


@dataclass(frozen=True)
class ExampleRequest:
    """The request of an example; `body` is None if it has none or sends a file."""

    method: str
    path: str
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    sends_file: bool = False
    returns_file: bool = False

    @property
    def address(self) -> str:
        pairs = "&".join(
            f"{name}={quote(self.query[name], ',')}" for name in self.query
        )
        return f"{self.path}?{pairs}" if pairs else self.path


def curl(request: ExampleRequest) -> str:
    lines = [
        f'curl -sS "$API{request.address}"',
        '-H "Authorization: Bearer $KEY"',
        *(f'-H "{name}: {value}"' for name, value in request.headers.items()),
    ]
    if request.body is not None:
        body = json.dumps(request.body, indent=2, ensure_ascii=False)
        body = body.replace("'", "'\\''").replace("\n", "\n  ")
        lines.append(f"--json '{body}'")
    elif request.sends_file:
        lines.append(f"--data-binary @{FILE}")
    if request.returns_file:
        lines.append(f"--output {FILE}")
    return " \\\n  ".join(lines) + "\n"


def python(request: ExampleRequest) -> str:
    """Return the request with the library requests."""
    literal = partial(_literal, constants={None: "None", True: "True", False: "False"})
    path_import = "from pathlib import Path\n" if request.returns_file else ""
    opened = "with open({}, {}) as file:\n    ".format(literal(FILE), literal("rb"))
    indent = 1 if request.sends_file else 0
    arguments = list(_python_arguments(request, partial(literal, indent=indent + 1)))
    step = "    " * indent
    lines = [
        f"import os\n{path_import}\nimport requests\n",
        f"{opened if indent else ''}response = requests.{request.method.lower()}(",
        *(f"{step}    {argument}," for argument in arguments),
        f"{step})",
        "response.raise_for_status()",
        f"Path({literal(FILE)}).write_bytes(response.content)"
        if request.returns_file
        else 'print(response.json()["data"])',
    ]
    return "\n".join(lines) + "\n"


def _python_arguments(
    request: ExampleRequest, literal: Callable[[Any], str]
) -> Iterator[str]:
    yield f'os.environ["API"] + {literal(request.path)}'
    if request.query:
        yield f"params={literal(request.query)}"
    key = _Code('"Bearer " + os.environ["KEY"]')
    yield f"headers={literal({'Authorization': key, **request.headers})}"
    if request.body is not None:
        yield f"json={literal(request.body)}"
    elif request.sends_file:
        yield "data=file"
    yield "timeout=30"


def javascript(request: ExampleRequest) -> str:
    """Return the request as a module for Node.js."""
    literal = partial(
        _literal, constants={None: "null", True: "true", False: "false"}, width=2
    )
    key = _Code("`Bearer ${process.env.KEY}`")
    headers = {"Authorization": key, **request.headers}
    if request.body is not None:
        headers["Content-Type"] = "application/json"
    options: dict[str, Any] = {} if request.method == "GET" else {"method": "POST"}
    options["headers"] = headers
    if request.body is not None:
        body = literal(request.body, indent=1)
        options["body"] = _Code(f"JSON.stringify({body})")
    elif request.sends_file:
        options["body"] = _Code(f"await readFile({literal(FILE)})")
    module = 'from "node:fs/promises";\n\n'
    imported = "readFile" if request.sends_file else "writeFile"
    has_import = request.sends_file or request.returns_file
    lines = [
        f"{f'import {{ {imported} }} {module}' if has_import else ''}"
        f"const response = await fetch(`${{process.env.API}}{request.address}`, "
        f"{literal(options)});",
        "if (!response.ok) throw new Error(await response.text());",
        "const content = new Uint8Array(await response.arrayBuffer());\n"
        f"await writeFile({literal(FILE)}, content);"
        if request.returns_file
        else "const { data } = await response.json();\nconsole.log(data);",
    ]
    return "\n".join(lines) + "\n"


class _Code(str):
    """An expression of the language, which is no text of the example."""

    __slots__ = ()


def _literal(
    value: Any, constants: Mapping[Any, str], indent: int = 0, width: int = 4
) -> str:
    """Return a value of JSON as an expression; short lists stand on one line."""
    if isinstance(value, _Code):
        return str(value)
    if value is None or isinstance(value, bool):
        return constants[value]
    if not isinstance(value, Mapping | list):
        return json.dumps(value, ensure_ascii=False)
    inner = partial(_literal, constants=constants, indent=indent + 1, width=width)
    if isinstance(value, Mapping):
        # Names in objects of JavaScript are in quotes only where they must be.
        is_javascript = constants[None] == "null"
        items = [
            f"{name if is_javascript and name.isidentifier() else json.dumps(name)}:"
            f" {inner(item)}"
            for name, item in value.items()
        ]
        opening, closing = "{", "}"
    else:
        items = [inner(item) for item in value]
        opening, closing = "[", "]"
    line = ", ".join(items)
    if not items or (opening == "[" and len(line) <= MAX_LINE and "\n" not in line):
        return f"{opening}{line}{closing}"
    start, end = "\n" + " " * width * (indent + 1), "\n" + " " * width * indent
    lines = ",".join(start + item for item in items)
    return f"{opening}{lines},{end}{closing}"
