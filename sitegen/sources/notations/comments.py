"""Remove the comments of authors in any notation, and scripts."""

import re

from sitegen.sources.fences import CODE, end_of_fence

# How each notation begins and ends.
_NOTATIONS = {
    "html": (r"<!--", r"-->"),
    "mdx": (r"\{/\*", r"\*/\}"),
    "jinja": (r"\{#(?=[\s-])", r"#\}"),
    "kramdown": (r"\{::comment\}", r"\{:/(?:comment)?\}"),
    "liquid": (r"\{%-? ?+comment ?+-?%\}", r"\{%-? ?+endcomment ?+-?%\}"),
    "hugo": (r"\{\{[<%] ?+comment ?+[%>]\}\}", r"\{\{[<%] ?+/ ?+comment ?+[%>]\}\}"),
    # Of components in Vue, and what only a browser would read.
    "script": (r"^ {0,3}<script(?:\s[^<>]*)?>", r"</script\s*>"),
    "style": (r"^ {0,3}<style(?:\s[^<>]*)?>", r"</style\s*>"),
    # Elsewhere than in Obsidian, %% is an operator.
    "obsidian": (r"(?<!\S)%%(?=[^\s%](?:[^\n]{0,500}?[^\s%])?%%(?!\S))", r"%%(?!\S)"),
    "obsidian_block": (r"^[ >]{0,3}%%(?=[ \n])", r"%%[ \t]*$"),
}
# What Markdown shows as code where it is indented; the others are read before it.
_OF_MARKDOWN = {"html", "mdx", "jinja", "obsidian", "obsidian_block"}
_ENDS = {name: re.compile(end, re.M) for name, (_, end) in _NOTATIONS.items()}
_STARTS = "|".join(f"(?P<{name}>{start})" for name, (start, _) in _NOTATIONS.items())
_TOKEN = re.compile(f"{CODE}|{_STARTS}", re.M)
_SIGNS = ("<!--", "<script", "<style", "{/*", "{#", "comment", "%%")
_INDENTED = re.compile(r"(?: {4}|\t)")
# The id of a heading, as Docusaurus writes it.
_ID = re.compile(r"\s*(#[^\s#{}]{1,200})\s*")
# An empty comment, which keeps the blocks around it apart.
SEPARATOR = "<!-- -->"
MAX_LINE = 2_000
_IN_LIST = re.compile(r"[ \t>]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]|[> ]*[ \t]{2}")


def without_comments(text: str, *, is_mdx: bool) -> str:
    """
    Return the text without comments, of which those that never end are text.

    The id of a heading that is in a comment stays, in braces.
    """
    if not any(sign in text for sign in _SIGNS):
        return text
    parts, cut, position = list[str](), 0, 0
    endless = set[str]()
    while token := _TOKEN.search(text, position):
        position, name = token.end(), token.lastgroup or ""
        if name == "fence":
            position = end_of_fence(text, token["fence"], position)
        elif name in _ENDS and name not in endless:
            line_start = text.rfind("\n", 0, token.start()) + 1
            is_indented = not is_mdx and _INDENTED.match(text, line_start)
            if is_indented and name in _OF_MARKDOWN:
                continue
            end = _ENDS[name].search(text, position)
            if end is None:
                endless.add(name)
                continue
            before = text[line_start : token.start()]
            parts.append(text[cut : token.start()])
            if before.startswith("#"):
                id = _ID.fullmatch(text, position, end.start())
                parts += [f"{{{id[1]}}}"] if id else []
            elif (
                name == "html"
                and not before.strip(" \t>")
                and _is_separator(text, line_start, end.end())
            ):
                parts.append(SEPARATOR)
            cut = position = end.end()
    return "".join([*parts, text[cut:]])


def _is_separator(text: str, line_start: int, end: int) -> bool:
    """Return whether what is around a comment would run together without it."""
    above = text[max(0, line_start - MAX_LINE) : line_start]
    last_line = above.rstrip().rpartition("\n")[2]
    if not last_line:
        return False
    is_apart = above.endswith("\n\n") and text.startswith("\n\n", end)
    return not is_apart or _IN_LIST.match(last_line) is not None
