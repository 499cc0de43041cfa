"""Remove the comments of authors, in the notation of any generator."""

import re

from sitegen.markdown.code_blocks import CODE_SPAN
from sitegen.sources.fences import end_of_fence

# How each notation begins and ends.
_NOTATIONS = {
    "html": (r"<!--", r"-->"),
    "mdx": (r"\{/\*", r"\*/\}"),
    "jinja": (r"\{#(?=[\s-])", r"#\}"),
    "kramdown": (r"\{::comment\}", r"\{:/(?:comment)?\}"),
    "liquid": (r"\{%-? ?+comment ?+-?%\}", r"\{%-? ?+endcomment ?+-?%\}"),
    "hugo": (r"\{\{[<%] ?+comment ?+[%>]\}\}", r"\{\{[<%] ?+/ ?+comment ?+[%>]\}\}"),
    # Elsewhere than in Obsidian, %% is an operator.
    "obsidian": (r"(?<!\S)%%(?=[^\s%](?:[^\n]{0,500}?[^\s%])?%%(?!\S))", r"%%(?!\S)"),
    "obsidian_block": (r"^[ >]{0,3}%%(?=[ \n])", r"%%[ \t]*$"),
}
# What Markdown shows as code where it is indented; the others are read before it.
_OF_MARKDOWN = {"html", "mdx", "jinja", "obsidian", "obsidian_block"}
_ENDS = {name: re.compile(end, re.M) for name, (_, end) in _NOTATIONS.items()}
_STARTS = "|".join(f"(?P<{name}>{start})" for name, (start, _) in _NOTATIONS.items())
_TOKEN = re.compile(
    rf"^[ \t>]*(?P<fence>`{{3,}}(?=[^`\n]*$)|~{{3,}})|{CODE_SPAN}|{_STARTS}", re.M
)
_SIGNS = ("<!--", "{/*", "{#", "comment", "%%")
_INDENTED = re.compile(r"(?: {4}|\t)")
# The id of a heading, as Docusaurus writes it.
_ID = re.compile(r"\s*(#[^\s#{}]{1,200})\s*")
# An empty comment, which keeps the blocks around it apart.
_SEPARATOR = "<!-- -->"


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
            parts += [text[cut : token.start()]]
            if line_start or before:
                parts += _instead(before, name, text[position : end.start()])
            cut = position = end.end()
    return "".join([*parts, text[cut:]])


def _instead(before: str, notation: str, comment: str) -> list[str]:
    """Return what stands for a comment, of which a line has text before."""
    if before.startswith("#"):
        id = _ID.fullmatch(comment)
        return [f"{{{id[1]}}}"] if id else []
    is_alone = notation == "html" and not before.strip(" \t>")
    return [_SEPARATOR] if is_alone else []
