"""Parse the front matter of Markdown files, as YAML or TOML."""

import re
import tomllib
from typing import Any

import yaml

from models.errors import ValidationFailed

FrontMatter = dict[str, Any]

_CONSTRUCTOR_ERRORS = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)

# What reading YAML or JSON raises.
YAML_ERRORS = (yaml.YAMLError, ValueError, RecursionError)
# More than any page needs, and fast to parse whatever it contains.
MAX_CHARACTERS = 32_000
MAX_ALIASED_CHARACTERS = 200
# A dotted key takes quadratic time to parse.
MAX_KEY_PARTS = 32
# Larger numbers than those of TOML cannot always be written as text.
MAX_INTEGER_BITS = 64
LANGUAGES = {"---": "YAML", "+++": "TOML"}
_FRONT_MATTER = re.compile(
    r"(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M
)
_KEY_PART = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+"""
_LONG_KEY = re.compile(rf"(?<![\w-])(?:{_KEY_PART}\.[ \t]*+){{{MAX_KEY_PARTS}}}")
_TOML_LINE = re.compile(r"\(at line ([0-9]{1,6}),")
_NO = {"false", "no", "off", "n", "0"}
_MARK = re.compile(
    r"""^[ \t]*+["']?(draft|published)["']?[ \t]*+[:=][ \t]*+["']?(\w++)""", re.I | re.M
)
# A name with a text or a number, as most lines are.
_PLAIN_LINE = re.compile(
    r"([A-Za-z][\w-]{0,60}+): ([A-Za-z](?:[\w ,.()/'-]*[\w.)])?|[1-9][0-9]{0,8}) *",
    re.ASCII,
)
# These are no text in YAML, in any case.
_RESERVED_WORDS = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
_BOOLEANS = {"true": True, "false": False}
# What these name is text, whatever it looks like: a date, 0123, 1.10 or true.
TEXT_FIELDS = {
    *("title", "linkTitle", "menuTitle", "sidebarTitle", "sidebar_label", "label"),
    *("nav_title", "navTitle", "short_title", "description", "summary", "id", "slug"),
    *("section", "parent", "grand_parent"),
}
_TAG = "tag:yaml.org,2002:"
_NOT_TEXT = {f"{_TAG}{name}" for name in ("bool", "float", "int", "timestamp")}
_SURROGATE = re.compile("[\ud800-\udfff]")


class UnreadableFile(Exception):
    """A file that cannot become a document; the message says why."""


class UnreadableFrontMatter(UnreadableFile):
    """
    Front matter that cannot be read; the body after it can.

    `is_draft` tells whether one of its lines marks the page as unpublished.
    """

    def __init__(self, message: str, body: str, *, is_draft: bool) -> None:
        super().__init__(message)
        self.body, self.is_draft = body, is_draft


class StrictLoader(yaml.SafeLoader):
    """
    YAML whose aliases stand for short texts only.

    A few lines with aliases of lists can expand to millions.
    """

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            node = self.anchors.get(self.peek_event().anchor)
            is_short = node is not None and len(node.value) <= MAX_ALIASED_CHARACTERS
            if not isinstance(node, yaml.ScalarNode) or not is_short:
                raise yaml.YAMLError("only aliases of short texts are supported")
            # What reads the value may change the tag of its node.
            node = yaml.ScalarNode(node.tag, node.value)
            self.get_event()
            return node
        return super().compose_node(parent, index)

    def construct_scalar(self, node: Any) -> Any:
        """Reject lone surrogates, which an escape can write but UTF-8 cannot encode."""
        value = super().construct_scalar(node)
        if isinstance(value, str) and _SURROGATE.search(value):
            raise yaml.YAMLError("a lone surrogate is not text")
        return value


class FrontMatterLoader(StrictLoader):
    """Reads titles and other texts as written."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        for key, value in node.value:
            is_text = isinstance(key.value, str) and key.value in TEXT_FIELDS
            if is_text and value.tag in _NOT_TEXT:
                value.tag = f"{_TAG}str"
        return super().construct_mapping(node, deep)


class LenientLoader(StrictLoader):
    """Reads an unknown tag, which only a site generator knows, as null."""


LenientLoader.add_multi_constructor("", lambda *_: None)


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Return the front matter and the body; raise UnreadableFrontMatter if invalid."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        # Text may begin with a line of hyphens, but not with that of a draft.
        first_lines = text.partition("\n\n")[0]
        is_opened = first_lines.partition("\n")[0].rstrip(" \t") in LANGUAGES
        if is_opened and _has_draft_line(first_lines):
            message = "The front matter has no last line of its own."
            raise UnreadableFrontMatter(message, text, is_draft=True)
        return {}, text
    body = text[match.end() :].lstrip("\n")
    is_draft = _has_draft_line(match[2])
    try:
        values = _parse(match[1], match[2])
        if values is not None:
            return values, body
    except UnreadableFile as error:
        if _is_text(match[2]) and not is_draft:
            return {}, text
        raise UnreadableFrontMatter(str(error), body, is_draft=is_draft) from None
    return {}, text


