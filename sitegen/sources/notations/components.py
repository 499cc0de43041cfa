"""Components and shortcodes of other generators that have a counterpart here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import unquote

from sitegen.markdown.code_blocks import CODE_SPAN
from sitegen.markdown.html_tags import ALLOWED
from sitegen.sources.titles import plain_title

# A component or shortcode alone in its line, with its attributes.
_TAG = re.compile(
    r"[ \t]*<(/?)([A-Za-z][\w.]{0,40}+)"
    r"((?:\s(?:\"[^\"]{0,500}+\"|[^<>\"]){0,2000}+)?)>[ \t]*"
)
_SHORTCODE = re.compile(
    r"\{\{[<%] ?+(/?) ?+([\w/-]{1,40}+)([^{}]{0,2000}?)(/?)[%>]\}\}"
)
_SHORTCODE_OR_CODE = re.compile(f"{_SHORTCODE.pattern}|{CODE_SPAN}")
_ATTRIBUTE = re.compile(
    r"([\w-]{1,40}+)[ ]?[=:][ ]?(?:\"([^\"]{0,500}+)\"|'([^']{0,500}+)'"
    r"|\{[\"'`]([^\"'`{}]{0,500}+)[\"'`]\}|([^\s\"'{}<>]{1,300}+))|\"([^\"]{0,500}+)\"|([\w-]++)"
)
_INLINE_TAG = re.compile(
    r"<(Badge|Icon|LinkButton)((?:\s[^<>]{0,500}+)?)>(?:([^<>]{0,300}+)</\1>)?"
)
_ICON = re.compile(
    r":(?:material|octicons|fontawesome|simple|lucide)-[a-z0-9-]{1,80}+:(?:\{[^{}]{0,80}+\})?"
)
_FIGURE = re.compile(r"\{\{[<%] ?+(?:figure|image|img) ([^{}<>%]{1,1000}+)[%>]\}\}")
_IMAGE = re.compile(r":::image ([^\n]{1,1000}?):::")
_FRAME = re.compile(r"<iframe(\s[^<>]{0,2000}+)>(?:[^<>]{0,500}+</iframe>)?")

ADMONITION_NAMES = {"aside", "admonition", "callout", "alert", "hint", "notice"}
# Elements that are notes if they have the class of one.
HTML_NOTES = {"<section>", "<div>", "<aside>"}
# Elements with this attribute have Markdown in them.
_MARKDOWN = re.compile(r"\smarkdown(?:[\s=]|$)")
MARKDOWN_ELEMENTS = {
    *("<article>", "<blockquote>", "<center>", "<details>", "<figcaption>"),
    *("<figure>", "<header>", "<main>", "<p>", "<section>"),
}
# Of these, only the content matters.
GROUPS = {
    *("tabs", "tabpane", "codetabs", "codegroup", "cardgrid", "cardgroup", "cards"),
    *("steps", "filetree", "linkcards", "accordiongroup", "tabbed", "figure"),
    *("columns", "column", "stepper", "code", "updates", "content-ref"),
}
_TABS = {"tabitem", "tab", "codetab", "tab-content"}
_CARDS = {"card", "listing", "frame", "step", "update", "panel", "prompt", "openapi"}
# Of Mintlify: the name of a parameter is the value of one of these.
_FIELDS = {"paramfield", "responsefield", "property"}
_FIELD_NAMES = ("path", "query", "body", "header", "name")
# Authors name a component of their own for what it is, such as `DetailedExplanation`.
_DETAILS = (
    *("details", "expand", "accordion", "expandable", "collapse", "collapsible"),
    *("toggle", "explanation", "spoiler"),
)
_LINKS = {"linkcard", "link-card", "docscard", "doccard", "button"}
_TITLES = ("title", "label", "header", "name", "summary", "heading", "text", "value")
_ALERT_COLOURS = {"warning": "warning", "danger": "caution", "success": "tip"}


@dataclass(frozen=True)
class Component:
    """A component that begins or ends in a line of its own."""

    name: str
    attributes: Mapping[str, str]
    # Values without a name, which shortcodes have.
    values: tuple[str, ...]
    is_closing: bool
    is_empty: bool
    # As it begins in the text, such as `<Card` or `{{< map`.
    label: str
    is_jsx: bool = False

    @property
    def has_element(self) -> bool:
        """Return whether HTML has an element of this name, which the site shows."""
        return self.name.startswith("<") or (self.is_jsx and self.name in ALLOWED)

    def first(self, *names: str) -> str:
        return next(
            (self.attributes[name] for name in names if self.attributes.get(name)), ""
        )

    @property
    def flags(self) -> set[str]:
        """Return the names of attributes and values, which need not have a value."""
        return {*self.attributes, *self.values}

    @property
    def title(self) -> str:
        """Return the title, in the words of any generator."""
        return self.first(*_TITLES) or (self.values[0] if self.values else "")


def parse_component(line: str) -> Component | None:
    """Return the component or shortcode that is the whole line, None if it is none."""
    is_shortcode = "{{" in line
    match = (
        _SHORTCODE.fullmatch(line.strip(" \t"))
        if is_shortcode
        else _TAG.fullmatch(line)
    )
    if match is None or not (is_shortcode or _is_component(match[2], match[3])):
        return None
    attributes, values = _attributes(match[3])
    is_empty = bool(match[4]) if is_shortcode else match[3].rstrip().endswith("/")
    # An element of HTML is distinguished from a component of the same name.
    is_html = not is_shortcode and match[2].islower()
    name = f"<{match[2]}>" if is_html else match[2].lower()
    is_closing = bool(match[1])
    label = match[0][: match.end(2) - match.start()].strip()
    return Component(
        *(name, attributes, values, is_closing, is_empty, label),
        is_jsx=not is_shortcode,
    )


def _is_component(name: str, attributes: str) -> bool:
    """
    Tell components from elements of HTML.

    Some of these are notes by their class, and others have Markdown in them.
    """
    element = f"<{name}>"
    is_note = element in HTML_NOTES and (not attributes or "class=" in attributes)
    has_markdown = not attributes or _MARKDOWN.search(attributes)
    is_element = element in MARKDOWN_ELEMENTS and has_markdown
    return name[0].isupper() or is_note or bool(is_element)


@dataclass(frozen=True)
class Block:
    """What a component becomes: lines before and after its content, and a prefix."""

    prefix: str = ""
    # Outside of the prefix.
    header: tuple[str, ...] = ()
    # Within the prefix.
    title: tuple[str, ...] = ()
    footer: tuple[str, ...] = ()


def to_block(component: Component, kinds: Mapping[str, str]) -> Block | None:
    """Return what a component becomes, None if it has no counterpart."""
    name = component.name
    if name in GROUPS:
        return Block()
    if name in _TABS:
        title = component.title.replace('"', "'") or "Tab"
        return Block("    ", (f'=== "{title}"', ""))
    if name in _CARDS:
        return _card(component)
    if name in _FIELDS:
        return _field(component)
    if name.endswith(_DETAILS):
        return Block("", details_header(component.title), footer=("", "</details>"))
    kind = _admonition_kind(component, kinds)
    if kind is None and name in MARKDOWN_ELEMENTS and "markdown" in component.flags:
        return Block("", (name, ""), footer=("", f"</{name[1:]}"))
    if kind is None:
        return None
    title = component.first("title", "heading") or _title_value(component, kinds)
    return Block("> ", title=(f"[!{kind}]", *((f"**{title}**", "") if title else ())))


def _field(component: Component) -> Block:
    words = [f"**`{component.first(*_FIELD_NAMES)}`**", component.first("type")]
    words += [flag for flag in ("required", "deprecated") if flag in component.flags]
    return Block("", (" · ".join(filter(None, words)), ""), footer=("",))


def details_header(title: str) -> tuple[str, ...]:
    summary = escape(plain_title(title), quote=False) or "Details"
    return "<details>", f"<summary>{summary}</summary>", ""


def _card(component: Component) -> Block:
    number, caption = component.first("number"), component.first("caption")
    title = component.first("title", "label", "file-name", "date")
    if component.name == "prompt":
        title = component.first("description")
    if component.name == "openapi" and (path := component.first("path")):
        title = f"`{component.first('method').upper()} {path}`"
    header = (f"**{title}**", "") if title else ()
    if component.name in ("listing", "frame") and (number or caption):
        label = f"Listing {number}: {caption}" if number else caption
        return Block("", header, footer=("", f"*{label.rstrip(': ')}*"))
    link = component.first("href", "link")
    picture = component.first("img")
    if title and link:
        header = (f"**[{title}]({link})**", "")
    return Block("", (f"![]({picture})", "", *header) if picture else header)


def _admonition_kind(component: Component, kinds: Mapping[str, str]) -> str | None:
    if component.name in HTML_NOTES:
        classes = component.first("class", "className").split()
        return next((kinds[name] for name in classes if name in kinds), None)
    if component.name not in ADMONITION_NAMES:
        return kinds.get(component.name)
    named = component.first(
        *("type", "kind", "style", "variant", "level", "color", "intent")
    )
    for name in (named, *component.values):
        name = _ALERT_COLOURS.get(name.lower(), name.lower())
        if name in kinds:
            return kinds[name]
    return kinds.get(component.name, "NOTE")


def _title_value(component: Component, kinds: Mapping[str, str]) -> str:
    """Return the value without a name that is the title of a notice, or ""."""
    no_titles = kinds.keys() | _ALERT_COLOURS.keys() | {"true", "false", "open"}
    if component.name in HTML_NOTES or component.is_jsx:
        return ""
    titles = (value for value in component.values if value.lower() not in no_titles)
    return next(titles, "")


def to_line(component: Component) -> str | None:
    """Return the line that an empty component becomes, None if it is no such one."""
    title, link = component.title, component.first("href", "link", "relref", "to")
    if component.name in _LINKS | {"card"} and link:
        text = component.first("description", "subtitle")
        return f"- [{title or link}]({link})" + (f": {text}" if text else "")
    if component.name == "card" and title:
        return f"**{title}**"
    if "youtube" in component.name and (video := component.first("id", "videoId")):
        return f"[{title or 'Video'}](https://www.youtube.com/watch?v={video})"
    if component.name == "embed" and (url := component.first("url")):
        return f"[{title or url}](<{url}>)"
    if component.name == "file" and (source := component.first("src")):
        return f"[{title or unquote(source.rpartition('/')[2])}](<{source}>)"
    if component.name == "image" and (source := component.first("src")):
        return f"![{component.first('alt')}]({source})"
    return None


def convert_inline(line: str) -> str:
    """Convert components within a line, and values that only JavaScript has."""
    if "<" in line:
        line = _INLINE_TAG.sub(_inline, line)
        line = _FRAME.sub(_frame, line) if "<iframe" in line else line
    if "{" in line:
        line = _FIGURE.sub(_image, line)
    if ":" in line:
        line = _IMAGE.sub(_image, _ICON.sub("", line))
    return line


def _attributes(text: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the attributes, the first of each name, and the values without a name."""
    attributes: dict[str, str] = {}
    values = []
    for name, *texts, value, word in _ATTRIBUTE.findall(text):
        if name:
            attributes.setdefault(name, next(filter(None, texts), ""))
        else:
            values.append(value or word)
    return attributes, tuple(filter(None, values))


