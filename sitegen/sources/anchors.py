"""Convert the notations of other dialects for the ids of headings and blocks."""

import re

# kramdown: {: #id .class}, in a line of its own or at the end of a heading.
_ATTRIBUTES = re.compile(r"(\s*)\{:([^{}]*)\}\s*")
_ID = re.compile(r"(?:^|\s)#([A-Za-z][\w:.-]*+)")
_EXPLICIT_ID = re.compile(r"\{:?\s*+(#[A-Za-z][\w-]*+)[^{}]*+\}\s*")
# AsciiDoc: [[id]] above a block, or before the text of a heading.
_BLOCK_ANCHOR = re.compile(r"(\s*)\[\[([A-Za-z_][\w:.-]*+)(?:,[^\[\]]*+)?\]\]\s*")
_HEADING_ANCHOR = re.compile(r"(#{1,6}\s+)\[\[([A-Za-z_][\w:.-]*+)\]\]\s*(\S.*)")


def convert_anchors(before: str, line: str, after: str) -> list[str]:
    """Return the lines for a line, which stands between two others."""
    if attributes := _ATTRIBUTES.fullmatch(line):
        return _lines_for_attributes(before, *attributes.groups())
    if line.startswith("#"):
        return [_heading(line, after)]
    if "[[" in line and after.strip() and (anchor := _BLOCK_ANCHOR.fullmatch(line)):
        return [f'{anchor[1]}<a id="{anchor[2]}"></a>']
    return [line]


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
    attributes = _ATTRIBUTES.fullmatch(after)
    id = _ID.search(attributes[2]) if attributes else None
    return f"{line.rstrip()} {{#{id[1]}}}" if id else line
