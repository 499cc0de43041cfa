"""Find syntax that this site does not support, and remove images that it lacks."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from itertools import islice, pairwise

from markdown_it.token import Token

from sitegen.markdown.code_blocks import CODE_SPAN
from sitegen.markdown.links import LinkTarget, link_target
from sitegen.markdown.rendering import parse_tokens
from sitegen.markdown.work_limits import WorkLimitExceeded
from sitegen.sources.fences import FenceTracker

# Names per remark.
MAX_NAMES = 10
TOO_MUCH_WORK = "It nests or repeats too much, so its Markdown source is shown."

# What may be such syntax; addresses in angle brackets are none.
_SUSPECT = re.compile(
    r"!\[|\{\{|\{%|\{\s|<(?![a-z][a-z0-9+.-]{1,31}:[^\s<>]*>)[a-z]|:::|--8<--|\[\["
    r"|^[!?/=]{3}|\+\+|==|%%|\{[:#.*]|:\w[\w+-]*:|<<<|@\[|^(?:import|export)\s|\.\.\s\w"
    r"|\{[\w:+-]+\}|\s\^[a-z]|\*\[|\[!|\[TOC\]|\^\^|^\([a-z][\w-]*\)=",
    re.M | re.I,
)
_TAG = re.compile(r"<([A-Za-z][\w.:-]{0,40})(?=[\s/>]|\Z)")
# The notations of generators that this site shows as they are, by their kind. They are
# looked for in text, line by line, after all that is understood was converted.
_NOTATIONS = {
    kind: re.compile(pattern, re.M)
    for kind, pattern in {
        "Shortcodes and directives": (
            r"\{\{[<%]?\s*[\w./-]{0,40}|\{%-?\s*\w{0,40}|(?<!:):::+\s*\{?\w{1,40}|--8<--"
            r"|^\.\. [\w:-]{1,40}::|\{[a-z][\w:+-]{0,40}\}$|<<<\s*@?[/.]"
            r"|\{\*\s*\S{1,80}|(?<!\S)@$"
        ),
        "Admonitions and blocks": (
            r"^(?:!!!|\?\?\?\+?|///)[ \t]*[\w|-]{1,40}|^\[![\w-]{1,40}\]"
        ),
        "Tabs": r"^===[+!]*[ \t]*[\"'“‘]",
        "Wikilinks": r"!?\[\[[^\[\]\n]{1,100}\]\]",
        "Comments": r"%%[^%\n]{1,100}%%",
        "Keys and marks": (
            r"\+\+[a-z][a-z0-9+ -]{0,40}\+\+|==[^\s=][^=\n]{0,40}=="
            r"|\^\^[^\s^][^^\n]{0,40}\^\^"
        ),
        "Attributes": (
            r"\{:?[ \t]*[#.][A-Za-z][^{}\n]{0,60}\}|\{:[^{}\n]{1,60}\}"
            r"|^\([a-z][\w-]{0,40}\)=$"
        ),
        "Icons and emoji": r"(?<![\w:]):[a-z][a-z0-9_+-]{1,60}:(?![\w:])",
        "Ids of blocks": r"(?<=\s)\^[A-Za-z][\w-]{3,40}$",
        "Modules": (
            r"^import\s[^\n]{1,60}\sfrom\s|^export\s+(?:const|default|function)\b"
        ),
        "Tables of contents": r"^\[\[?_?(?:TOC|toc)_?\]?\]",
    }.items()
}
_SHORTCODE = re.compile(r"(\{\{[<%])(/\*)?(\s{0,9}[\w./-]{0,40})")
# Liquid's, in which tags are text.
_RAW_TEXT = re.compile(
    r"\{%-? ?raw ?-?%\}((?:[^{]|\{(?!%-? ?(?:end)?raw))*+)\{%-? ?endraw ?-?%\}"
)
_WITH_ATTRIBUTES = {"image", "link_close"}
# An image, or a code span, in which there is none.
_IMAGE = re.compile(
    CODE_SPAN + r"|!\[((?:[^\[\]\\]|\\.)*+)\]"
    r"(?:\(\s*+<?([^\s()<>]*+)>?(?:\s++\"[^\"]*+\")?\s*+\)|\[([^\[\]]*)\])?"
)


def remove_local_images(
    text: str,
    present: Collection[str] = (),
    *,
    source: str = "",
    removed: Set[str] = frozenset(),
) -> tuple[str, list[str]]:
    """
    Replace images by their alternative text, unless `present` or at an https URL.

    Also return remarks on what the site shows differently than meant, as sentences.
    They name lines of the source, which is the text of the whole file. `removed` has
    the labels of components of which no tag is left.
    """
    if not _SUSPECT.search(text):
        return text, []
    try:
        tokens = parse_tokens(text)
        local = _local_images(tokens, present)
        if local:
            text = _replace_images(text, local)
            tokens = parse_tokens(text)
    except WorkLimitExceeded:
        return text, [TOO_MUCH_WORK]
    return text, [
        *_image_remarks(local, _local_images(tokens, present)),
        *_markup_remarks(tokens, text, source, removed),
    ]


def _flatten(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _flatten(token.children or [])


def _local_images(tokens: list[Token], present: Collection[str]) -> list[str]:
    images = (token for token in _flatten(tokens) if token.type == "image")
    sources = [str(token.attrs["src"]) for token in images]
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
    sources = set(local)
    references = {name.lower() for name, source in definitions if source in sources}

    def replacement(image: re.Match[str]) -> str:
        ticks, alternative_text, source, reference = image.groups()
        if ticks:
            return image[0]
        name = reference or alternative_text
        is_local = source in sources if source else name.lower() in references
        return alternative_text if is_local else image[0]

    return _IMAGE.sub(replacement, text)


def _image_remarks(local: list[str], remaining: list[str]) -> Iterator[str]:
    removed = [source for source in local if source not in remaining]
    if removed:
        places = "neither in the folder nor at an https URL"
        yield f"Images that are {places} were left out: {join_names(removed)}."
    if remaining:
        yield f"Broken images remain in the text: {join_names(remaining)}."


def _markup_remarks(
    tokens: list[Token], text: str, source: str, removed: Set[str]
) -> Iterator[str]:
    """Yield a remark for each kind of markup that readers would see."""
    # By kind and name: the first form of the name, and the lines of its token.
    found: dict[str, dict[str, tuple[str, int, int]]] = {}
    shown = _shown_shortcodes(source, removed)
    for before, token in pairwise([Token("", "", 0), *tokens]):
        # Headings and links have attributes that this site knows.
        is_heading = before.type == "heading_open"
        start, end = token.map or (0, 0)
        for kind, name in dict.fromkeys(_left_in(token, is_heading=is_heading)):
            if name not in shown:
                place = name.rstrip(">"), start, end
                found.setdefault(kind, {}).setdefault(" ".join(name.split()), place)
    if not found:
        return
    lines, numbers = text.split("\n"), _line_numbers(source)
    for kind, names in found.items():
        listed = list(names)
        # The others are only counted.
        for index, place in enumerate(islice(names.values(), MAX_NAMES)):
            name, start, end = place
            number = _number_of(name, lines[start:end], numbers)
            listed[index] += f" (line {number})" if number else ""
        yield f"{kind} are shown as text: {join_names(listed)}."


def removal_remark(removed: Mapping[str, int], source: str) -> str:
    """Return the remark on components that were removed, by how their tags begin."""
    numbers = _line_numbers(source)
    listed = list(removed)
    for index, (label, count) in enumerate(islice(removed.items(), MAX_NAMES)):
        number = _number_of(label, [], numbers)
        places = [f"{count} times"] if count > 1 else []
        places += [f"line {number}"] if number else []
        name = f"{label}>" if label.startswith("<") else label
        listed[index] = f"{name} ({', '.join(places)})" if places else name
    return (
        "Tags of unknown components were removed, and what is between them stays:"
        f" {join_names(listed)}."
    )


def _left_in(token: Token, *, is_heading: bool) -> Iterator[tuple[str, str]]:
    """Yield the kind and the name of each notation in a token's text or language."""
    if token.type == "fence" and token.info.startswith("{"):
        yield "Directives", token.info.split()[0]
    if token.type != "inline" or not _SUSPECT.search(token.content):
        return
    # Without the alternative texts of images, which may stand before attributes.
    for previous, child in pairwise([Token("", "", 0), *(token.children or [])]):
        if child.type != "text":
            continue
        for tag in _TAG.findall(child.content):
            yield "HTML and components", f"<{tag}>"
        for kind, pattern in _NOTATIONS.items():
            for match in pattern.finditer(child.content):
                follows = match.start() == 0 and previous.type in _WITH_ATTRIBUTES
                if kind != "Attributes" or not (is_heading or follows):
                    yield kind, match[0].strip()


def _shown_shortcodes(source: str, removed: Set[str]) -> set[str]:
    """Return the shortcodes that an author wants to be shown, such as `{{< name`."""
    opened: dict[bool, set[str]] = {True: set(), False: set()}
    for opening, escape, name in _SHORTCODE.findall(source):
        opened[bool(escape)].add(opening + name)
    raw = "\n".join(_RAW_TEXT.findall(source))
    in_raw_text = _NOTATIONS["Shortcodes and directives"].findall(raw)
    return (opened[True] | set(in_raw_text)) - (opened[False] - removed)


def _number_of(name: str, lines: list[str], numbers: dict[str, int]) -> int | None:
    """Return the number of the line of the source that has a name of one of these."""
    line = next((line for line in lines if name in line), name)
    # Of a line that was converted, only the name may be left.
    with_name = (number for text, number in numbers.items() if name in text)
    return numbers.get(_unquoted(line)) or next(with_name, None)


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
