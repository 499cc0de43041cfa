"""Make tabs of the blocks of code in a group, as VitePress and Mintlify have them."""

import re
from collections.abc import Iterable, Iterator

from sitegen.markdown.code_blocks import parse_info
from sitegen.sources.fences import FENCE, FenceTracker

_START = re.compile(r"([ \t]*)(?::{3,} *code-group\b.*|<CodeGroup(?:\s[^<>]*)?>) *")
_END = re.compile(r"[ \t]*(?::{3,}|</CodeGroup>) *")
_LABEL = re.compile(r"\[([^\[\]]{1,100})\]")


def with_code_groups(lines: Iterable[str]) -> Iterator[str]:
    fences = FenceTracker()
    # The indentation of the group, None outside of one, and whether it has a tab.
    indent: str | None = None
    is_first = True
    for line in lines:
        was_open = fences.is_open
        is_code = fences.is_code(line)
        if not is_code and (start := _START.fullmatch(line)):
            indent, is_first = start[1], True
            yield ""
        elif indent is not None and not is_code and _END.fullmatch(line):
            indent = None
            yield ""
        elif indent is not None and is_code:
            if not was_open:
                mark = "===!" if is_first else "==="
                yield from ("", f'{indent}{mark} "{_label(line)}"', "")
                is_first = False
            yield f"{indent}    {line.removeprefix(indent)}".rstrip()
        else:
            yield line


def _label(line: str) -> str:
    """Return the label of a block of code: in brackets, its title, or its language."""
    fence = FENCE.fullmatch(line)
    info = fence[2].strip() if fence else ""
    if label := _LABEL.search(info):
        return label[1].replace('"', "'")
    options = parse_info(info)
    words = info.removeprefix(options.language).strip()
    is_title = bool(words) and not set("={}") & set(words)
    return options.title or (words if is_title else options.language) or "Code"
