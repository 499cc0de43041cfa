"""Read a folder of Markdown files as documents to import."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from os.path import normpath
from pathlib import Path
from shlex import quote

from models.errors import Refusal
from models.front_matter import YAML_ERRORS, UnreadableFile, text_of
from models.projects.document_imports.sources import DocumentSource, document_source
from models.projects.fields import LANGUAGE_TAG
from models.projects.files.file_import import FileSource
from sitegen.sources.addresses.aliases import read_aliases
from sitegen.sources.files import TreeFiles
from sitegen.sources.git_dates import changed_dates
from sitegen.sources.hidden_pages import HiddenPages, folder_of_partials, is_listed
from sitegen.sources.includes import Includes
from sitegen.sources.names import slugs
from sitegen.sources.navigation.entries import Navigation, plain_label
from sitegen.sources.navigation.layout import Layout, truncate
from sitegen.sources.navigation.menus import SUMMARY
from sitegen.sources.notations.dialects import (
    to_markdown,
    without_hidden_lines,
)
from sitegen.sources.notations.directives import PAGE_FIELDS
from sitegen.sources.notations.own_components import OwnComponents, PageComponents
from sitegen.sources.notations.roles import Roles
from sitegen.sources.notations.wikilinks import Wikilinks
from sitegen.sources.source_file import (
    OTHER_FORMATS,
    SUFFIXES,
    SourceFile,
    load_config,
    read_file,
    read_text,
    walk,
)
from sitegen.sources.titles import split_heading
from sitegen.sources.unsupported_syntax import (
    join_names,
    removal_remark,
    remove_local_images,
)

SUMMARY_LENGTH = 300

SUMMARIES = ("summary", "description", "lead")
LANGUAGES = ("lang", "language")
# Programs, layouts and built pages of generators.
IGNORED_FOLDERS = {"node_modules", "_site", "_includes", "_layouts"}
MAX_LEVELS = 100
JEKYLL_CONFIG = "_config.yml"


@dataclass(frozen=True)
class Note:
    """A remark about a file."""

    path: str
    reason: str


@dataclass
class Tree:
    """The documents of a folder, in the order of their paths."""

    includes: Includes
    wikilinks: Wikilinks | None = None
    roles: Roles | None = None
    sources: list[DocumentSource] = field(default_factory=list)
    # Left out because they are unusable, and because they are drafts.
    skipped: list[Note] = field(default_factory=list)
    drafts: list[Note] = field(default_factory=list)
    # Imported, but not entirely as they were meant.
    notes: list[Note] = field(default_factory=list)
    # The files that the documents refer to.
    files: list[FileSource] = field(default_factory=list)
    # Whether tags of components without a counterpart are removed, or shown.
    removes_unknown: bool = True
    own_components: OwnComponents | None = None


def read_tree(
    folder: Path,
    progress: Callable[[Sequence[SourceFile]], Iterable[SourceFile]] = iter,
    *,
    name: str | None = None,
    include_from: Sequence[Path] = (),
    now: datetime | None = None,
    base: str | None = None,
    removes_unknown: bool = True,
    own_components: OwnComponents | None = None,
) -> Tree:
    """
    Read all Markdown files of the folder, and find the files that they refer to.

    `name` is that of the tree, by default the folder's. Subfolders become sections. An
    unusable file is reported, and the others are still read. `progress` iterates over
    the files and may show the progress. Files may include others that are in the folder
    or in one of `include_from`. Pages that are not to be published `now` are left out;
    without it, dates do not count. `base` is the URL at which the tree was published.
    The tags of components without a counterpart are removed, unless `removes_unknown`
    is false; `own_components` replace these and others, and a template that fails
    raises ComponentError.
    """
    tree = Tree(
        Includes([folder, *include_from]),
        removes_unknown=removes_unknown,
        own_components=own_components,
    )
    hidden = HiddenPages.from_folder(folder, now)
    files = [
        file
        for path in _paths(folder, tree)
        if (file := _read(folder, path, tree, hidden))
    ]
    layout = Layout(folder, files)
    tree.notes += _navigation_notes(layout.navigation)
    files = _named_files(layout, tree)
    aliases = read_aliases(folder, files, layout.index, base)
    # The navigation may have said so, too.
    remarks = [Note(*remark) for remark in aliases.remarks]
    tree.notes += [note for note in remarks if note not in tree.notes]
    dates = changed_dates(folder)
    tree.wikilinks = Wikilinks(folder, files)
    tree.roles = Roles(files, layout.index)
    tree_files = TreeFiles(folder, name or folder.resolve().name, include_from)
    for file, slug in zip(progress(files), slugs(files, layout.prefixes), strict=True):
        try:
            source = _source(file, slug, layout, tree, tree_files)
            known = {
                "aliases": aliases.declared_by(file),
                "changed_at": dates.get(file.name),
            }
            tree.sources.append(source.model_copy(update=known))
        except Refusal as refusal:
            tree.skipped.append(Note(file.name, refusal.detail))
        except UnreadableFile as error:
            tree.skipped.append(Note(file.name, str(error)))
    tree.files = list(tree_files.files.values())
    tree.notes += _notes_on_links(tree.wikilinks, tree.roles)
    tree.notes += _notes_on_folders(tree.includes, folder)
    return tree


def _named_files(layout: Layout, tree: Tree) -> list[SourceFile]:
    """
    Return the files by name, without those that only the navigation makes pages.

    Note in the tree which files these are.
    """
    is_book = tree.includes.is_mdbook and layout.navigation.file == SUMMARY
    files = []
    for file in sorted(layout.files, key=lambda file: file.name):
        if layout.is_named(file):
            files.append(file)
        elif parts := folder_of_partials(file):
            reason = f"The folder {parts} has partials, and no navigation names it."
            tree.drafts.append(Note(file.name, reason))
        elif is_book:
            reason = "SUMMARY.md does not name it, so mdBook does not publish it."
            tree.drafts.append(Note(file.name, reason))
        else:
            files.append(file)
    return files


def _notes_on_links(wikilinks: Wikilinks, roles: Roles) -> Iterator[Note]:
    """Yield a note for each page with links or embeds that are shown otherwise."""
    for path, names in [*wikilinks.missing.items(), *roles.missing.items()]:
        yield Note(
            path,
            f"Links to pages that do not exist are shown as text: {join_names(names)}.",
        )
    for path, names in wikilinks.not_embedded.items():
        yield Note(
            path,
            "Pages that would repeat within themselves, or are too many or too long to"
            f" be embedded, are links: {join_names(names)}.",
        )


def _navigation_notes(navigation: Navigation) -> Iterator[Note]:
    for name, reason in navigation.unreadable:
        yield Note(name, reason)
    if missing := navigation.missing:
        verb = "does" if len(missing) == 1 else "do"
        reason = f"It names {join_names(missing)}, which {verb} not exist."
        yield Note(navigation.file, reason)


def _notes_on_folders(includes: Includes, folder: Path) -> Iterator[Note]:
    """Yield a note for each folder outside of the tree that files include from."""
    for outside, count in includes.outside.items():
        path = normpath(folder / outside)
        noun = "include of a file" if count == 1 else "includes of files"
        yield Note(
            outside,
            f"{count} {noun} outside of the tree could not be resolved. Name the folder"
            f" with --include-from {quote(path)}.",
        )


def _paths(folder: Path, tree: Tree) -> Iterator[Path]:
    """
    Yield the Markdown files that are not hidden, relative to the folder.

    Note in the tree which files are texts of formats that are not read.
    """
    paths, collections = [], _jekyll_collections(folder)
    for parent, _, names in walk(
        folder, lambda _, name: _is_folder_of_pages(name, collections)
    ):
        paths += [
            Path(parent, name)
            for name in names
            if name.lower().endswith(SUFFIXES) and not name.startswith(".")
        ]
        for name in names:
            if format := OTHER_FORMATS.get(Path(name).suffix.lower()):
                reason = f"It is in {format}, which is not imported; only Markdown is."
                tree.notes.append(Note(Path(parent, name).as_posix(), reason))
    return iter(sorted(paths, key=Path.as_posix))


def _is_folder_of_pages(name: str, collections: set[str]) -> bool:
    if name.startswith("_"):
        return name in collections
    return not name.startswith(".") and name not in IGNORED_FOLDERS


def _jekyll_collections(folder: Path) -> set[str]:
    """Return the folders of Jekyll's collections, whose names begin with '_'."""
    try:
        config = load_config(read_text(folder, Path(JEKYLL_CONFIG)))
    except (UnreadableFile, *YAML_ERRORS):
        return set()
    collections = config.get("collections") if isinstance(config, dict) else None
    # Names, or names with their settings.
    names = collections if isinstance(collections, list | dict) else ()
    return {f"_{name}" for name in names if isinstance(name, str)}


