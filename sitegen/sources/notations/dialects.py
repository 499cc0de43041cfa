"""Convert the Markdown dialects of other generators to the Markdown of this site."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from sitegen.sources.fences import FENCE, FenceTracker, outside_spans
from sitegen.sources.notations.code_groups import with_code_groups
from sitegen.sources.notations.code_marks import MARK_SIGNS, with_marked_lines
from sitegen.sources.notations.comments import SEPARATOR, without_comments
from sitegen.sources.notations.components import (
    convert_inline,
    details_header,
    split_line,
)
from sitegen.sources.notations.containers import (
    KIND_BY_NAME,
    ContainerConverter,
    convert_in_quotes,
)
from sitegen.sources.notations.directives import convert_directives
from sitegen.sources.notations.emoji_names import EMOJI_NAME, with_emoji
from sitegen.sources.notations.inline_notations import (
    convert_attributes,
    convert_notations,
    is_attribute_list,
)
from sitegen.sources.notations.jsx import imported_pictures, with_plain_tags
from sitegen.sources.notations.link_notations import (
    convert_anchors,
    convert_link_shortcodes,
)
from sitegen.sources.notations.own_components import PageComponents
from sitegen.sources.notations.tags import without_tags

_IMPORT = re.compile(r"import\s.*['\"][^'\"]+['\"];?\s*")
MAX_MODULE_LINES = 500
_MODULE = re.compile(r"(?:import|export)\s")
_CODE_START = re.compile(
    r"\{%-? ?highlight ++([\w+#-]{1,30}+)[^{}]{0,200}%\}\s*"
    r"|\{\{[<%] ?highlight ++\"?([\w+#-]{1,30}+)[^{}]{0,200}[%>]\}\}\s*"
)
_CODE_END = re.compile(
    r"\{%-? ?endhighlight ?-?%\}\s*|\{\{[<%] ?/ ?highlight ?[%>]\}\}\s*"
)
_DIRECTIVE = re.compile(
    r"^ *(?:`{3}|~{3}|:{3})[`~:]*\{[A-Za-z]|^ {0,3}\([\w./:-]+\)=", re.M
)
# GitBook.
_BLOCK_TAG = re.compile(
    r"(?<!\{)\{% *(end)?(hint|tabs|tab|stepper|step|columns|column|code|updates|update"
    r"|prompt|embed|file|content-ref|openapi)(?![\w-])"
    r" *+((?:[^{}%]|%(?!\})){0,500}+)%\}(?!\})"
)
# What is between such a tag and its end is a caption below it.
_WITH_CAPTION = ("embed", "file")
_RAW = re.compile(r"\{%-? ?(end)?raw ?-?%\}")
# What a brace is until all else was converted.
_RAW_BRACE = "{\ue000"
_NOTE_CLASS = re.compile(r"\{: *\.([a-z]{1,20}+)(?:-title)?[^{}]{0,100}\}\s*")
# The mark of a quote that begins with its title.
_TITLE_CLASS = re.compile(r"\{: *\.[a-z-]{1,40}-title(?![\w-])[^{}]{0,100}\}\s*")
# A line with nothing but such a tag. The site shows its content alone.
_BOX = re.compile(r" {0,3}<(/?)(div|span)((?:\s[^<>]{0,500}+)?)>\s*")
_END_TAG = re.compile(r" {0,3}</[a-z][a-z0-9]{0,20}>\s*")
# Kramdown, MkDocs, VitePress, GitLab and Hugo.
_CONTENTS = re.compile(
    r"^[ \t]*(?:\{: ?toc ?\}|\[TOC\]|\[\[_?toc_?\]\]|\{\{[<%] ?toc ?[%>]\}\})[ \t]*$",
    re.I | re.M,
)
_MARK = re.compile(r"\{:[^{}]*\}\s*")
_CONTENTS_HEADING = re.compile(
    r"#{1,6} +(?:table of contents|contents|on this page|toc)[ #:]*", re.I
)
_AFTER_TABLE = re.compile(r"[ \t]*(?:\{[{%]|</?[A-Za-z]|:::|///)(?!.*\|)")
# Hugo: a shortcode that is shown as it is.
_ESCAPED_SHORTCODE = re.compile(
    r"\{\{([<%])/\*((?:[^{*\n]++|\*(?!/)|\{(?!\{))*+)\*/([%>])\}\}"
)
# Obsidian.
_CALLOUT = re.compile(
    r"((?:[ ]{0,3}> ?){1,10})\[!([A-Za-z-]{1,40})(?:\|[^\]]{0,100})?\]([+-]?)"
    r"[ \t]*+(.*)"
)
# Python-Markdown: the language of code, in its first line or before its text.
_LANGUAGE = re.compile(r"( *)#!([a-z][\w+-]{0,30})\s*")
_LANGUAGE_OF_SPAN = re.compile(r"((?<!`)`{1,9})#![a-z][\w+-]{0,30} +(?=[^\s`])")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-+)[ \t]*")
_HIDDEN = re.compile(r"\s*#(?: .*)?")
# Each conversion changes only text that has one of these.
_SIGNS = (
    *("{", "<", "%%", "[!", "[[", "[TOC]", ":::", "!!!", "???", "///", "===", "#tab"),
    *("highlight-", "#!", "\nimport", "\nexport", ")="),
)
# Names of icons, and lines of spaces, which become empty.
_OTHER_SIGNS = re.compile(
    r":[a-z]+-|\n[^\S\n]+(?:\n|\Z)|==\S|\^\^\S|\+\+[\w\"]|#(?:only|gh)-"
)
# Only lines with one of these are changed by themselves.
_LINE_SIGNS = re.compile(r"[{<]|\[\[|==|\^\^|\+\+|:::|///|:[a-z]+-|#(?:only|gh)-")


def to_markdown(
    text: str,
    *,
    is_mdx: bool,
    removed: Counter[str] | None = None,
    own: PageComponents | None = None,
) -> str:
    """
    Return the text in the Markdown of this site.

    Admonitions become quotes with a kind, links by shortcode become paths, and imports,
    exports and comments are removed. Of code, only comments that mark lines are
    changed. The tags of components without a counterpart are removed and counted in
    `removed`; without it, they stay. `own` components come first.
    """
    # Line by line, a page takes twenty times as long.
    from_start = f"\n{text}"
    has_sign = any(sign in from_start for sign in _SIGNS)
    if has_sign or _OTHER_SIGNS.search(from_start) or EMOJI_NAME.search(text):
        return convert_lines(text, is_mdx=is_mdx, removed=removed, own=own)
    return text


def convert_lines(
    text: str,
    *,
    is_mdx: bool,
    removed: Counter[str] | None = None,
    own: PageComponents | None = None,
) -> str:
    """Return what `to_markdown` does, also for text without a sign of a dialect."""
    text = without_comments(text, is_mdx=is_mdx)
    if "{%" in text:
        text = _with_raw_text(text)
    pictures = imported_pictures(text)
    text = with_plain_tags(text, is_mdx=is_mdx, besides=own.names if own else ())
    text = without_modules(text, is_mdx=is_mdx)
    if own:
        text = own.replace(text, pictures)
    lines = text.split("\n")
    if _DIRECTIVE.search(text) or (own and ":::" in text):
        lines = convert_directives(lines, KIND_BY_NAME.keys(), own)
    if EMOJI_NAME.search(text):
        lines = list(with_emoji(lines, text))
    if "code-group" in text or "<CodeGroup" in text:
        lines = list(with_code_groups(lines))
    if "{%" in text or "{{" in text:
        lines = list(_with_fences(lines))
    if "#!" in text:
        lines = list(_with_languages(lines))
    if any(sign in text for sign in MARK_SIGNS):
        lines = with_marked_lines(lines)
    if "<" in text:
        lines = list(_without_boxes(lines))
    if _CONTENTS.search(text):
        lines = _without_contents(lines)
    if "[!" in text:
        lines = list(_with_callouts(lines))
    if "{:" in text:
        lines = _with_notes(_with_note_titles(lines))
    converted = convert_in_quotes(list(_lines(lines)), removed)
    text = ContainerConverter(converted, removed).text()
    if removed is not None and ("<" in text or "{" in text):
        text = without_tags(text, removed)
    return _ESCAPED_SHORTCODE.sub(r"{{\1\2\3}}", text.replace(_RAW_BRACE, "{"))


def _with_raw_text(text: str) -> str:
    """Keep what is between {% raw %} and {% endraw %} from being converted."""
    parts, end, is_raw = list[str](), 0, False
    for tag in _RAW.finditer(text):
        part = text[end : tag.start()]
        if is_raw:
            part = part.replace("{%", f"{_RAW_BRACE}%").replace("{{", f"{_RAW_BRACE}{{")
        parts += [part, tag[0]]
        end, is_raw = tag.end(), not tag[1]
    return "".join([*parts, text[end:]])


def _with_shortcodes(text: str) -> str:
    return _BLOCK_TAG.sub(_as_shortcode, text)


def _as_shortcode(tag: re.Match[str]) -> str:
    end, name, attributes = tag.groups()
    if name in _WITH_CAPTION:
        return "" if end else f"{{{{< {name} {attributes}/>}}}}"
    return f"{{{{< /{name} >}}}}" if end else f"{{{{< {name} {attributes}>}}}}"


def _with_languages(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, with the languages of code that begins with #! as Markdown."""
    fences, fence = FenceTracker(), ""
    # How far the code is indented that is being fenced, and blank lines in it.
    indent, blanks, before = "", 0, ""
    for line in lines:
        if indent and not line.strip():
            blanks += 1
            continue
        if indent and not line.startswith(indent):
            yield f"{indent[4:]}```"
            indent = ""
        yield from [""] * blanks
        blanks = 0
        language = _LANGUAGE.fullmatch(line)
        if indent:
            yield line[4:]
        elif fence:
            # The first line of code without a language in its fence.
            yield f"{fence}{language[2]}" if language else fence
            if not language:
                fences.is_code(line)
                yield line
            fence = ""
        elif fences.is_code(line):
            is_bare = not line.strip(" \t>`~") and fences.is_open
            fence = line.rstrip() if is_bare and fences.is_open else ""
            if not fence:
                yield line
        elif language and len(language[1]) >= 4 and not before.strip():
            indent = language[1]
            yield f"{indent[4:]}```{language[2]}"
        else:
            yield _LANGUAGE_OF_SPAN.sub(r"\1", line)
        before = line
    if indent:
        yield f"{indent[4:]}```"
    yield from [""] * blanks
    if fence:
        yield fence


