"""Replace names of emoji, such as :rocket:, as GitHub, VitePress and MkDocs do."""

import re
from collections.abc import Iterable, Iterator
from functools import cache

from sitegen.markdown.headings import slug
from sitegen.sources.fences import FenceTracker, outside_spans

# Outside of words.
_NAME = r"(?<![\w:]):(?P<name>[+-]?[a-z0-9][a-z0-9_-]{0,60}+):(?![\w:])"
EMOJI_NAME = re.compile(_NAME)
# A name with its attributes, or an address, where it would mean something else.
_NAME_OR_ADDRESS = re.compile(
    rf"(?:https?://|\]\()[^\s()<>]*+|{_NAME}(?:\{{:?[ ]?[.#][^{{}}]{{0,80}}+\}})?"
)
_HEADING = re.compile(r" {0,3}#{1,6}[ \t]++(.*)")
_INDENTED = re.compile(r" {4}| {0,3}\t")
# What begins a block whose text is indented: lists, admonitions, tabs, components.
_CONTAINER = re.compile(r"[-*+] |[0-9]{1,9}[.)] |!!!|\?\?\?|===|///|[:<{]|\[\^")
_FRAGMENT = re.compile(r"\]\(#([^()\s]{1,200}+)\)")


def with_emoji(lines: Iterable[str], text: str) -> Iterator[str]:
    """
    Yield the lines of the text with emoji; unknown names and those in code stay.

    A heading keeps the id that has the name in it, if the text links to that.
    """
    code, fragments = _CodeTracker(), set(_FRAGMENT.findall(text))
    for line in lines:
        shown = line if code.is_code(line) else outside_spans(line, to_emoji)
        if shown != line and (heading := _HEADING.fullmatch(line)):
            id = slug(heading[1])
            if id in fragments:
                yield from (f'<a id="{id}"></a>', "")
        yield shown


class _CodeTracker:
    """Tracks, line by line, whether the text is fenced or indented code."""

    def __init__(self) -> None:
        self._fences = FenceTracker()
        # Whether code may begin here, and whether indented text is of a block above.
        self._after_blank, self._in_container = True, False

    def is_code(self, line: str) -> bool:
        if self._fences.is_code(line):
            return True
        if not line.strip():
            self._after_blank = True
            return False
        if _INDENTED.match(line):
            # Lines of code follow each other.
            self._after_blank &= not self._in_container
            return self._after_blank
        if line[0] != " " and (self._after_blank or not self._in_container):
            self._in_container = _CONTAINER.match(line) is not None
        self._after_blank = False
        return False


def to_emoji(text: str) -> str:
    """Replace the names of emoji in a text that is not code."""
    return _NAME_OR_ADDRESS.sub(_emoji, text) if ":" in text else text


def _emoji(match: re.Match[str]) -> str:
    return _emoji_by_name().get(match["name"], match[0])


@cache
def _emoji_by_name() -> dict[str, str]:
    # Its data take ten megabytes and a tenth of a second, which few trees need.
    from emoji import EMOJI_DATA, STATUS

    emoji = {
        sign: data
        for sign, data in EMOJI_DATA.items()
        if data["status"] <= STATUS["fully_qualified"]
    }
    names = {data["en"]: sign for sign, data in emoji.items()}
    # What GitHub calls another emoji by the name of one comes first.
    names |= {
        alias: sign for sign, data in emoji.items() for alias in data.get("alias", ())
    }
    return {name.strip(":"): sign for name, sign in names.items()}