def _read(
    folder: Path, path: Path, tree: Tree, hidden_pages: HiddenPages
) -> SourceFile | None:
    """Read a file; note in the tree why it is left out, if it is."""
    name = path.as_posix().encode(errors="backslashreplace").decode()
    if name != path.as_posix():
        tree.skipped.append(Note(name, "Its name is not UTF-8."))
        return None
    if len(path.parts) > MAX_LEVELS:
        reason = f"It is in more than {MAX_LEVELS - 1} folders within each other."
        tree.skipped.append(Note(name, reason))
        return None
    try:
        file = read_file(folder, path)
    except UnreadableFile as error:
        tree.skipped.append(Note(path.as_posix(), str(error)))
        return None
    if reason := hidden_pages.reason(file):
        tree.drafts.append(Note(file.name, reason))
        return None
    return file


def _source(
    file: SourceFile, slug: str, layout: Layout, tree: Tree, tree_files: TreeFiles
) -> DocumentSource:
    body = _converted_body(file, tree, tree_files)
    heading, rest, level = split_heading(body)
    label = layout.label(file)
    title = layout.title(file, heading if level == 1 else "") or slug
    return document_source(
        path=file.name,
        address=layout.address(file),
        slug=slug,
        section=layout.section(file),
        position=layout.position(file),
        is_numbered=layout.is_numbered(file),
        is_listed=is_listed(file),
        has_lead=bool(file.front_matter.get("lead")),
        title=title,
        nav_title=label if label and label != plain_label(title) else None,
        summary=truncate(text_of(file.front_matter, *SUMMARIES), SUMMARY_LENGTH)
        or None,
        language=_language(file, tree),
        content=rest if plain_label(heading) == plain_label(title) else body,
    )


