"""Front matter: what a file says about itself before its text begins."""

import re
import tomllib
from typing import Any

import yaml

FrontMatter = dict[str, Any]

# More than any page says of itself, and soon read whatever it holds.
MOST_CHARACTERS = 32_000
LANGUAGES = {"---": "YAML", "+++": "TOML"}
_FRONT = re.compile(
    r"(---|\+\+\+)[ \t]*\n(.*?)^(?:\1|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M
)
_HALF = re.compile("[\ud800-\udfff]")


class Unusable(Exception):
    """A file that cannot become a document; the text says why."""


class Plain(yaml.SafeLoader):
    """YAML without aliases: a few lines of them can stand for millions."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)

    def construct_scalar(self, node: Any) -> Any:
        """An escape can name half a character, which no file and no page can hold."""
        said = super().construct_scalar(node)
        if isinstance(said, str) and _HALF.search(said):
            raise yaml.YAMLError("half a character is no text")
        return said


class Lenient(Plain):
    """A tag that only a generator's own program knows is nothing."""


Lenient.add_multi_constructor("", lambda *_: None)


def parted(text: str) -> tuple[FrontMatter, str]:
    """Return the front matter and the body; without the one all is body."""
    found = _FRONT.match(text)
    if found is None:
        return {}, text
    if len(found[2]) > MOST_CHARACTERS:
        raise Unusable(f"The front matter has more than {MOST_CHARACTERS} characters.")
    return _read(found[1], found[2]), text[found.end() :].lstrip("\n")


def _read(fence: str, text: str) -> FrontMatter:
    try:
        front = tomllib.loads(text) if fence == "+++" else yaml_of(text, Plain)
    # A date that does not exist is a ValueError, deep nesting a RecursionError.
    except (yaml.YAMLError, ValueError, RecursionError):
        language = LANGUAGES[fence]
        raise Unusable(
            f"The front matter is not {language} that can be read."
        ) from None
    if front is not None and not isinstance(front, dict):
        raise Unusable("The front matter is not a list of names and values.")
    return front or {}


def yaml_of(text: str, loader: type[Plain] = Lenient) -> Any:
    """Read YAML; raise YAMLError, ValueError or RecursionError."""
    return yaml.load(text, Loader=loader)  # noqa: S506  (a safe loader that does less)


def line(front: FrontMatter, *names: str) -> str:
    """Return the first of the members that is there, as one line; a.b is in a."""
    for name in names:
        value: Any = front
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return " ".join(str(value).split())
    return ""


def is_draft(front: FrontMatter) -> bool:
    """Tell whether the author keeps the page back."""
    return front.get("draft") is True or front.get("published") is False