def _is_text(between: str) -> bool:
    """Return whether text between two rules is no front matter, but a part of the page.

    As in Pandoc, front matter does not begin with an empty line.
    """
    return bool(between.strip()) and not between.partition("\n")[0].strip()


def _parse(fence: str, text: str) -> FrontMatter | None:
    """Return the names and values, None if the text between two rules has none."""
    if len(text) > MAX_CHARACTERS:
        raise UnreadableFile(
            f"The front matter has more than {MAX_CHARACTERS} characters."
        )
    try:
        values = _load_toml(text) if fence == "+++" else _load_strict_yaml(text)
    # Deep nesting in TOML is a RecursionError.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UnreadableFile(
            f"The front matter is not valid {LANGUAGES[fence]}{_line_of(error)}."
        ) from None
    if values is None:
        return None if _is_text(text) else {}
    return values if isinstance(values, dict) else None


def _line_of(error: Exception) -> str:
    """Return in which line of the file the error is, "" if it does not say so."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        # Lines count from zero, and the first line is the fence.
        return f": line {mark.line + 2}"
    line = _TOML_LINE.search(str(error))
    return f": line {int(line[1]) + 1}" if line else ""


def load_yaml(text: str, loader: type[StrictLoader] = LenientLoader) -> Any:
    """Parse YAML; raise YAMLError if it is invalid, whatever its fault is."""
    try:
        values = yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader that does less)
        _require_small_integers(values)
    # PyYAML lets through what its constructors raise, such as an AttributeError for
    # `!!timestamp x`, and a RecursionError for deep nesting.
    except _CONSTRUCTOR_ERRORS as error:
        raise yaml.YAMLError("a value is not what its tag says") from error
    return values


def parse_yaml_file(text: str, name: str) -> Any:
    """Parse the YAML of a file; raise ValidationFailed, which names the file."""
    try:
        return load_yaml(text)
    except yaml.YAMLError:
        raise ValidationFailed(f"{name} is not valid YAML.") from None


def _load_strict_yaml(text: str) -> Any:
    values = plain_values(text)
    return load_yaml(text, FrontMatterLoader) if values is None else values


def plain_values(text: str) -> FrontMatter | None:
    """
    Return the values of YAML of which every line is plain, None if one is not.

    The parser of YAML, which can read every line, takes ten times as long.
    """
    values: FrontMatter = {}
    for line in filter(None, text.split("\n")):
        match = _PLAIN_LINE.fullmatch(line)
        if match is None or match[1].lower() in _RESERVED_WORDS:
            return None
        name, value = match.groups()
        if value in _BOOLEANS:
            values[name] = value if name in TEXT_FIELDS else _BOOLEANS[value]
        elif value.lower() in _RESERVED_WORDS:
            return None
        else:
            values[name] = int(value) if value.isdigit() else value
    return values


def _load_toml(text: str) -> Any:
    """Parse TOML; raise ValueError or RecursionError if it is invalid."""
    if _LONG_KEY.search(text):
        raise ValueError("a key has too many parts")
    # As written, so that a title 1.10 stays so.
    values = tomllib.loads(text, parse_float=str)
    _require_small_integers(values)
    return values


def _require_small_integers(values: Any) -> None:
    """Raise ValueError if an integer needs more than MAX_INTEGER_BITS."""
    remaining = [values]
    while remaining:
        value = remaining.pop()
        if isinstance(value, dict):
            remaining += [*value, *value.values()]
        elif isinstance(value, list | tuple | set):
            remaining += value
        elif isinstance(value, int) and value.bit_length() > MAX_INTEGER_BITS:
            raise ValueError("an integer is too large")


def text_of(front_matter: FrontMatter, *names: str) -> str:
    """Return the first of the named values as one line, "" if none; a.b is b in a."""
    for name in names:
        value: Any = front_matter
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return " ".join(str(value).split())
    return ""


def is_draft(front_matter: FrontMatter) -> bool:
    """Return whether the author marked the page as unpublished."""
    values = {name: front_matter.get(name) for name in ("draft", "published")}
    return any(
        _marks_draft(name, str(value).lower())
        for name, value in values.items()
        if isinstance(value, bool | int | str) and value != ""
    )


def _has_draft_line(front_matter: str) -> bool:
    """Return whether a line marks the page as unpublished, whatever the others are."""
    return any(
        _marks_draft(mark[1].lower(), mark[2].lower())
        for mark in _MARK.finditer(front_matter)
    )


def _marks_draft(name: str, value: str) -> bool:
    return (value in _NO) == (name == "published")