def _with_fences(lines: list[str]) -> Iterator[str]:
    """Yield the lines, with fences instead of tags around code."""
    fences, fence = FenceTracker(), ""
    for index, line in enumerate(lines):
        if fence and _CODE_END.fullmatch(line):
            line, fence = fence, ""
        elif not fences.is_open and (start := _CODE_START.fullmatch(line)):
            fence = _fence_around(lines, index)
            line = f"{fence}{start[1] or start[2]}"
        elif not fences.is_open:
            line = _RAW.sub("", line)
        fences.is_code(line)
        yield line


def _fence_around(lines: list[str], start: int) -> str:
    """Return a fence that is longer than those in the code that starts here."""
    length = 2
    for line in islice(lines, start + 1, None):
        if _CODE_END.fullmatch(line):
            break
        if inner := FENCE.match(line):
            length = max(length, len(inner[1]))
    return "`" * (length + 1)


def _without_boxes(lines: Iterable[str]) -> Iterator[str]:
    """
    Yield the lines without those that only begin or end a box or a span.

    They would keep the text inside from being read as Markdown, which Jekyll reads.
    """
    fences, depth, was_end = FenceTracker(), 0, False
    for line in lines:
        tag = None if fences.is_code(line) else _BOX.fullmatch(line)
        is_dropped = tag is not None
        if tag and tag[2] == "div":
            # Of boxes, only those are dropped whose text is Markdown.
            is_dropped = depth > 0 or "markdown" in tag[3]
            depth += is_dropped if not tag[1] else -is_dropped
        if was_end and FENCE.match(line):
            # Elsewhere than in CommonMark, no blank line is needed here.
            yield ""
        was_end = not is_dropped and bool(_END_TAG.fullmatch(line))
        yield "" if is_dropped else line


