"""Replace the components and shortcodes for which a docs team has templates."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import unescape
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from textwrap import dedent
from typing import Any

from models.front_matter import UnreadableFile
from sitegen.docs.body_rendering import starting_processes
from sitegen.sources.notations.component_process import (
    MAX_MEMORY,
    MAX_SECONDS,
    Failure,
    Request,
    Template,
    serve_components,
)
from sitegen.sources.notations.tags import Tag, find_tags, pairs_of
from sitegen.sources.source_file import MAX_CHARACTERS, read_text, walk

SUFFIX = ".html"
MAX_TEMPLATES = 1_000
# Components nested deeper are not replaced.
MAX_DEPTH = 20
# What stands before a component in its line: quotes, spaces, and an item of a list.
_MARGIN = re.compile(r"([ \t>]*+)((?:[-*+]|[0-9]{1,9}[.)])[ \t]++)?")


class ComponentError(Exception):
    """A template cannot be used; the message names its file and what is wrong."""


class OwnComponents:
    """The templates of a folder, and the process that renders them."""

    def __init__(
        self, templates: Mapping[str, Template], connection: Connection
    ) -> None:
        self._templates = templates
        self._connection = connection
        self.names = {name.removesuffix(SUFFIX) for name in templates}

    def check(self) -> None:
        for name in self._templates:
            self._answer(Request(name), "")

    def render(self, name: str, variables: Mapping[str, Any], page: str) -> str:
        return self._answer(Request(name + SUFFIX, variables), f" for {page}")

    def _answer(self, request: Request, occasion: str) -> str:
        try:
            self._connection.send(request)
            answer: str | Failure = self._connection.recv()
        except (EOFError, OSError):
            file = self._templates[request.name].file
            limits = f"{MAX_SECONDS} seconds or {MAX_MEMORY >> 20} MB"
            raise ComponentError(
                f"{file}{occasion}: it takes more than {limits}."
            ) from None
        if isinstance(answer, Failure):
            line = f", line {answer.line}" if answer.line else ""
            reason = answer.reason.rstrip(".")
            raise ComponentError(f"{answer.file}{line}{occasion}: {reason}.")
        return answer


@contextmanager
def open_components(folder: Path) -> Iterator[OwnComponents]:
    """
    Start the process that renders the templates of a folder.

    Raise ComponentError if one of them cannot be used.
    """
    templates = _read_templates(folder)
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(
        target=serve_components, args=(there, templates), daemon=True
    )
    with starting_processes():
        process.start()
    there.close()
    try:
        components = OwnComponents(templates, here)
        components.check()
        yield components
    finally:
        here.close()
        process.kill()
        process.join()


def _read_templates(folder: Path) -> dict[str, Template]:
    if not folder.is_dir():
        raise ComponentError(f"there is no folder {folder}.")
    templates: dict[str, Template] = {}
    for parent, _, names in walk(folder, lambda _, name: not name.startswith(".")):
        for name in names:
            if not name.endswith(SUFFIX):
                continue
            path = Path(parent, name)
            try:
                source = read_text(folder, path)
            except UnreadableFile as error:
                raise ComponentError(f"{folder / path}: {error}") from None
            templates[path.as_posix()] = Template(source, str(folder / path))
            if len(templates) > MAX_TEMPLATES:
                raise ComponentError(
                    f"{folder} has more than {MAX_TEMPLATES:,} files that end with"
                    f" {SUFFIX}; it must be a folder of components."
                )
    if not templates:
        raise ComponentError(f"{folder} has no templates, such as Card{SUFFIX}.")
    return templates


class PageComponents:
    """The components of a page, which may bring as much text as a page may have."""

    def __init__(self, components: OwnComponents, page: str) -> None:
        self._components = components
        self._page = page
        self._length = 0

    @property
    def names(self) -> Collection[str]:
        return self._components.names

    def render(
        self, name: str, attributes: Mapping[str, Any], values: Sequence[str], body: str
    ) -> str:
        variables = {"attributes": attributes, "values": values, "body": body}
        output = self._components.render(name, variables, self._page).strip("\n")
        self._length += len(output)
        if self._length > MAX_CHARACTERS:
            raise UnreadableFile(
                f"Its components make more than {MAX_CHARACTERS} characters."
            )
        return output

    def replace(self, text: str, pictures: Mapping[str, str]) -> str:
        """Return the text with what the templates make of its components."""
        tags = [tag for tag in find_tags(text, pictures) if tag.name in self.names]
        pairs = pairs_of(tags)
        # The opening tags that are open, each with the index of the tag that closes it.
        opened: list[tuple[Tag, int]] = []
        # What is before each of these, and after the last one.
        parts: list[list[str]] = [[]]
        cut = 0
        for index, tag in enumerate(tags):
            if opened and opened[-1][1] == index:
                opening, _ = opened.pop()
                body = "".join([*parts.pop(), text[cut : tag.start]])
            elif index in pairs and len(opened) < MAX_DEPTH:
                parts[-1].append(text[cut : tag.start])
                opened.append((tag, pairs[index]))
                parts.append([])
                cut = tag.end
                continue
            elif tag.is_empty or not (
                tag.is_closing or tag.needs_end or index in pairs
            ):
                opening, body = tag, ""
                parts[-1].append(text[cut : tag.start])
            else:
                continue
            parts[-1].append(self._replacement(text, opening, tag.end, body))
            cut = tag.end
        return "".join([*parts[0], text[cut:]])

    def _replacement(self, text: str, tag: Tag, end: int, body: str) -> str:
        """Return what stands for the component that is between a tag and `end`."""
        line_start = text.rfind("\n", 0, tag.start) + 1
        margin = _MARGIN.match(text, line_start, tag.start)
        quote, item = (margin[1], margin[2] or "") if margin else ("", "")
        output = self.render(
            tag.name, _attributes(tag), tag.values, _without_margin(body, quote)
        )
        if not output:
            return ""
        line_end = text.find("\n", end)
        rest = text[end:] if line_end < 0 else text[end:line_end]
        indent = quote + " " * len(item)
        output = output.replace("\n", f"\n{indent}")
        if (margin and margin.end() < tag.start) or rest.strip():
            return output
        # Markdown is read between blank lines.
        return f"{output}\n{indent}" if item else f"\n{indent}{output}\n{indent}"


def _attributes(tag: Tag) -> dict[str, Any]:
    """Return the attributes whose values are known, which code has not."""
    return {
        name: unescape(value) if tag.needs_end and isinstance(value, str) else value
        for name, value in tag.attributes.items()
        if value is not None
    }


def _without_margin(body: str, quote: str) -> str:
    """Return the text of a component, as if it began at the start of its lines."""
    first, _, rest = body.partition("\n")
    if mark := quote.strip():
        rest = re.sub(rf"^[ \t]*{re.escape(mark)} ?", "", rest, flags=re.M)
    return f"{first.strip()}\n{dedent(rest)}".strip("\n").rstrip()
