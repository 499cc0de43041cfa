"""Find syntax that this site does not support, and remove images that it lacks."""

import re
from collections.abc import Collection, Iterator, Sequence

from markdown_it.token import Token

from sitegen.markdown.link_targets import LinkTarget, link_target
from sitegen.markdown.rendering import parse_tokens
from sitegen.markdown.work_limits import WorkLimitExceeded

# Names per remark.
MAX_NAMES = 10
TOO_MUCH_WORK = "It nests or repeats too much, so its Markdown source is shown."

_SUSPECT = re.compile(r"!\[|\{\{|\{%|\{\s|<[A-Za-z]|:::|--8<--")
_TAG = re.compile(r"<([A-Za-z][\w.:-]{0,40})(?=[\s/>])")
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
        *_markup_remarks(tokens, source),
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


def _markup_remarks(tokens: list[Token], source: str) -> Iterator[str]:
    texts = [token.content for token in tokens if token.type == "text"]
    tags = [f"<{tag}>" for text in texts for tag in _TAG.findall(text)]
    if tags:
        names = join_names(_with_lines(tags, source))
        yield f"HTML and components are shown as text: {names}."
    shortcodes = [
        " ".join(shortcode.split())
        for text in texts
        for shortcode in _SHORTCODE.findall(text)
    ]
    if shortcodes:
        names = join_names(_with_lines(shortcodes, source))
        yield f"Shortcodes and directives are shown as text: {names}."


def _with_lines(names: list[str], source: str) -> list[str]:
    """Add to each name the first line in which the source has it."""
    named = []
    for name in dict.fromkeys(names):
        start = source.find(name.rstrip(">"))
        line = f" (line {source.count(chr(10), 0, start) + 1})" if start >= 0 else ""
        named.append(name + line)
    return named


def join_names(names: Sequence[str]) -> str:
    """Return the distinct names in one text, the first MAX_NAMES of them."""
    distinct = list(dict.fromkeys(names))
    omitted = len(distinct) - MAX_NAMES
    listed = ", ".join(distinct[:MAX_NAMES])
    return f"{listed} and {omitted} more" if omitted > 0 else listed
