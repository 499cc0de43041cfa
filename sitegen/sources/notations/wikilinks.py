"""Convert links and embeds by the names of files, as Obsidian writes them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from posixpath import basename, dirname, join, relpath, splitext

from models.normalization import normalize
from models.projects.files.file_types import BY_SUFFIX, suffix_of
from sitegen.markdown.code_blocks import CODE_SPAN
from sitegen.markdown.headings import slug
from sitegen.sources.fences import FenceTracker
from sitegen.sources.includes import MAX_INCLUDES
from sitegen.sources.source_file import MAX_CHARACTERS, SourceFile, walk

# [[Page#Heading|Words]], of which an embed has a "!" in front.
_LINK = re.compile(
    r"(!?)\[\[([^\[\]|#\n]{0,300})(?:#([^\[\]|\n]{0,300}))?"
    r"(?:\|([^\[\]\n]{0,300}))?\]\]"
)
# Words of a link may be code, but a link in code is none.
_LINK_OR_CODE = re.compile(f"{_LINK.pattern}|{CODE_SPAN}")
_EMBED = re.compile(rf"([ \t>]*+){_LINK.pattern}[ \t]*")
_SIZE = re.compile(r"([0-9]{1,4})(?:x([0-9]{1,4}))?")
# The id of a block, to which links of an editor lead.
_BLOCK_ID = re.compile(
    r"(?:^|(?<=\]\])|[ \t])\^((?=[a-z0-9-]*[a-z])[a-z0-9-]{3,60})[ \t]*$", re.I
)
_LIST_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
# Pages that embed pages that embed pages.
MAX_EMBEDS = 3
# A page, and what of it is embedded: the key of a heading or a block, or "".
_Embedded = tuple[str, str]


@dataclass
class Wikilinks:
    """The pages and files of a tree by their names, in any case."""

    folder: Path
    files: Sequence[SourceFile]
    # Names that no file has, by the path of the page that links to them.
    missing: dict[str, list[str]] = field(default_factory=dict)
    # Names of pages that could not be embedded, in the same way.
    not_embedded: dict[str, list[str]] = field(default_factory=dict)
    # What was embedded in one page.
    _count: int = field(default=0, init=False)
    _length: int = field(default=0, init=False)

    @cached_property
    def _has_links(self) -> bool:
        return any("[[" in file.body and _LINK.search(file.body) for file in self.files)

    @cached_property
    def _pages(self) -> dict[str, SourceFile]:
        """Return the pages by the ends of their paths, the shortest path first."""
        pages: dict[str, SourceFile] = {}
        for file in sorted(self.files, key=lambda file: file.name.count("/")):
            aliases = file.front_matter.get("aliases")
            names = [*_ends(splitext(file.name)[0]), *_texts(aliases)]
            for name in names:
                pages.setdefault(_key(name), file)
        return pages

    @cached_property
    def _files_by_name(self) -> dict[str, str]:
        paths = [
            join(parent, name)
            for parent, _, names in walk(self.folder, lambda _, name: name != ".git")
            for name in names
            if suffix_of(name) in BY_SUFFIX
        ]
        ends = ((end, path) for path in paths for end in _ends(path))
        return {_key(end): path for end, path in reversed(list(ends))}

    def convert(self, file: SourceFile, body: str) -> str:
        """Return the text of a page with links and pictures as Markdown has them."""
        if not self._has_links:
            return body
        self._count = self._length = 0
        return "\n".join(self._lines(file.name, body.split("\n"), [(file.name, "")]))

    def _lines(
        self, path: str, lines: Sequence[str], chain: list[_Embedded]
    ) -> Iterator[str]:
        """Yield the lines of a page, of which each of the chain embeds the next one."""
        fences = FenceTracker()
        for line in lines:
            if fences.is_code(line):
                yield line
                continue
            embed = _EMBED.fullmatch(line) if "![[" in line else None
            section = self._embedded(embed, chain) if embed and embed[2] else None
            if embed and section:
                part = section[0], _key(embed[4] or "")
                for inner in self._lines(*section, [*chain, part]):
                    self._length += len(inner)
                    yield f"{embed[1]}{inner}".rstrip() if embed[1] else inner
            else:
                yield _LINK_OR_CODE.sub(
                    lambda link: link[0] if link["ticks"] else self._link(path, link),
                    _BLOCK_ID.sub("", line),
                )

    def _embedded(
        self, embed: re.Match[str], chain: list[_Embedded]
    ) -> tuple[str, list[str]] | None:
        """Return what a line embeds, None if it is to be a link instead."""
        self._count += 1
        section = None
        is_full = self._count > MAX_INCLUDES or self._length > MAX_CHARACTERS
        if not is_full and len(chain) <= MAX_EMBEDS:
            section = self._section(*embed.group(3, 4))
            if not section or (section[0], _key(embed[4] or "")) not in chain:
                return section
        if _key(embed[3].strip()) in self._pages:
            self.not_embedded.setdefault(chain[0][0], []).append(embed[3].strip())
        return None

    def _link(self, path: str, link: re.Match[str]) -> str:
        is_embed, name, heading, label = link.group(1, 2, 3, 4)
        # In a table, the bar is escaped.
        name, heading = name.strip(" \\"), (heading or "").strip(" \\")
        if is_embed and (file := self._files_by_name.get(_key(name))):
            size = _SIZE.fullmatch(label or "")
            alternative = "" if size else label or ""
            width = f"{{width={size[1]}}}" if size else ""
            return f"![{alternative}]({link_target_of(path, file)}){width}"
        page = self._pages.get(_key(name)) if name else None
        is_block = heading.startswith("^")
        part = "" if is_block else heading.replace("#", " > ")
        words = label or " > ".join(filter(None, (name, part)))
        if name and page is None:
            if file := self._files_by_name.get(_key(name)):
                return f"[{words}]({link_target_of(path, file)})"
            if not label and not heading and " " not in name:
                # It may be the id of a block, in the notation of AsciiDoc.
                return link[0]
            self.missing.setdefault(path, []).append(name)
            return words
        # A link to a block leads to its page.
        fragment = f"#{slug(heading.rpartition('#')[2])}" if part else ""
        if page and page.name != path:
            return f"[{words}]({link_target_of(path, page.name, fragment)})"
        return f"[{words}]({fragment})" if fragment else words

    def _section(self, name: str, heading: str | None) -> tuple[str, list[str]] | None:
        """Return a page's path and its text, or that below a heading, or a block."""
        page = self._pages.get(_key(name.strip())) if name.strip() else None
        if page is None:
            return None
        lines = page.body.split("\n")
        if not heading:
            return page.name, lines
        if heading.startswith("^"):
            block = _block(lines, heading[1:].strip().lower())
            return (page.name, block) if block else None
        wanted, level, section = _key(heading.rpartition("#")[2].strip()), 0, []
        for line in lines:
            own_level, text = heading_of(line)
            if level and 0 < own_level <= level:
                break
            if own_level and not level and _key(text) == wanted:
                level = own_level
            if level:
                section.append(line)
        return (page.name, section) if section else None


