"""
Render the templates of a docs team, in a process of its own.

A template may loop or grow without end, even while it is compiled. The process may
take so much time and memory, and ends if it needs more.
"""

import resource
from collections.abc import Mapping
from math import ceil
from multiprocessing.connection import Connection
from traceback import extract_tb
from typing import Any, NamedTuple

from jinja2 import FunctionLoader, TemplateNotFound, TemplateSyntaxError
from jinja2.meta import find_undeclared_variables
from jinja2.sandbox import SandboxedEnvironment
from markupsafe import Markup

# For each component of a page: seconds of processor time, bytes, and characters.
MAX_SECONDS, MAX_MEMORY, MAX_OUTPUT = 2, 512 * 2**20, 100_000
VARIABLES = ("attributes", "values", "body")


class Template(NamedTuple):
    source: str
    # The path of the file, for messages.
    file: str


class Request(NamedTuple):
    """A template to render, or to check if there are no variables."""

    name: str
    variables: Mapping[str, Any] | None = None


class Failure(NamedTuple):
    """Why a template cannot be rendered, and in which file and line, 0 if in none."""

    file: str
    line: int
    reason: str


class _TooLong(Exception):
    pass


class _Environment(SandboxedEnvironment):
    """Looks up the keys of dicts only, as authors choose the names of attributes."""

    def getattr(self, obj: Any, attribute: str) -> Any:
        if not isinstance(obj, dict):
            return super().getattr(obj, attribute)
        if attribute in obj:
            return obj[attribute]
        return self.undefined(obj=obj, name=attribute)


def serve_components(connection: Connection, templates: Mapping[str, Template]) -> None:
    """Answer requests with a text or a failure, until nobody asks any more."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    environment = _Environment(
        loader=FunctionLoader(lambda name: _source(templates, name)),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    while True:
        try:
            request: Request = connection.recv()
        except EOFError:
            return
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = ceil(used.ru_utime + used.ru_stime) + MAX_SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, hard))
        connection.send(_answer(environment, templates, request))


def _source(
    templates: Mapping[str, Template], name: str
) -> tuple[str, str, None] | None:
    template = templates.get(name)
    return (template.source, template.file, None) if template else None


def _answer(
    environment: SandboxedEnvironment,
    templates: Mapping[str, Template],
    request: Request,
) -> str | Failure:
    template = templates[request.name]
    try:
        if request.variables is None:
            return _check(environment, request.name, template)
        return _render(environment, request)
    except TemplateSyntaxError as error:
        return Failure(
            error.filename or template.file, error.lineno, f"{error.message}"
        )
    except TemplateNotFound as error:
        reason = f"there is no template '{error.name}' in the folder"
        return Failure(*_place_of(error, template, templates), reason)
    except _TooLong:
        reason = f"it makes more than {MAX_OUTPUT:,} characters"
        return Failure(template.file, 0, reason)
    except MemoryError:
        return Failure(template.file, 0, f"it takes more than {MAX_MEMORY >> 20} MB")
    except Exception as error:
        return Failure(*_place_of(error, template, templates), f"{error}")


def _check(
    environment: SandboxedEnvironment, name: str, template: Template
) -> str | Failure:
    environment.get_template(name)
    syntax = environment.parse(template.source, name, template.file)
    known = {*VARIABLES, *environment.globals}
    unknown = sorted(find_undeclared_variables(syntax) - known)
    if not unknown:
        return ""
    reason = f"it uses '{unknown[0]}', but there are only {', '.join(VARIABLES)}"
    return Failure(template.file, 0, reason)


def _render(environment: SandboxedEnvironment, request: Request) -> str:
    variables = dict(request.variables or {})
    # Markdown, which is converted later; all else is escaped.
    variables["body"] = Markup(variables["body"])  # noqa: S704
    parts, length = [], 0
    for part in environment.get_template(request.name).generate(variables):
        parts.append(part)
        length += len(part)
        if length > MAX_OUTPUT:
            raise _TooLong
    return "".join(parts)


def _place_of(
    error: Exception, template: Template, templates: Mapping[str, Template]
) -> tuple[str, int]:
    """Return the file and the line of the innermost template that failed."""
    files = {each.file for each in templates.values()}
    frames = [
        each for each in extract_tb(error.__traceback__) if each.filename in files
    ]
    return (
        (frames[-1].filename, frames[-1].lineno or 0) if frames else (template.file, 0)
    )
