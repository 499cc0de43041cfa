"""Convert the notations of other dialects for links, and for the ids they lead to."""

import re

from sitegen.markdown.attributes import ATTRIBUTES
from sitegen.markdown.html_tags import ID_CHARACTER

# kramdown: {: #id .class}, in a line of its own or at the end of a heading.
_ATTRIBUTES = re.compile(r"(\s*)\{:([^{}]*)\}\s*")
# Python-Markdown needs no colon.
_BARE_ATTRIBUTES = re.compile(rf"(\s{{0,100}}+){ATTRIBUTES.pattern}\s*")
_ID = re.compile(rf"(?:^|\s)#({ID_CHARACTER}++)")
_EXPLICIT_ID = re.compile(rf"\{{:?\s*+(#{ID_CHARACTER}++)[^{{}}]*+\}}\s*")
# AsciiDoc: [[id]] above a block, or before the text of a heading.
_BLOCK_ANCHOR = re.compile(r"(\s*)\[\[([A-Za-z_][\w:.-]*+)(?:,[^\[\]]*+)?\]\]\s*")
_HEADING_ANCHOR = re.compile(r"(#{1,6}\s+)\[\[([A-Za-z_][\w:.-]*+)\]\]\s*(\S.*)")
_SHORTCODE = re.compile(
    # Hugo: {{< ref "guide/start.md#first" >}}, {{% relref path="start" lang="en" %}}
    r"\{\{[<%]\s*+(?:rel)?ref\s++(?:path=)?[\"']?(?P<ref>[^\s\"'`{}<>]++)"
    r"[^{}]{0,200}?[%>]\}\}"
    # Jekyll: {% link guide/start.md %}, {{ "/guide/start" | relative_url }}
    r"|\{%-?\s*+link\s++[\"']?(?P<link>[^\s\"'`%{}]++)[\"']?\s*+-?%\}"
    r"|\{\{-?\s*+[\"'](?P<url>[^\"'`{}]++)[\"']\s*+\|\s*+(?:relative|absolute)_url"
    r"\s*+-?\}\}"
    # {{ site.baseurl }}/guide/start
    r"|\{\{-?\s*+site\.(?:base)?url\s*+-?\}\}"
)


def convert_anchors(before: str, line: str, after: str) -> list[str]:
    """Return the lines for a line, which stands between two others."""
    if attributes := _attribute_line(line):
        return _lines_for_attributes(before, *attributes.groups())
    if line.startswith("#"):
        return [_heading(line, after)]
    if "[[" in line and after.strip() and (anchor := _BLOCK_ANCHOR.fullmatch(line)):
        return [f'{anchor[1]}<a id="{anchor[2]}"></a>']
    return [line]


def _attribute_line(line: str) -> re.Match[str] | None:
    """Return the indentation and the attributes of a line that has no others."""
    return _ATTRIBUTES.fullmatch(line) or _BARE_ATTRIBUTES.fullmatch(line)


def _lines_for_attributes(before: str, indent: str, attributes: str) -> list[str]:
    """Return an anchor if the attributes have an id that no heading takes."""
    id = _ID.search(attributes)
    if id is None or before.startswith("#"):
        return []
    # It would be a row of the table.
    gap = [""] if before.lstrip().startswith("|") else []
    return [*gap, f'{indent}<a id="{id[1]}"></a>']


def _heading(line: str, after: str) -> str:
    start = line.rfind("{")
    if start >= 0 and (explicit_id := _EXPLICIT_ID.fullmatch(line, start)):
        return f"{line[:start].rstrip()} {{{explicit_id[1]}}}"
    if anchor := _HEADING_ANCHOR.fullmatch(line):
        return f"{anchor[1]}{anchor[3]} {{#{anchor[2]}}}"
    attributes = _attribute_line(after)
    id = _ID.search(attributes[2]) if attributes else None
    return f"{line.rstrip()} {{#{id[1]}}}" if id else line


def convert_link_shortcodes(line: str) -> str:
    """Replace each shortcode by the path that it means, except in code spans."""
    if "{" not in line:
        return line
    parts, end, backticks = [], 0, 0
    for match in _SHORTCODE.finditer(line):
        before = line[end : match.start()]
        backticks += before.count("`")
        parts += [before, match[0] if backticks % 2 else _path_of(match)]
        end = match.end()
    return "".join([*parts, line[end:]])


def _path_of(match: re.Match[str]) -> str:
    if reference := match["ref"]:
        return reference
    path = match["link"] or match["url"]
    return "/" + path.lstrip("/") if path else ""
