"""Find syntax that this site does not support, and remove images that it lacks."""

import re
from collections.abc import Collection, Iterator, Sequence

from markdown_it.token import Token

from sitegen.markdown.links import LinkTarget, link_target
from sitegen.markdown.rendering import parse_tokens
from sitegen.markdown.work_limits import WorkLimitExceeded
from sitegen.sources.fences import FenceTracker

# Names per remark.
MAX_NAMES = 10
TOO_MUCH_WORK = "It nests or repeats too much, so its Markdown source is shown."

_SUSPECT = re.compile(r"!\[|\{\{|\{%|\{\s|<[A-Za-z]|:::|--8<--")
_TAG = re.compile(r"<([A-Za-z][\w.:-]{0,40})(?=[\s/>]|\Z)")
_SHORTCODE = re.compile(
    r"(\{\{[<%]?\s*[\w./-]{0,40}|\{%-?\s*\w{0,40}|(?<!:):::+\s*\{?\w{1,40}|--8<--)"
)
_IMAGE = re.compile(
    r"!\[((?:[^\[\]\\]|\\.)*+)\]"
    r"(?:\(\s*+<?([^\s()<>]*+)>?(?:\s++\"[^\"]*+\")?\s*+\)|\[([^\[\]]*)\])?"
)


def remove_local_images(
    text: str, present: Collection[str] = (), *, source: str = ""
) -> tuple[str, list[str]]:
    """
    Replace images by their alternative text, unless `present` or at an https URL.

    Also return remarks on what the site shows differently than meant, as sentences.
    They name lines of the source, which is the text of the whole file.
    """
    if not _SUSPECT.search(text):
        return text, []
    try:
        tokens = list(_flatten(parse_tokens(text)))
        local = _local_images(tokens, present)
        if local:
            text = _replace_images(text, local)
            tokens = list(_flatten(parse_tokens(text)))
    except WorkLimitExceeded:
        return text, [TOO_MUCH_WORK]
    return text, [
        *_image_remarks(local, _local_images(tokens, present)),
        *_markup_remarks(tokens, text, source),
    ]


def _flatten(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flatten(token.children or [])


def _local_images(tokens: list[Token], present: Collection[str]) -> list[str]:
    sources = [str(token.attrs["src"]) for token in tokens if token.type == "image"]
    return [
        source
        for source in dict.fromkeys(sources)
        if source not in present and not _is_https(source)
    ]


def _is_https(source: str) -> bool:
    is_web = link_target(source) is LinkTarget.WEB
    return is_web and source.strip().lower().startswith("https:")


def _replace_images(text: str, local: list[str]) -> str:
    definitions = re.findall(r"^ {0,3}\[([^\[\]]+)\]:\s*<?([^\s<>]+)", text, re.M)
    references = {name.lower() for name, source in definitions if source in local}

    def replacement(image: re.Match[str]) -> str:
        alternative_text, source, reference = image.groups()
        line_start = text.rfind("\n", 0, image.start()) + 1
        is_code = text.count("`", line_start, image.start()) % 2
        name = reference or alternative_text
        is_local = source in local if source else name.lower() in references
        return alternative_text if is_local and not is_code else image[0]

    return _IMAGE.sub(replacement, text)


def _image_remarks(local: list[str], remaining: list[str]) -> Iterator[str]:
    removed = [source for source in local if source not in remaining]
    if removed:
        places = "neither in the folder nor at an https URL"
        yield f"Images that are {places} were left out: {join_names(removed)}."
    if remaining:
        yield f"Broken images remain in the text: {join_names(remaining)}."


def _markup_remarks(tokens: list[Token], text: str, source: str) -> Iterator[str]:
    tags: dict[str, str] = {}
    shortcodes: dict[str, str] = {}
    lines = text.split("\n")
    for token in tokens:
        for child in _flatten(token.children or []) if token.type == "inline" else ():
            if child.type == "text":
                for tag in _TAG.findall(child.content):
                    tags.setdefault(f"<{tag}>", _line_with(f"<{tag}", token, lines))
                for name in _SHORTCODE.findall(child.content):
                    if _is_escaped(name, source):
                        continue
                    line = _line_with(name, token, lines)
                    shortcodes.setdefault(" ".join(name.split()), line)
    if tags:
        names = join_names(_with_numbers(tags, source))
        yield f"HTML and components are shown as text: {names}."
    if shortcodes:
        names = join_names(_with_numbers(shortcodes, source))
        yield f"Shortcodes and directives are shown as text: {names}."


def _is_escaped(name: str, source: str) -> bool:
    """Return whether an author of Hugo wants a shortcode to be shown."""
    return name not in source and f"{name[:3]}/*{name[3:]}" in source


def _line_with(name: str, token: Token, lines: list[str]) -> str:
    """Return the line of the text in which a token has a name."""
    start, end = token.map or (0, 0)
    return next((line for line in lines[start:end] if name in line), "")


def _with_numbers(lines: dict[str, str], source: str) -> list[str]:
    """Add to each name the number that its line has in the source, if it is there."""
    numbers = _line_numbers(source)
    named = []
    for name, line in lines.items():
        opening = name.rstrip(">")
        # Of a line that was converted, only the name may be left.
        with_name = (n for text, n in numbers.items() if opening in text)
        number = numbers.get(_unquoted(line)) or next(with_name, None)
        named.append(f"{name} (line {number})" if number else name)
    return named


def _line_numbers(source: str) -> dict[str, int]:
    """Return the number of each line that is no code, the first of equal ones."""
    fences, numbers = FenceTracker(), dict[str, int]()
    for number, line in enumerate(source.split("\n"), 1):
        if not fences.is_code(line):
            numbers.setdefault(_unquoted(line), number)
    return numbers


def _unquoted(line: str) -> str:
    """Return a line without what stands before it in quotes and tabs."""
    return line.strip(" \t>")


def join_names(names: Sequence[str]) -> str:
    """Return the distinct names in one text, the first MAX_NAMES of them."""
    distinct = list(dict.fromkeys(names))
    omitted = len(distinct) - MAX_NAMES
    listed = ", ".join(distinct[:MAX_NAMES])
    return f"{listed} and {omitted} more" if omitted > 0 else listed