def _inline(match: re.Match[str]) -> str:
    attributes, _ = _attributes(match[2])
    text = match[3] or attributes.get("text", "")
    link = attributes.get("href")
    if link:
        return f"[{text}]({link})"
    # Small print is no part of a heading's anchor.
    return f"<small>{text}</small>" if match[1] == "Badge" and text else text


def _frame(match: re.Match[str]) -> str:
    """Return a link to a page of another site that would be embedded."""
    attributes, _ = _attributes(match[1])
    source = attributes.get("src", "")
    source = f"https:{source}" if source.startswith("//") else source
    if not source.startswith("https://"):
        return match[0]
    # What follows the path is for the frame, and seldom for readers.
    title = attributes.get("title") or source.partition("?")[0]
    return f"[{title}]({source})"


def _image(match: re.Match[str]) -> str:
    attributes, _ = _attributes(match[1])
    source = attributes.get("src") or attributes.get("source")
    if not source:
        return match[0]
    alt = attributes.get("alt") or attributes.get("alt-text") or ""
    title = attributes.get("caption") or attributes.get("title")
    return f"![{alt}]({source}" + (f' "{title}")' if title else ")")


# A component that begins and ends in one line.
_ONE_LINE = re.compile(
    r"((?:(?<! ) ++)?)(<([A-Z]\w{0,40}+)(?:\s[^<>]{0,2000}+)?>)"
    r"([^<>\n]{1,2000}+)(</\3>)[ \t]*"
)


def split_line(line: str, kinds: Mapping[str, str]) -> list[str]:
    """Return the line, with the components that begin and end in it on lines of own."""
    if "{{" in line:
        return _split_shortcodes(line, kinds)
    matches = list(_ONE_LINE.finditer(line)) if "</" in line else []
    is_whole = "".join(match[0] for match in matches) == line
    if not is_whole or any(not parse_component(match[2]) for match in matches):
        return [line]
    indent = matches[0][1] if matches else ""
    return [
        indent + part
        for match in matches
        for part in (match[2], match[4].strip(), match[5])
    ] or [line]


def _split_shortcodes(line: str, kinds: Mapping[str, str]) -> list[str]:
    parts, end = [], 0
    indent = line[: len(line) - len(line.lstrip(" "))]
    for shortcode in _SHORTCODE_OR_CODE.finditer(line):
        component = parse_component(shortcode[0])
        if component and not component.is_empty and to_block(component, kinds):
            parts += [line[end : shortcode.start()], shortcode[0]]
            end = shortcode.end()
    if not parts:
        return [line]
    return [indent + part.strip() for part in (*parts, line[end:]) if part.strip()]
