"""Convert the roles and labels of MyST and Sphinx to links and to other Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from posixpath import dirname

from sitegen.markdown.code_blocks import CODE_SPAN
from sitegen.markdown.headings import slug
from sitegen.sources.navigation.entries import FileIndex
from sitegen.sources.notations.directives import LABEL, id_of_label, text_runs
from sitegen.sources.notations.wikilinks import heading_of, link_target_of
from sitegen.sources.source_file import SourceFile

# {ref}`Words <label>`, a link, or code, in which there is neither.
_REFERENCE = re.compile(
    r"\{(?P<role>[a-z][\w:.+-]{0,60}+)\}(?P<mark>`++)"
    r"(?P<content>(?:[^`\n]|\n(?![ \t]*\n)){1,1000}+)(?P=mark)(?!`)"
    rf"|{CODE_SPAN}"
    r"|(?<![!\\\]])\[(?P<words>[^\[\]]{0,300}+)\]"
    r"\(<?(?P<target>[^()\s<>]{1,300}+)>?\)",
    re.I,
)
_NAME = re.compile(r"[ \t]*:name: *([\w./:-]{1,200}+) *")
_LABELS = re.compile(r"^ {0,3}\([\w./:-]+\)=|^[ \t]*:name:", re.M)
_OPTION = re.compile(r":[\w-]{1,60}+:|---$|$")
_ATTRIBUTES = re.compile(r" \{[^{}]*\}$")
_SPECIAL = re.compile(r"([\\`*_\[\]<>&{}$])")
_DOCUMENTS, _REFERENCES = {"doc", "any"}, {"ref", "numref", "any", "eq"}
# Their text is code. Those of domains, as py:func, have a colon.
_CODE = {
    *("code", "command", "envvar", "file", "literal", "makevar", "mimetype", "option"),
    *("program", "regexp", "samp", "attr", "class", "const", "data", "exc", "func"),
    *("meth", "mod", "obj"),
}
_ELEMENTS = {
    **{"dfn": "dfn", "kbd": "kbd", "sub": "sub", "subscript": "sub", "sup": "sup"},
    **{"superscript": "sup", "strong": "strong", "guilabel": "strong"},
    **{"emphasis": "em", "title": "cite", "title-reference": "cite"},
    **{"newsgroup": "em", "underline": "ins", "del": "del", "mark": "mark"},
}
_ICONS = {"octicon", "fas", "fab", "far", "fa", "iconify"}
_STANDARDS = {
    "rfc": "https://www.rfc-editor.org/rfc/rfc{}",
    "pep": "https://peps.python.org/pep-{:0>4}/",
}


@dataclass(frozen=True)
class _Place:
    path: str
    label: str
    # That of the heading below the label, "" if there is none.
    text: str


@dataclass
class Roles:
    """The pages and labels of a tree, to which roles lead."""

    files: Sequence[SourceFile]
    index: FileIndex
    # Names that nothing has, by the path of the page that refers to them.
    missing: dict[str, list[str]] = field(default_factory=dict)
    _titles: dict[str, str] = field(default_factory=dict)

    @cached_property
    def _places(self) -> dict[str, _Place]:
        places = (place for file in self.files for place in _places_in(file))
        return {place.label.casefold(): place for place in places}

    def convert(self, file: SourceFile, body: str) -> str:
        """Return the text of a page with links and elements instead of roles."""
        has_roles = "}`" in body or "[](" in body
        if not has_roles and not ("](" in body and self._places):
            return body
        headings: set[str] = set()
        if "](#" in body:
            lines = map(heading_of, body.split("\n"))
            headings = {slug(text) for level, text in lines if level}
        return "\n".join(
            "\n".join(run)
            if is_code
            else _REFERENCE.sub(
                lambda found: self._converted(file, found, headings), "\n".join(run)
            )
            for is_code, run in text_runs(body.split("\n"))
        )

    def _converted(
        self, file: SourceFile, found: re.Match[str], headings: set[str]
    ) -> str:
        if found["target"]:
            return self._link(file, found, headings)
        if found["role"]:
            content = " ".join(found["content"].split())
            converted = self._role(file, found["role"].lower(), content)
            return found[0] if converted is None else converted
        return found[0]

    def _link(self, file: SourceFile, found: re.Match[str], headings: set[str]) -> str:
        """Return a link with the title of its page, and one to a label."""
        words, target = found["words"], found["target"]
        path, _, fragment = target.partition("#")
        page = self.index.find(path, dirname(file.name)) if path else None
        place = self._places.get((fragment or path).casefold())
        if place and page in (None, place.path):
            words = words if words.strip() else place.text
        if page and not found["words"].strip():
            return f"[{words or self._title(page)}]({target})"
        if page or place is None or (path and fragment) or fragment in headings:
            return found[0]
        return self._link_to(file, place, words) or found[0]

    def _role(self, file: SourceFile, name: str, content: str) -> str | None:
        """Return what a role becomes, None if it is not known."""
        words, target = _split(content, "<", ">")
        if name in _DOCUMENTS | _REFERENCES:
            return self._reference(file, name, words, target)
        if name == "download":
            return f"[{words or target.rpartition('/')[2]}](<{target}>)"
        if name in _STANDARDS:
            number = target.partition("#")[0]
            text = words or f"{name.upper()} {number}"
            return f"[{_escaped(text)}]({_STANDARDS[name].format(number)})"
        if name == "abbr" and (parts := _split(content, "(", ")"))[0]:
            return f'<abbr title="{escape(parts[1])}">{_escaped(parts[0])}</abbr>'
        if name == "menuselection":
            return _escaped(content.replace("-->", "→"))
        if name == "math":
            return f"$`{content}`$"
        if name in _ICONS or name.startswith("material-"):
            return ""
        if name == "bdg" or name.startswith("bdg-"):
            text = f"<small>{_escaped(words or target)}</small>"
            is_link = name.startswith(("bdg-link", "bdg-ref")) and words
            return f"[{text}](<{target}>)" if is_link else text
        if element := _ELEMENTS.get(name):
            return f"<{element}>{_escaped(content)}</{element}>"
        if name in ("abbr", "index", "term"):
            return _escaped(words or target)
        if name in _CODE or (":" in name and not name.startswith("cite")):
            # A name is shown without its module after a tilde.
            text = words or target.removeprefix("!")
            text = text[1:].rpartition(".")[2] if text.startswith("~") else text
            return f"`{text}`"
        return None

    def _reference(
        self, file: SourceFile, name: str, words: str, target: str
    ) -> str | None:
        words = " ".join(words.replace("%s", "").replace("{number}", "").split())
        if name in _DOCUMENTS:
            page = self.index.find(target, dirname(file.name))
            if page:
                words = words or self._title(page)
                return f"[{words}]({link_target_of(file.name, page)})"
        place = self._places.get(target.casefold())
        if name != "doc" and place and (link := self._link_to(file, place, words)):
            return link
        self.missing.setdefault(file.name, []).append(target)
        return _escaped(words or target)

    def _link_to(self, file: SourceFile, place: _Place, words: str) -> str:
        text = words if words.strip() else place.text or _escaped(place.label)
        path = "" if place.path == file.name else place.path
        fragment = f"#{id_of_label(place.label)}"
        return f"[{text}]({link_target_of(file.name, path, fragment)})"

    def _title(self, path: str) -> str:
        if path not in self._titles:
            self._titles[path] = _escaped(self.index.title_of(path))
        return self._titles[path]


def _split(content: str, opening: str, closing: str) -> tuple[str, str]:
    """Return the words of a role, which may be "", and the brackets at its end."""
    if content.endswith(closing):
        words, bracket, target = content[:-1].rpartition(opening)
        if bracket:
            return words.strip(), target
    return "", content


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _places_in(file: SourceFile) -> Iterator[_Place]:
    """Yield the labels of a page, each with the heading below it."""
    if not _LABELS.search(file.body):
        return
    for is_code, run in text_runs(file.body.split("\n")):
        # The labels for which there was no text yet.
        waiting: list[str] = []
        for line in [] if is_code else run:
            if label := LABEL.fullmatch(line) or _NAME.fullmatch(line):
                waiting.append(label[1])
            elif waiting and not _OPTION.match(line.strip()):
                level, heading = heading_of(line)
                text = _ATTRIBUTES.sub("", heading) if level else ""
                yield from (_Place(file.name, label, text) for label in waiting)
                waiting = []
        yield from (_Place(file.name, label, "") for label in waiting)
