"""Parse the front matter of Markdown files, as YAML or TOML."""

import re
import tomllib
from typing import Any

import yaml

FrontMatter = dict[str, Any]

# More than any page needs, and fast to parse whatever it contains.
MAX_CHARACTERS = 32_000
LANGUAGES = {"---": "YAML", "+++": "TOML"}
_FRONT_MATTER = re.compile(
    r"(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M
)
_SURROGATE = re.compile("[\ud800-\udfff]")


class UnreadableFile(Exception):
    """A file that cannot become a document; the message says why."""


class StrictLoader(yaml.SafeLoader):
    """YAML without aliases, a few lines of which can expand to millions."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not supported")
        return super().compose_node(parent, index)

    def construct_scalar(self, node: Any) -> Any:
        """Reject lone surrogates, which an escape can write but UTF-8 cannot encode."""
        value = super().construct_scalar(node)
        if isinstance(value, str) and _SURROGATE.search(value):
            raise yaml.YAMLError("a lone surrogate is not text")
        return value


class LenientLoader(StrictLoader):
    """Reads an unknown tag, which only a site generator knows, as null."""


LenientLoader.add_multi_constructor("", lambda *_: None)


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Return the front matter and the body; raise UnreadableFile if it is invalid."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    if len(match[2]) > MAX_CHARACTERS:
        raise UnreadableFile(
            f"The front matter has more than {MAX_CHARACTERS} characters."
        )
    return _parse(match[1], match[2]), text[match.end() :].lstrip("\n")


def _parse(fence: str, text: str) -> FrontMatter:
    try:
        values = (
            tomllib.loads(text) if fence == "+++" else load_yaml(text, StrictLoader)
        )
    # A date that does not exist is a ValueError, deep nesting a RecursionError.
    except (yaml.YAMLError, ValueError, RecursionError):
        raise UnreadableFile(
            f"The front matter is not valid {LANGUAGES[fence]}."
        ) from None
    if values is not None and not isinstance(values, dict):
        raise UnreadableFile("The front matter is not a list of names and values.")
    return values or {}


def load_yaml(text: str, loader: type[StrictLoader] = LenientLoader) -> Any:
    """Parse YAML; raise YAMLError, ValueError or RecursionError."""
    return yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader that does less)


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
    is_published = front_matter.get("published") is not False
    return front_matter.get("draft") is True or not is_published
