"""Name files by paths, and find the names that a text refers to."""

import re
from collections.abc import Iterator
from operator import itemgetter
from posixpath import dirname, join, normpath, splitext
from typing import Annotated

from pydantic import AfterValidator, Field

from models.projects.files.file_types import BY_SUFFIX

MAX_NAME_LENGTH = 200
_PART = r"[A-Za-z0-9_-][A-Za-z0-9._-]*"
FILE_NAME = rf"^{_PART}(/{_PART})*$"
_SUFFIXES = "|".join(suffix[1:] for suffix in BY_SUFFIX)
# A path in a text, in which Markdown may escape punctuation, and the end of its name.
_PATH = re.compile(r"[A-Za-z0-9._/\\-]+")
_SUFFIX = re.compile(rf"\.(?:{_SUFFIXES})(?![A-Za-z0-9_-])", re.IGNORECASE)
_MAX_PATH_LENGTH = 4 * MAX_NAME_LENGTH


def _require_file_name(name: str) -> str:
    if not re.fullmatch(FILE_NAME, name, re.ASCII):
        raise ValueError(
            "Must be a path of letters, digits, '.', '_' and '-', whose parts do not"
            " begin with a period."
        )
    return name


FileName = Annotated[
    str,
    Field(min_length=1, max_length=MAX_NAME_LENGTH),
    AfterValidator(_require_file_name),
]


def names_a_file(text: str) -> bool:
    """Return whether the text may refer to a file; most texts do not."""
    return _SUFFIX.search(text) is not None


def referenced_paths(text: str) -> Iterator[str]:
    """Yield every path in the text that may be that of a file, as it is written."""
    if not names_a_file(text):
        return
    for path in map(itemgetter(0), _PATH.finditer(text)):
        suffixes = list(_SUFFIX.finditer(path)) if len(path) <= _MAX_PATH_LENGTH else []
        if suffixes:
            yield path[: suffixes[-1].end()].replace("\\", "")


def candidate_names(
    path: str, source_tree: str | None, source_path: str | None
) -> Iterator[str]:
    """
    Yield the names that a path in a document may mean, the likeliest first.

    The path is relative to the document's file in its tree, or begins at the root of
    the tree or of the project. Nothing outside of the tree is meant.
    """
    relative = path.lstrip("/")
    if source_tree is not None:
        folders = [""]
        if relative == path and source_path:
            # Authors whose generator serves pages as folders write one `..` too many.
            folders = [dirname(source_path), splitext(source_path)[0]]
        for folder in folders:
            inside = normpath(join(folder, relative))
            if not inside.startswith(".."):
                yield f"{tree_prefix(source_tree)}/{inside}"
    yield normpath(relative)


def tree_prefix(tree: str) -> str:
    """Return the first part of the names of the files of an imported tree."""
    return to_file_name(tree).replace("/", "-") or "tree"


def to_file_name(path: str) -> str:
    """Return a path with a hyphen for every character that no name has."""
    parts = re.sub(r"[^A-Za-z0-9._/-]", "-", path).split("/")
    # Web servers do not serve hidden files.
    return "/".join(part.lstrip(".") or "-" for part in parts if part)
