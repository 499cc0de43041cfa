"""
Make plain tags of those of JSX, whose attributes can be code and go over lines.

No code is run: texts, numbers and lists are read, and other values are left out.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from sitegen.sources.fences import (
    CODE,
    FenceTracker,
    end_of_fence,
    fence_around,
    outside_spans,
)
from sitegen.sources.navigation.javascript_data import (
    UnreadableJavaScript,
    jsx_text,
    value_at,
)

# Longer tags are text, and so are all after many that do not end.
MAX_LENGTH, MAX_ENDLESS = 20_000, 20
_TOKEN = re.compile(
    CODE + r"|(?<![\w<])<(?P<closing>/?)(?P<name>[A-Za-z][\w.]{0,60}+)(?=[\s/>])",
    re.M,
)
# An address in angle brackets is none.
_TAG_START = re.compile(r"</?[A-Za-z][\w.]{0,60}+[\s/>]")
_SPACE = re.compile(r"(?:[ \t]|\n(?![ \t]*\n)|\{/\*.*?\*/\})*+", re.S)
_ATTRIBUTE = re.compile(r"[\w:@.#$-]{1,60}+")
_QUOTED = re.compile(r"\"([^\"]*+)\"|'([^']*+)'")
_ADDRESS = re.compile(
    r"\s*+(?:useBaseUrl|withBase|require)\(\s*+[\"'`]([^\"'`]{1,500}+)[\"'`]\s*+"
    r"(?:,\s*+)?\)(?:\.default)?\s*+"
)
_IMPORTED_PICTURE = re.compile(
    r"^import +(\w{1,60}+) +from +[\"']([^\"'\n]{1,300}"
    r"\.(?:png|jpe?g|gif|svg|webp|avif))[\"']",
    re.M | re.I,
)
_BRACE = re.compile(r"[{}]")
_VARIABLE = re.compile(r"\s*(\w{1,60}+)(?:\.(?:src|default))?\s*")
_NAMES = {"className": "class", "htmlFor": "for"}
# Attributes of Vue with code.
_CODE = (":", "@", "#", "v-")
_GROUPS_OF_TABS, _TABS = {"Tabs", "CodeTabs"}, {"TabItem", "Tab"}
_TAG_ALONE = re.compile(
    r"^([ \t]*<(?:article|details|div|figure|figcaption|header|main|section|span)"
    r"(?=[\s>])(?![^<>\n]*\b(?:markdown|note|info|tip|warning|caution|danger)\b)"
    r"(?:[^<>\n]*[^<>\n/])?)>[ \t]*$",
    re.M,
)
_SPACE_IN_BRACES = re.compile(r"\{([\"'`]) {1,9}\1\}")
_BOX_START = re.compile(r"^([ \t]*<div(?:\s[^<>\n]*[^<>\n/])?>)[ \t]*(?=\S)", re.M)
_BOX_END = re.compile(r"(?<=\S)[ \t]*(</div>)[ \t]*$", re.M)


class EndlessTag(Exception):
    """The code in a tag does not end."""


@dataclass(frozen=True)
class Tag:
    """A tag, and where it ends; the value of an attribute that is code is None."""

    name: str
    attributes: dict[str, Any]
    is_closing: bool
    is_empty: bool
    has_code: bool
    end: int


def with_plain_tags(text: str, *, is_mdx: bool, besides: Collection[str] = ()) -> str:
    """
    Return the text, with each component and each tag with code in one line.

    Components whose names are in `besides` stay as they are.
    """
    if _TAG_START.search(text):
        text = "".join(_parts(text, besides))
    if is_mdx:
        # Elsewhere than in CommonMark, Markdown may follow a tag at once.
        text = _with_markdown_in_tags(text)
    return text


def imported_pictures(text: str) -> dict[str, str]:
    """Return the paths of pictures by the variables that stand for them."""
    return dict(_IMPORTED_PICTURE.findall(text))


def _parts(text: str, besides: Collection[str]) -> Iterator[str]:
    pictures = imported_pictures(text)
    # The labels of the tabs, by value, in each of the groups around them.
    labels: list[dict[Any, Any]] = []
    end = position = endless = 0
    while token := _TOKEN.search(text, position):
        position = token.end()
        if token["fence"]:
            position = end_of_fence(text, token["fence"], position)
            continue
        try:
            tag = read_tag(text, token, pictures) if token["name"] else None
        except EndlessTag:
            endless += 1
            if endless > MAX_ENDLESS:
                break
            continue
        if tag is None:
            continue
        position = tag.end
        if tag.name in besides:
            continue
        if tag.name in _GROUPS_OF_TABS and not tag.is_empty:
            if tag.is_closing:
                labels = labels[:-1]
            else:
                labels.append(_labels(tag.attributes.get("values")))
        source = text[token.start() : tag.end]
        if tag.name in _TABS and labels and not tag.is_closing:
            label = labels[-1].get(tag.attributes.get("value"))
            if label and "label" not in tag.attributes:
                tag.attributes["label"] = label
        line_start = text.rfind("\n", 0, token.start()) + 1
        indent = text[line_start : token.start()]
        plain = _plain(tag, source, "" if indent.strip() else indent)
        if plain != source and not ("\n" in source and indent.startswith(">")):
            yield text[end : token.start()]
            yield plain
            end = tag.end
    yield text[end:]


def _with_markdown_in_tags(text: str) -> str:
    fences, output = FenceTracker(), list[str]()
    for line in text.split("\n"):
        if not fences.is_code(line):
            if "<" in line:
                line = _BOX_END.sub(r"\n\1", _BOX_START.sub(r"\1\n", line))
                line = _TAG_ALONE.sub(r"\1 markdown>", line)
            line = outside_spans(line, _without_spaces)
        output.append(line)
    return "\n".join(output)


def _without_spaces(text: str) -> str:
    return _SPACE_IN_BRACES.sub(" ", text)


def _labels(values: Any) -> dict[Any, Any]:
    """Return the labels that a group of tabs gives, by value."""
    items = values if isinstance(values, list) else ()
    return {
        item["value"]: item.get("label")
        for item in items
        if isinstance(item, dict) and isinstance(item.get("value"), str)
    }


def read_tag(
    text: str, token: re.Match[str], pictures: Mapping[str, str]
) -> Tag | None:
    """Return the tag that begins at the token, None if it does not end."""
    attributes: dict[str, Any] = {}
    position, last = token.end(), token.start() + MAX_LENGTH
    has_code = False
    while position < last:
        position = _skip_space(text, position)
        if text.startswith((">", "/>"), position):
            is_empty = text[position] == "/"
            return Tag(
                token["name"],
                attributes,
                bool(token["closing"]),
                is_empty,
                has_code,
                position + 1 + is_empty,
            )
        if text.startswith("{", position):
            # Attributes that are spread from a value.
            has_code, position = True, _end_of_braces(text, position, last)
            continue
        if not (name := _ATTRIBUTE.match(text, position)):
            return None
        position = name.end()
        value: Any = True
        if text.startswith("=", position):
            position += 1
            if quoted := _QUOTED.match(text, position):
                value, position = quoted[1] or quoted[2] or "", quoted.end()
            elif text.startswith("{", position):
                has_code = True
                end = _end_of_braces(text, position, last)
                value = _value(text[position + 1 : end - 1], pictures)
                position = end
            else:
                return None
        if not name[0].startswith(_CODE):
            attributes.setdefault(_NAMES.get(name[0], name[0]), value)
    return None


def _skip_space(text: str, position: int) -> int:
    space = _SPACE.match(text, position)
    return space.end() if space else position


def _end_of_braces(text: str, start: int, last: int) -> int:
    """Return where the braces end that begin here; raise EndlessTag if they do not."""
    code = text[start + 1 : last]
    with suppress(UnreadableJavaScript):
        _, end = value_at(code, 0)
        if code.startswith("}", end):
            return start + 1 + end + 1
    # An apostrophe in a text of JSX is none of JavaScript's quotes.
    depth = 0
    for brace in _BRACE.finditer(text, start, last):
        depth += 1 if brace[0] == "{" else -1
        if not depth:
            return brace.end()
    raise EndlessTag


def _value(code: str, pictures: Mapping[str, str]) -> Any:
    """Return what the code of a value means, None if only running it would tell."""
    if address := _ADDRESS.fullmatch(code):
        return address[1]
    if (variable := _VARIABLE.fullmatch(code)) and variable[1] in pictures:
        return pictures[variable[1]]
    try:
        value, end = value_at(code, 0)
    except UnreadableJavaScript:
        return jsx_text(code)
    return value if not code[end:].strip() else jsx_text(code)


def _plain(tag: Tag, source: str, indent: str) -> str:
    """Return the tag in one line; a component with code becomes a block of it."""
    code = tag.attributes.get("code")
    if tag.name == "Code" and tag.has_code and tag.is_empty:
        return (
            _code_block(tag, code, indent)
            if isinstance(code, str)
            else _as_text(source)
        )
    is_component = tag.name[0].isupper() or tag.name == "iframe"
    is_long = "\n" in source and is_component
    is_labelled = tag.name in _TABS and "label" not in source
    if tag.is_closing or not (tag.has_code or is_long or is_labelled):
        return source
    attributes = "".join(
        f' {name}="{_quoted(value)}"' if value is not True else f" {name}"
        for name, value in tag.attributes.items()
        if isinstance(value, str | bool) and value is not False
    )
    return f"<{tag.name}{attributes}{' /' if tag.is_empty else ''}>"


def _code_block(tag: Tag, code: str, indent: str) -> str:
    fence, language = fence_around(code), tag.attributes.get("lang")
    title = tag.attributes.get("title")
    info = language if isinstance(language, str) else ""
    info += f' title="{_quoted(title)}"' if isinstance(title, str) else ""
    lines = [f"{fence}{info}", *code.strip("\n").split("\n"), fence]
    return f"\n{indent}".join(lines)


def _as_text(source: str) -> str:
    """Return a tag as text, as it would be taken for the element of HTML."""
    return "&lt;" + " ".join(source[1:].split())


def _quoted(value: str) -> str:
    return " ".join(value.replace('"', "'").split())
