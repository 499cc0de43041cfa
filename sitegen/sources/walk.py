"""Walk through the folders of a tree."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from posixpath import join


def walk(
    folder: Path, is_read: Callable[[str, str], bool]
) -> Iterator[tuple[str, list[str], list[str]]]:
    """
    Yield the path of each folder in the tree, and the names of its folders and files.

    `is_read(parent, name)` says which folders are. Symbolic links to folders are not
    followed. Folders may be nested as deeply as the file system allows, which is more
    than `os.walk` can recurse.
    """
    waiting = [""]
    while waiting:
        parent = waiting.pop()
        path = folder / parent
        _, inner, names = next(os.walk(path), ("", [], []))
        folders = sorted(
            name
            for name in inner
            if is_read(parent, name) and not (path / name).is_symlink()
        )
        waiting += [join(parent, name) for name in reversed(folders)]
        yield parent, folders, sorted(names)