def _language(file: SourceFile, tree: Tree) -> str | None:
    """Return the tag of the language that the file declares, with hyphens."""
    tag = text_of(file.front_matter, *LANGUAGES).replace("_", "-")
    if not tag or re.fullmatch(LANGUAGE_TAG, tag):
        return tag or None
    reason = f"Its language '{truncate(tag, 40)}' is not a tag such as de or pt-BR."
    tree.notes.append(Note(file.name, reason))
    return None


def _converted_body(file: SourceFile, tree: Tree, tree_files: TreeFiles) -> str:
    """Return the body in the Markdown of this site, and note what it loses."""
    fields = PAGE_FIELDS.match(file.body)
    body = file.body[fields.end() :] if fields else file.body
    body, remarks = tree.includes.expand(file.path, body)
    if tree.wikilinks:
        body = tree.wikilinks.convert(file, body)
    if tree.roles:
        body = tree.roles.convert(file, body)
    if file.remark:
        remarks = [f"{file.remark.rstrip('.')}, so the page has none.", *remarks]
    if tree.includes.is_mdbook:
        body = without_hidden_lines(body)
    removed = Counter[str]() if tree.removes_unknown else None
    is_mdx = file.path.suffix.lower() == ".mdx"
    components = tree.own_components
    own = PageComponents(components, file.name) if components else None
    body = to_markdown(body, is_mdx=is_mdx, removed=removed, own=own).lstrip("\n")
    if removed:
        remarks = [*remarks, removal_remark(removed, file.text)]
    body, present = tree_files.bring(body, file.path)
    body, unsupported = remove_local_images(
        body, present, source=file.text, removed=(removed or {}).keys()
    )
    tree.notes += [Note(file.name, remark) for remark in (*remarks, *unsupported)]
    return body
