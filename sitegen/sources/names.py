"""Names of files and folders, as words for readers and as slugs."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from models.fields import SLUG_LENGTH, unique_slug
from models.front_matter import text_of
from sitegen.sources.source_file import File

# What the generators take for the last part of a page's address, the first first.
ADDRESSES = ("slug", "permalink", "url", "id")
# 01-intro: a place, then a name.
_NUMBER = re.compile(r"(\d{1,4})(?:[-_.]| +)(?=[^\W\d_])")


def words_of(name: str) -> str:
    words = " ".join(re.sub(r"[-_]+", " ", name).split())
    return words[:1].upper() + words[1:]


class Numbers:
    """
    The numbers that put the names of a folder in order, and are no part of them.

    One that stands alone is part of its name, like that of 2-factor-login, unless
    it begins with a zero.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        names = {each for path in paths for each in (path, *path.parents)}
        found = {each: _NUMBER.match(each.name) for each in names}
        beside = Counter(each.parent for each, number in found.items() if number)
        self._of = {
            each: int(number[1])
            for each, number in found.items()
            if number and (beside[each.parent] > 1 or each.name[0] == "0")
        }

    def position(self, path: Path) -> int | None:
        return self._of.get(path)

    def bare(self, path: Path) -> str:
        """Return the name of the file or folder without its number."""
        return _NUMBER.sub("", path.name, count=1) if path in self._of else path.name


def stem(file: File, numbers: Numbers) -> str:
    """Return what the file is called: an index like its folder."""
    folder = file.path.parent
    if file.is_index and folder.name:
        return numbers.bare(folder)
    return Path(numbers.bare(file.path)).stem


def slugs(files: Sequence[File], numbers: Numbers) -> list[str]:
    """
    Return a slug of its own for each file: its name, or with its folders.

    All that share a name take their folders, so that none depends on another's
    place in the order.
    """
    short = [_slug(_asked(file) or stem(file, numbers)) for file in files]
    shared = Counter(short)
    taken = {slug for slug in short if shared[slug] == 1}
    found = []
    for file, slug in zip(files, short, strict=True):
        if shared[slug] > 1:
            slug = unique_slug(_slug(_long(file, numbers)), taken)
            taken.add(slug)
        found.append(slug)
    return found


def _asked(file: File) -> str:
    """Return the last part of the address that the front matter asks for."""
    for name in ADDRESSES:
        address = text_of(file.front, name).rstrip("/").rsplit("/", 1)[-1]
        # /:year/:title/ is a rule for many pages, not a name.
        if address and ":" not in address:
            return address.removesuffix(".html")
    return ""


def _long(file: File, numbers: Numbers) -> str:
    folder = file.path.parent
    above = folder.parent if file.is_index and folder.name else folder
    folders = [each for each in (above, *above.parents) if each.name]
    names = [numbers.bare(each) for each in reversed(folders)]
    return "-".join([*names, _asked(file) or stem(file, numbers)])


def _slug(name: str) -> str:
    """Return the name in pattern P."""
    plain = unicodedata.normalize("NFKD", name)
    letters = plain.encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
    return slug[:SLUG_LENGTH].rstrip("-") or "page"