def _block(lines: Sequence[str], id: str) -> list[str]:
    """Return the lines that end with the id, or that stand above it, up to a gap."""
    for end, line in enumerate(lines):
        found = _BLOCK_ID.search(line)
        if found is None or found[1].lower() != id:
            continue
        is_below = not line[: found.start()].strip()
        while is_below and end > 0 and not lines[end - 1].strip():
            end -= 1
        start = end
        while start > 0 and lines[start - 1].strip():
            start -= 1
        block = list(lines[start : end if is_below else end + 1])
        return block[-1:] if _LIST_ITEM.match(line) else block
    return []


def heading_of(line: str) -> tuple[int, str]:
    """Return the level and the text of a heading, 0 for any other line."""
    text = line.lstrip("#")
    level = len(line) - len(text)
    return (level if level <= 6 and text[:1] in (" ", "\t") else 0), text.strip(" \t#")


def link_target_of(path: str, file: str, fragment: str = "") -> str:
    """Return a link from one file of the tree to another, or within it."""
    return f"<{relpath(file, dirname(path) or '.') if file else ''}{fragment}>"


def _key(name: str) -> str:
    return normalize("NFC", name.removesuffix(".md")).casefold()


def _ends(path: str) -> Iterator[str]:
    """Yield the name and the longer ends of a path, and the path itself."""
    yield basename(path)
    parts = path.split("/")
    yield from ("/".join(parts[start:]) for start in range(len(parts) - 1))


def _texts(values: object) -> list[str]:
    values = values if isinstance(values, list) else [values]
    return [value for value in values if isinstance(value, str)]