def _without_contents(lines: Iterable[str]) -> list[str]:
    """Remove marks of a table of contents, which every page has, and their heading."""
    fences, output = FenceTracker(), list[str]()
    for line in lines:
        if fences.is_code(line) or not _CONTENTS.fullmatch(line):
            output.append(line)
            continue
        if "{:" in line and output:
            # The item of a list that the table replaces.
            output.pop()
        while output and not output[-1].strip():
            output.pop()
        is_marked = len(output) > 1 and _MARK.fullmatch(output[-1])
        heading = output[-2 if is_marked else -1] if output else ""
        if _CONTENTS_HEADING.fullmatch(heading):
            del output[-2 if is_marked else -1 :]
    return output


def _with_note_titles(lines: Iterable[str]) -> list[str]:
    """
    Emphasise the first line of each quote that `{: .note-title }` marks.

    The site of an author may have notes of any name, so any name has a title.
    """
    fences, output = FenceTracker(), list[str]()
    # Where the current quote starts, and whether a mark is above it.
    start, is_marked = 0, False
    for line in lines:
        is_code = fences.is_code(line)
        if not is_code and _TITLE_CLASS.fullmatch(line):
            if start < len(output):
                output[start : start + 1] = _as_title(output[start])
            is_marked = start == len(output)
            output.append(line)
            start = len(output)
        elif line.startswith(">"):
            output += _as_title(line) if is_marked and not is_code else [line]
            is_marked = False
        else:
            output.append(line)
            start, is_marked = len(output), False
    return output


def _as_title(line: str) -> list[str]:
    """Return the line of a quote in bold, as a paragraph of its own."""
    title = line.strip("> \t")
    has_own_look = not title or title[0] in "#*_`|-+" or "**" in title
    return [line] if has_own_look else [f"> **{title}**", ">"]


