"""Find the documents of an imported tree by the names that its authors use in links."""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from posixpath import dirname, join, normpath
from unicodedata import category

from anyascii import anyascii

from models.fields import SLUG_LENGTH, slugify
from models.normalization import normalize
from models.projects.documents.paths import stem
from models.projects.documents.published import PublishedPage

# 01-intro: a position, then a name.
NUMBER_PREFIX = re.compile(r"^(\d{1,4})(?:[-_.]| +)(?=[^\W\d_])")
# Longer paths are found only as a whole, not by their last parts.
MAX_PARTS = 10

# Documents by name; None where several have the name.
_Names = dict[str, PublishedPage | None]


class TreeNames:
    """
    The documents of one tree, by their files and by the addresses these declare.

    A file is named with or without its extension. A name in other letter case finds a
    document only if no name is equal by case, and if it is the only one.
    """

    def __init__(self, documents: Iterable[PublishedPage]) -> None:
        self._documents = list(documents)
        self._by_path: dict[str, PublishedPage] = {}
        self._by_stem: dict[str, PublishedPage] = {}
        self._by_address: _Names = {}
        # A folder's name is that of its index page, even if a file has it, too.
        for document in sorted(self._documents, key=_is_index):
            path = _path(document)
            self._by_path[path] = self._by_stem[stem(path)] = document
            if (address := _address(document)) is not None:
                _add(self._by_address, {address}, document)

    def find(self, names: Iterable[str]) -> PublishedPage | None:
        """Return the document with the first of the names that any document has."""
        names = [normalize("NFC", name) for name in names]
        for name in names:
            name_stem = stem(name)
            document = self._by_path.get(name) or self._by_stem.get(name_stem)
            if document := document or self._by_address.get(name_stem):
                return document
        for name in names:
            folded = name.casefold()
            if document := self._folded.get(folded) or self._folded.get(stem(folded)):
                return document
        return None

    def find_by_end(self, name: str) -> PublishedPage | None:
        """Return the only document whose path or address ends with these parts."""
        ending = stem(normalize("NFC", name))
        by_case, by_folded = self._by_end
        return by_case.get(ending) or by_folded.get(ending.casefold())

    @cached_property
    def _folded(self) -> _Names:
        names: _Names = {}
        for document in self._documents:
            own_names = {_path(document), *_stems(document)}
            _add(names, {name.casefold() for name in own_names}, document)
        return names

    @cached_property
    def _by_end(self) -> tuple[_Names, _Names]:
        by_case: _Names = {}
        by_folded: _Names = {}
        for document in self._documents:
            endings = {
                ending for name in _stems(document) for ending in tails(name) if ending
            }
            _add(by_case, endings, document)
            _add(by_folded, {ending.casefold() for ending in endings}, document)
        return by_case, by_folded


def relative_names(document: PublishedPage, path: str) -> Iterator[str]:
    """
    Yield the paths in the tree that a relative path may mean, the likeliest first.

    Authors write it relative to the file, or to the page's address, which is that of a
    folder with most generators.
    """
    folders = [dirname(_path(document))]
    for name in reversed(_stems(document)):
        folders += [name, dirname(name)]
    for folder in dict.fromkeys(folders):
        yield normpath(join(folder, path))


def is_outside(path: str) -> bool:
    """Return whether a normal path leaves the folder that it is relative to."""
    return path == ".." or path.startswith("../")


def tails(path: str) -> Iterator[str]:
    """Yield the last parts of a path, from many to one."""
    parts = path.strip("/").split("/")[-MAX_PARTS:]
    for start in range(len(parts)):
        yield "/".join(parts[start:])


def file_slug(name: str) -> str:
    """
    Return the slug of a file's name: lower-case ASCII words joined by hyphens.

    Letters of other scripts are transliterated, and emoji are left out.
    """
    letters = normalize("NFKC", name)
    ascii_name = "".join(map(_to_ascii, letters))
    return slugify(ascii_name)[:SLUG_LENGTH].rstrip("-") or "page"


def _to_ascii(character: str) -> str:
    if character.isascii():
        return character
    # Marks are the vowels of some scripts.
    return anyascii(character) if category(character)[0] in "LMN" else ""


def file_slugs(path: str) -> Iterator[str]:
    """Yield the slugs that a file may have got: with numbers in its path or without."""
    yield file_slug(path)
    yield file_slug("/".join(NUMBER_PREFIX.sub("", part) for part in path.split("/")))


def _path(document: PublishedPage) -> str:
    # The names of files have decomposed letters on some systems, links seldom have.
    return normalize("NFC", document.source_path or "")


def _address(document: PublishedPage) -> str | None:
    """Return the address that the file declares, as a path in the tree."""
    address = document.source_address
    return None if address is None else stem(normalize("NFC", address))


def _stems(document: PublishedPage) -> list[str]:
    address = _address(document)
    file_stem = stem(_path(document))
    return [file_stem] if address is None else [file_stem, address]


def _is_index(document: PublishedPage) -> bool:
    return stem(_path(document)) == dirname(_path(document))


def _add(names: _Names, of_document: Iterable[str], document: PublishedPage) -> None:
    for name in of_document:
        is_unique = names.setdefault(name, document) is document
        names[name] = document if is_unique else None
