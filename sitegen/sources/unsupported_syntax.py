"""What a text holds that this site shows otherwise than its author meant."""

import re
from collections.abc import Iterator

from markdown_it.token import Token

from sitegen.markdown.link_targets import Target, target_of
from sitegen.markdown.parser import tokens_of
from sitegen.markdown.work_limits import TooMuchWork

# Names enough to find the place; the file itself has them all.
MOST_NAMES = 10
TOO_HOSTILE = "It nests or repeats too much, so it is shown as it was written."

_SUSPECT = re.compile(r"!\[|\{\{|\{%|\{\s|<[A-Za-z]|:::|--8<--")
_TAG = re.compile(r"<([A-Za-z][\w.:-]{0,40})(?=[\s/>])")
_SHORTCODE = re.compile(
    r"(\{\{[<%]?\s*[\w./-]{0,40}|\{%-?\s*\w{0,40}|(?<!:):::+\s*\{?\w{1,40}|--8<--)"
)
_IMAGE = re.compile(
    r"!\[((?:[^\[\]\\]|\\.)*)\](?:\(\s*<?([^\s()<>]*)>?(?:\s+\"[^\"]*\")?\s*\)"
    r"|\[([^\[\]]*)\])?"
)


def without_local_images(text: str) -> tuple[str, list[str]]:
    """
    Return the text with the words of each image that is a file in its place.

    And what the site shows otherwise than it was meant, in sentences.
    """
    if not _SUSPECT.search(text):
        return text, []
    try:
        tokens = list(_inline(tokens_of(text)))
        local = _local_images(tokens)
        if local:
            text = _taken_out(text, local)
            tokens = list(_inline(tokens_of(text)))
    except TooMuchWork:
        return text, [TOO_HOSTILE]
    return text, [*_told_images(local, _local_images(tokens)), *_told_markup(tokens)]


def _inline(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _inline(token.children or [])


def _local_images(tokens: list[Token]) -> list[str]:
    found = [str(each.attrs["src"]) for each in tokens if each.type == "image"]
    return list(dict.fromkeys(each for each in found if not _is_on_the_web(each)))


def _is_on_the_web(source: str) -> bool:
    is_web = target_of(source) is Target.WEB
    return is_web and source.strip().lower().startswith("https:")


def _taken_out(text: str, local: list[str]) -> str:
    definitions = re.findall(r"^ {0,3}\[([^\[\]]+)\]:\s*<?([^\s<>]+)", text, re.M)
    named = {name.lower() for name, source in definitions if source in local}

    def words(found: re.Match[str]) -> str:
        start = text.rfind("\n", 0, found.start()) + 1
        is_code = text.count("`", start, found.start()) % 2
        name = found[3] or found[1]
        is_local = found[2] in local if found[2] else name.lower() in named
        return found[1] if is_local and not is_code else found[0]

    return _IMAGE.sub(words, text)


def _told_images(local: list[str], left: list[str]) -> Iterator[str]:
    gone = [each for each in local if each not in left]
    if gone:
        yield f"Images that are not at an https address were left out: {_names(gone)}."
    if left:
        yield f"Images that lead nowhere stay in the text: {_names(left)}."


def _told_markup(tokens: list[Token]) -> Iterator[str]:
    texts = [each.content for each in tokens if each.type == "text"]
    tags = [f"<{tag}>" for text in texts for tag in _TAG.findall(text)]
    if tags:
        yield f"HTML and components are shown as text: {_names(tags)}."
    codes = [" ".join(c.split()) for t in texts for c in _SHORTCODE.findall(t)]
    if codes:
        yield f"Shortcodes and directives are shown as text: {_names(codes)}."


def _names(found: list[str]) -> str:
    distinct = list(dict.fromkeys(found))
    more = len(distinct) - MOST_NAMES
    names = ", ".join(distinct[:MOST_NAMES])
    return f"{names} and {more} more" if more > 0 else names
