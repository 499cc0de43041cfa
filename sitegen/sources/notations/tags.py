"""Find the tags of components and shortcodes, and remove those without counterpart."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sitegen.markdown.html_tags import ALLOWED
from sitegen.markdown.rendering import parse_tokens
from sitegen.markdown.work_limits import WorkLimitExceeded
from sitegen.sources.fences import CODE, end_of_fence
from sitegen.sources.notations.jsx import MAX_ENDLESS, EndlessTag, read_tag

# What is between the marks of a shortcode, in which quoted texts may have braces.
_INNER = r"(?:\"(?:(?![>%]\})[^\"\n]){0,1000}+\"|[^{}]){1,2000}+"
_TAG = re.compile(
    rf"{CODE}|(?<![<\\])<(?P<closing>/?)(?P<name>[A-Za-z][\w.-]{{0,60}}+)(?=[\s/>])"
    rf"|\{{\{{[<%](?P<shortcode>{_INNER})(?<=[%>])\}}\}}"
    rf"|(?<!\{{)\{{%(?P<block>{_INNER})(?<=%)\}}(?!\}})",
    re.M,
)
_WORDS = re.compile(r"(/?)\s*+(\w[\w./-]{0,60}+)(.*)", re.S)
# Of Jekyll, GitBook and others; Markdoc has a slash.
_END = re.compile(r"end_?(?=\w)")
_INCLUDE = re.compile(r"-?\s*+include\s++([\w/-]{1,60}+)\.html(.*)%", re.S)
_ARGUMENT = re.compile(
    r"(?:([\w-]{1,60}+)\s?=\s?)?"
    r"(?:\"([^\"]{0,2000}+)\"|'([^']{0,2000}+)'|`([^`]{0,2000}+)`|([^\s\"'`]{1,500}+))"
)
# Elements of forms, of which readers need only the words.
_CONTROLS = frozenset(
    ("button", "fieldset", "form", "label", "legend", "optgroup", "option", "select")
)
# What stands in place of a tag until its line is known to be empty.
_REMOVED = "\0"
_REMOVED_LINE = re.compile(r"^([ \t>]*+)\0[\0 \t]*$", re.M)


class Tag(NamedTuple):
    """A tag of a component or shortcode, and where it is in the text."""

    name: str
    # As it begins in the text, such as `<Card` or `{{< map`.
    label: str
    attributes: Mapping[str, Any]
    # Values without a name, which shortcodes have.
    values: Sequence[str]
    is_closing: bool
    is_empty: bool
    # A tag that is text unless another one closes it.
    needs_end: bool
    start: int
    end: int


def find_tags(text: str, pictures: Mapping[str, str]) -> Iterator[Tag]:
    """Yield the tags that are not in code; `pictures` are what variables stand for."""
    position = endless = 0
    while match := _TAG.search(text, position):
        position = match.end()
        if match["fence"]:
            position = end_of_fence(text, match["fence"], position)
        elif match["name"]:
            try:
                tag = read_tag(text, match, pictures)
            except EndlessTag:
                endless += 1
                if endless > MAX_ENDLESS:
                    return
                continue
            if tag is not None and _is_component(tag.name):
                position = tag.end
                yield Tag(
                    tag.name,
                    label=f"<{tag.name}",
                    attributes=tag.attributes,
                    values=(),
                    is_closing=tag.is_closing,
                    is_empty=tag.is_empty,
                    needs_end=True,
                    start=match.start(),
                    end=tag.end,
                )
        elif not match["ticks"] and (words := _WORDS.match(_inner(match))):
            yield _shortcode(match, words)


def _is_component(name: str) -> bool:
    return name.lower() not in ALLOWED


def _inner(match: re.Match[str]) -> str:
    if match["shortcode"]:
        return match["shortcode"][:-1].strip()
    return match["block"][:-1].strip().strip("-").strip()


def _shortcode(match: re.Match[str], words: re.Match[str]) -> Tag:
    name, arguments = words[2], words[3]
    is_closing = bool(words[1])
    if match["block"] and (end := _END.match(name)):
        name, is_closing = name[end.end() :], True
    elif include := _INCLUDE.match(match["block"] or ""):
        # Jekyll's components are files.
        name, arguments = include[1], include[2].rstrip(" -")
    is_empty = arguments.endswith("/")
    attributes, values = read_arguments(arguments.removesuffix("/"))
    label = match[0][: match[0].index(words[2]) + len(words[2])]
    return Tag(
        name,
        label=label,
        attributes=attributes,
        values=values,
        is_closing=is_closing,
        is_empty=is_empty,
        needs_end=False,
        start=match.start(),
        end=match.end(),
    )


def read_arguments(text: str) -> tuple[dict[str, str], list[str]]:
    """Return the values with a name, the first of each, and those without one."""
    attributes, values = dict[str, str](), list[str]()
    for name, *texts in _ARGUMENT.findall(text):
        value = "".join(texts)
        if name:
            attributes.setdefault(name, value)
        else:
            values.append(value)
    return attributes, values


def pairs_of(tags: Sequence[Tag]) -> dict[int, int]:
    """Return the index of the closing tag of each tag that has one."""
    pairs: dict[int, int] = {}
    waiting, counts = list[int](), Counter[str]()
    for index, tag in enumerate(tags):
        if tag.is_closing:
            while counts[tag.name]:
                opening = waiting.pop()
                counts[tags[opening].name] -= 1
                if tags[opening].name == tag.name:
                    pairs[opening] = index
                    break
        elif not tag.is_empty:
            waiting.append(index)
            counts[tag.name] += 1
    return pairs


def without_tags(text: str, removed: Counter[str]) -> str:
    """
    Return the text without the tags of components, with what is between them.

    Count them in `removed`. Tags of JSX that nothing ends are text.
    """
    tags = [tag for tag in find_tags(text, {}) if _is_unknown(tag)]
    if not tags:
        return text
    try:
        code = _indented_code(text)
    except WorkLimitExceeded:
        return text
    pairs = pairs_of(tags)
    closings, parts, cut, line = set(pairs.values()), list[str](), 0, 0
    for index, tag in enumerate(tags):
        line += text.count("\n", tags[index - 1].start if index else 0, tag.start)
        has_pair = index in pairs or index in closings
        if line in code or (tag.needs_end and not tag.is_empty and not has_pair):
            continue
        if index not in closings:
            removed[tag.label] += 1
        parts += [text[cut : tag.start], _REMOVED]
        cut = tag.end
    text = "".join([*parts, text[cut:]])
    return _REMOVED_LINE.sub(r"\1", text).replace(_REMOVED, "")


def _is_unknown(tag: Tag) -> bool:
    """Return whether it is a component, and no other element or word in brackets."""
    is_named_so = tag.name[0].isupper() or "-" in tag.name
    return not tag.needs_end or is_named_so or tag.name in _CONTROLS


def _indented_code(text: str) -> set[int]:
    """Return the lines that are code by their indentation."""
    blocks = (token.map for token in parse_tokens(text) if token.type == "code_block")
    return {line for block in blocks if block for line in range(*block)}
