"""Put included files into the text, as mdBook, MkDocs and other generators do."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os.path import relpath
from pathlib import Path

from models.front_matter import (
    YAML_ERRORS,
    UnreadableFile,
    split_front_matter,
)
from sitegen.sources.fences import FenceTracker, fence_around
from sitegen.sources.source_file import (
    MAX_CHARACTERS,
    MKDOCS_FILES,
    SUFFIXES,
    existing_file,
    load_config,
    read_text,
)

# The only folder with a dot that has texts for pages.
GITBOOK_FOLDER = ".gitbook"
MAX_DEPTH, MAX_INCLUDES = 10, 1_000
_PATH = r"[^\s{}\[\]()<>\"'|]{1,300}+"
_NAME = r"\[[^\[\]]{0,200}+\]"
_DIRECTIVES = {
    "mdbook": r"\{\{ ?+#(?:include|rustdoc_include|playground) ++"
    rf"({_PATH})[^{{}}]{{0,99}}\}}\}}",
    "learn": rf"\[!INCLUDE ?+{_NAME}\(({_PATH})\)\]",
    "learn code": rf"\[!code-?([\w+#-]{{0,30}}+) ?+{_NAME}\(({_PATH})\)\]",
    "snippets": rf"-{{1,9}}8<-{{1,9}} ++[\"']({_PATH})[\"']",
    "vitepress": rf"<!-- ?@include: ?+({_PATH}) ?-->",
    "jekyll": rf"\{{%-? ?include_relative ++({_PATH}) ?-?%\}}",
    "gitbook": rf"\{{% ?include \"({_PATH})\" ?%\}}",
    "hugo": r"\{\{[<%] ?+(?:readfile|include) ++(?:file=)?"
    rf"\"({_PATH})\"[^{{}}]{{0,99}}\}}\}}",
}
_INCLUDE = re.compile(r"\\?(?:" + "|".join(_DIRECTIVES.values()) + ")")
_MARKERS = (
    *("[!", "-8<-", "include", "#playground", "#title", "readfile", "import "),
    *("{* ", "<<< "),
)
# A line that stands for the code in a file: of FastAPI's macro, of VitePress, and of
# mdBook; with the lines that are highlighted.
_CODE = re.compile(
    rf"(?P<indent> *)(?:\{{\* ++(?P<macro>{_PATH})(?P<options>[^{{}}*]{{0,200}}+)\*\}}"
    rf"|<<< ++(?P<vitepress>{_PATH})(?:\{{(?P<lines>[^{{}}]{{0,200}}+)\}})?(?:\[.*\])?"
    rf"|\{{\{{ ?+#playground ++(?P<mdbook>{_PATH})[^{{}}]{{0,99}}\}}\}}) *"
)
_HIGHLIGHTED = re.compile(r"hl\[([0-9,: -]{1,200})\]")
# mdBook: the title of the page in the browser.
_TITLE = re.compile(r"\{\{ ?+#title ++[^{}]{0,300}\}\}\n?")
# Snippets: the names of the files stand between two of these.
_SNIPPETS = re.compile(r"( *)-{1,9}8<-{1,9} *")
# Docusaurus imports a partial page, and names it where it is shown.
_IMPORT = re.compile(
    r"import +([A-Z]\w{0,60}+) +from +[\"']([^\"'\n]{1,300}\.mdx?)[\"'];? *"
)
_IMPORTED = re.compile(r" *<([A-Z]\w{0,60}+)((?:\s[^<>]{0,1000})?)(?:/>|></\1>) *")
_VALUE = re.compile(
    r"([\w-]{1,60}+)=(?:\{?[\"'`]([^\"'`{}]{0,500}+)[\"'`]\}?|\{([^{}]*)\})"
)
_PROPERTY = re.compile(r"\{props\.(\w{1,60}+)\}")
_LITERAL = re.compile(r"( *)(`{3,}+|~{3,}+)\{literalinclude\} +(\S{1,300}) *")
_INCLUDE_DIRECTIVE = re.compile(r"( *)(`{3,}+|~{3,}+|:{3,}+)\{include\} +(\S{1,300}) *")
_OPTION = re.compile(r" *:([a-z-]+):[ ]*(.*)")
_ANCHOR = re.compile(
    r"(ANCHOR|ANCHOR_END): *([\w-]+)|--8<-- \[(start|end): *([\w-]+)\]"
    r"|<(/?)(?:snippet_)?([\w-]+)>|#(end)?region ++([\w-]+)"
)
_NUMBER = re.compile(r"[0-9]{0,7}")


class _OutsideFolders(UnreadableFile):
    """The file exists outside of the folders; `folder` is relative to the tree."""

    def __init__(self, folder: str) -> None:
        super().__init__("The file is outside of the folders.")
        self.folder = folder


@dataclass
class Includes:
    """
    Where included files may lie: in the first folder, the tree, or in another.

    `outside` counts the includes from further folders, which are relative to the tree.
    """

    folders: Sequence[Path]
    outside: Counter[str] = field(default_factory=Counter, init=False)
    # What was read for one file, all of its includes taken together.
    _length: int = field(default=0, init=False)
    _count: int = field(default=0, init=False)
    _remarks: list[str] = field(default_factory=list, init=False)

    @property
    def _is_full(self) -> bool:
        return self._length > MAX_CHARACTERS or self._count > MAX_INCLUDES

    @cached_property
    def _bases(self) -> list[Path]:
        """Return the folders to which snippets are relative, by mkdocs.yml."""
        folder = self.folders[0].resolve()
        for root in (folder, folder.parent):
            for name in MKDOCS_FILES:
                if (root / name).is_file():
                    return [root, *(root / base for base in _base_paths(root, name))]
        return []

    @cached_property
    def is_mdbook(self) -> bool:
        """Return whether the tree is the text of a book made by mdBook."""
        folder = self.folders[0].resolve()
        return any((place / "book.toml").is_file() for place in (folder, folder.parent))

    def expand(self, path: Path, text: str) -> tuple[str, list[str]]:
        """Return the text with included files, and remarks on those left out."""
        self._length, self._count, self._remarks = 0, 0, []
        if any(marker in text for marker in _MARKERS):
            file = self.folders[0] / path
            text = self._expand(file, text, (file.resolve(),))
        return text, self._remarks

    def _expand(self, file: Path, text: str, chain: tuple[Path, ...]) -> str:
        lines = _TITLE.sub("", text).split("\n")
        partials = {
            match[1]: match[2] for line in lines if (match := _IMPORT.fullmatch(line))
        }
        output: list[str] = []
        fences = FenceTracker()
        index = 0
        while index < len(lines):
            line, number = lines[index], index + 1
            index += 1
            is_code = fences.is_code(line)
            if literal := _LITERAL.fullmatch(line):
                end = _end_of_literal(lines, index, literal[2])
                output += self._literal(file, literal, lines[index:end], number, chain)
                # The fence that ends it.
                fences = FenceTracker()
                index = end + 1
            elif directive := _INCLUDE_DIRECTIVE.fullmatch(line):
                end = _end_of_literal(lines, index, directive[2])
                text_of_file = self._read(file, directive[3], number, chain)
                if text_of_file is None:
                    output += lines[index - 1 : end + 1]
                else:
                    output += text_of_file.split("\n")
                fences = FenceTracker()
                index = end + 1
            elif snippets := _SNIPPETS.fullmatch(line):
                end = _end_of_literal(lines, index, line.strip())
                for name in filter(None, map(str.strip, lines[index:end])):
                    snippet = f'{snippets[1]}--8<-- "{name}"'
                    output.append(self._expand_line(file, snippet, number, chain))
                index = end + 1
            elif (tag := _IMPORTED.fullmatch(line)) and tag[1] in partials:
                partial = self._read(file, partials[tag[1]], number, chain)
                output.append(line if partial is None else _with_values(partial, tag))
            elif not is_code and (code := _CODE.fullmatch(line)):
                output += self._code(file, code, number, chain)
            else:
                output.append(self._expand_line(file, line, number, chain))
        return "\n".join(output)

    def _code(
        self, file: Path, code: re.Match[str], number: int, chain: tuple[Path, ...]
    ) -> Iterator[str]:
        """Yield the block of code that a line stands for."""
        target = code["macro"] or code["vitepress"] or code["mdbook"]
        text = self._read(file, target, number, chain)
        if text is None:
            yield code[0]
            return
        highlighted = code["lines"] or ""
        if options := _HIGHLIGHTED.search(code["options"] or ""):
            highlighted = options[1].replace(":", "-")
        numbers = (
            f" {{{highlighted}}}" if highlighted.strip(" 0123456789,-") == "" else ""
        )
        language = _split_target(target)[0].rpartition(".")[2]
        fence = fence_around(text)
        yield f"{code['indent']}{fence}{language}{numbers if highlighted else ''}"
        yield from (code["indent"] + line for line in text.split("\n"))
        yield code["indent"] + fence

    def _expand_line(
        self, file: Path, line: str, number: int, chain: tuple[Path, ...]
    ) -> str:
        parts, end = [], 0
        for match in _INCLUDE.finditer(line):
            parts.append(line[end : match.start()])
            end = match.end()
            if match[0].startswith("\\"):
                parts.append(match[0][1:])
                continue
            *others, target = filter(None, match.groups())
            included = self._read(file, target, number, chain)
            if included is not None and "[!code" in match[0]:
                language = others[0] if others else ""
                included = f"```{language}\n{included}\n```"
            if included is not None and not line[: match.start()].strip():
                # All of it is as deep in a list or a box as the line.
                included = included.replace("\n", "\n" + line[: match.start()])
            parts.append(match[0] if included is None else included)
        return "".join([*parts, line[end:]])

    def _literal(
        self,
        file: Path,
        literal: re.Match[str],
        options: Sequence[str],
        number: int,
        chain: tuple[Path, ...],
    ) -> Iterator[str]:
        """Yield the code block that a `literalinclude` stands for."""
        values: dict[str, str] = {}
        for line in options:
            if option := _OPTION.match(line):
                values[option[1]] = option[2].strip()
        lines = values.get("lines", "")
        start, _, end = lines.partition("-")
        part = f":{start}:{end or start}" if lines and "," not in lines else ""
        code = self._read(file, literal[3] + part, number, chain)
        indent, fence = literal[1], literal[2]
        yield f"{indent}{fence}{values.get('language', '')}"
        if code is None:
            yield f"{indent}{literal[3]}"
        else:
            yield from (indent + line for line in code.split("\n"))
        yield indent + fence

    def _read(
        self, file: Path, target: str, number: int, chain: tuple[Path, ...]
    ) -> str | None:
        """Return what is included; note why not, and return None, if it cannot be."""
        name, part = _split_target(target)
        if self._is_full:
            # Included files can multiply: the rest of the page is left as it is.
            return None
        self._count += 1
        try:
            source, text = self._find(file, name)
            if source in chain or len(chain) > MAX_DEPTH:
                raise UnreadableFile("the file includes itself")
            text = _select(text, part)
            if source.suffix.lower() in SUFFIXES:
                text = split_front_matter(text)[1].rstrip("\n")
                text = self._expand(source, text, (*chain, source))
            self._length += len(text)
            if self._is_full:
                raise UnreadableFile("the page would become too long")
        except _OutsideFolders as error:
            self.outside[error.folder] += 1
            return None
        except UnreadableFile as error:
            reason = str(error).rstrip(".")
            reason = reason[:1].lower() + reason[1:]
            self._remarks.append(f"Line {number}: {name} was not included: {reason}.")
            return None
        return text

    def _find(self, file: Path, name: str) -> tuple[Path, str]:
        is_from_root = name.startswith(("/", "~/", "@/", "@site/"))
        relative = name.removeprefix("~").removeprefix("@site/").lstrip("@/")
        starts = [] if is_from_root else [file.parent]
        outside = None
        for start in (*starts, *self.folders, *self._bases):
            candidate = existing_file(start / relative)
            if candidate is None:
                continue
            outside = outside or candidate
            for folder in self.folders:
                if candidate.is_relative_to(folder.resolve()):
                    inside = candidate.relative_to(folder.resolve())
                    hidden = [part for part in inside.parts if part.startswith(".")]
                    if hidden not in ([], [GITBOOK_FOLDER]):
                        raise UnreadableFile("hidden files are not included")
                    return candidate, read_text(folder, inside).rstrip("\n")
        if outside is None:
            raise UnreadableFile("there is no such file")
        raise _OutsideFolders(self._folder_of(outside))

    def _folder_of(self, outside: Path) -> str:
        """Return the folder of a file, just below the one that the tree is also in."""
        path = relpath(outside, self.folders[0].resolve())
        # A symbolic link may lead to a name that is not UTF-8.
        path = path.encode(errors="backslashreplace").decode()
        up, _, inside = path.rpartition("../")
        folder, slash, _ = inside.partition("/")
        return f"{up}../{folder}" if slash else f"{up}.."


def _base_paths(root: Path, name: str) -> list[str]:
    """Return the `base_path` of the snippets in a configuration of MkDocs."""
    try:
        config = load_config(read_text(root, Path(name)))
    except (UnreadableFile, *YAML_ERRORS):
        return []
    extensions = config.get("markdown_extensions") if isinstance(config, dict) else None
    if isinstance(extensions, dict):
        extensions = [extensions]
    for extension in extensions if isinstance(extensions, list) else ():
        options = (
            extension.get("pymdownx.snippets") if isinstance(extension, dict) else 0
        )
        paths = options.get("base_path") if isinstance(options, dict) else None
        if paths:
            paths = paths if isinstance(paths, list) else [paths]
            return [path for path in paths if isinstance(path, str)]
    return []


def _with_values(partial: str, tag: re.Match[str]) -> str:
    """Return a partial with the values of the tag that stands for it."""
    values = {name: text or code for name, text, code in _VALUE.findall(tag[2])}
    return _PROPERTY.sub(lambda name: values.get(name[1], ""), partial)


def _end_of_literal(lines: Sequence[str], start: int, fence: str) -> int:
    for index in range(start, len(lines)):
        if lines[index].strip() == fence:
            return index
    return len(lines)


def _split_target(target: str) -> tuple[str, str]:
    """Split a target into the file, and the lines or the anchor that are included."""
    name, _, query = target.partition("?")
    if query:
        options = dict(part.partition("=")[::2] for part in query.split("&"))
        lines = options.get("range", "").partition("-")
        return name, options.get("name") or ":".join(filter(None, lines[::2]))
    # A region of VitePress follows a number sign.
    name, _, part = target.partition("#" if "#" in target else ":")
    return name, part


def _select(text: str, part: str) -> str:
    """Return the lines 2:5, 2:, :5 or 2, or those between the anchors of a name."""
    lines, bounds = text.split("\n"), part.split(":")
    if not part:
        return "\n".join(line for line in lines if not _is_anchor(line))
    if all(map(_NUMBER.fullmatch, bounds)) and any(bounds):
        start = int(bounds[0] or 1)
        end = start if len(bounds) == 1 else int(bounds[1] or len(lines))
        return "\n".join(lines[max(0, start - 1) : end])
    return "\n".join(_between_anchors(lines, bounds[0]))


def _is_anchor(line: str) -> bool:
    match = _ANCHOR.search(line)
    return bool(match and (match[1] or match[3] or match[8]))


def _between_anchors(lines: Sequence[str], name: str) -> list[str]:
    selected, is_inside, was_inside = [], False, False
    for line in lines:
        match = _ANCHOR.search(line)
        if match and name in (match[2], match[4], match[6], match[8]):
            is_region = match[8] is not None and not match[7]
            is_start = match[1] == "ANCHOR" or match[3] == "start" or match[5] == ""
            is_start = is_start or is_region
            is_inside, was_inside = is_start, True
        elif is_inside and not _is_anchor(line):
            selected.append(line)
    if not was_inside:
        raise UnreadableFile(f"it has no part {name}")
    return selected