def _with_callouts(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines, with the titles and folds of Obsidian's callouts as Markdown."""
    fences, end, ending = FenceTracker(), 0, ""
    for index, line in enumerate(lines):
        if ending and index == end:
            yield from (ending.rstrip(), f"{ending}</details>")
            ending = ""
        callout = None if fences.is_code(line) else _CALLOUT.fullmatch(line)
        if not callout or not (callout[3] or callout[4] or callout[2].islower()):
            yield line
            continue
        quote, title = callout[1], callout[4] or callout[2].title()
        yield f"{quote}[!{KIND_BY_NAME.get(callout[2].lower(), 'NOTE')}]"
        if callout[3] == "-" and not ending:
            yield from ((quote + each).rstrip() for each in details_header(title))
            ending = quote
            rest = range(index + 1, len(lines))
            inside = quote.rstrip()
            end = next((i for i in rest if not lines[i].startswith(inside)), len(lines))
        elif callout[4]:
            yield from (f"{quote}**{title}**", quote.rstrip())
    if ending:
        yield from (ending.rstrip(), f"{ending}</details>")


def _with_notes(lines: Iterable[str]) -> list[str]:
    """Make quotes of the blocks that `{: .note }` above or below marks."""
    fences = FenceTracker()
    output: list[str] = []
    # The first line of the current block, and whether it is a note, by a mark above it.
    start, is_note, is_open = 0, False, False
    for line in lines:
        is_code = fences.is_code(line)
        mark = None if is_code else _NOTE_CLASS.fullmatch(line)
        kind = KIND_BY_NAME.get(mark[1]) if mark else None
        if kind is None:
            output.append(_quoted(line) if is_open and line.strip() else line)
            if not line.strip():
                start, is_note, is_open = len(output), False, False
        elif not is_note:
            is_note, is_open = True, start == len(output)
            output[start:] = [f"> [!{kind}]", *map(_quoted, output[start:])]
    return output


def _quoted(line: str) -> str:
    return line if line.startswith(">") else f"> {line}"


def without_hidden_lines(text: str) -> str:
    """Remove the lines of Rust code that mdBook hides: those that begin with `# `."""
    fences, is_rust, output = FenceTracker(), False, []
    for line in text.split("\n"):
        was_open = fences.is_open
        is_code = fences.is_code(line)
        if is_code and not was_open:
            is_rust = line.strip(" `~>").startswith("rust")
        elif is_code and is_rust and _HIDDEN.fullmatch(line):
            continue
        elif is_code and is_rust:
            shown = line.lstrip()
            if shown.startswith("##"):
                line = line[: -len(shown)] + shown[1:]
        output.append(line)
    return "\n".join(output)


def without_modules(text: str, *, is_mdx: bool) -> str:
    """Return the text without imports and, of MDX, exports."""
    if "import" not in text and "export" not in text:
        return text
    fences, output, previous = FenceTracker(), list[str](), ""
    # How many brackets of an export are open, and how many lines it has.
    depth = length = 0
    for line in text.split("\n"):
        is_start = previous.strip() in ("", SEPARATOR) and not length
        if not length and fences.is_code(line):
            previous = line
            output.append(line)
            continue
        if is_start and (_MODULE if is_mdx else _IMPORT).match(line):
            length = 1
        elif length and not is_mdx:
            length = int(bool(_IMPORT.match(line)))
        elif length and (line.strip() or (depth > 0 and length < MAX_MODULE_LINES)):
            length += 1
        else:
            length = depth = 0
        if length:
            depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
        else:
            previous = line
            output.append(line)
    return "\n".join(output)


def _lines(lines: list[str]) -> Iterator[tuple[str, bool]]:
    """Yield the converted lines, each with whether it is code."""
    fences, before = FenceTracker(), ""
    for line, after in zip(lines, [*lines[1:], ""], strict=True):
        if fences.is_code(line):
            yield line, True
            continue
        if _LINE_SIGNS.search(line) or "{" in after:
            for part in _convert_line(before, line, after):
                yield part, False
        else:
            yield line, False
        before = line


def _convert_line(before: str, line: str, after: str) -> Iterator[str]:
    if not is_attribute_list(line):
        line = outside_spans(line, convert_notations)
        line = outside_spans(line, _with_shortcodes) if "{%" in line else line
        # The renderer reads those of headings.
        if not line.startswith("#") and not _UNDERLINE.fullmatch(after):
            line = outside_spans(line, convert_attributes)
        line = convert_link_shortcodes(outside_spans(line, convert_inline))
    if before.lstrip().startswith("|") and _AFTER_TABLE.match(line):
        # It would be a row of the table.
        yield ""
    for part in convert_anchors(before, line, after):
        yield from split_line(part, KIND_BY_NAME)
