"""
Decide at which path of its collection a document is.

The path of an imported document is that of its file, of any other one its slug. Only a
move changes it, and then the former address redirects.
"""

import re
from collections.abc import Iterable
from itertools import chain, count
from posixpath import dirname
from typing import Annotated
from unicodedata import category
from urllib.parse import quote

from pydantic import AfterValidator, Field

from models.normalization import normalize

EXTENSIONS = (".md", ".mdx", ".markdown", ".html", ".json")
# The address of a folder is that of its index page.
INDEX_NAMES = ("index", "_index", "readme")
MAX_LENGTH = 1_000
# Names of files have at most 255 bytes in common file systems.
MAX_SEGMENT_BYTES = 200
PUNCTUATION = "._~@+,=-"
# Beside the page of a document are its data, under such names.
_DATA = re.compile(r"\.(?=(?:html|md|json)$)", re.I)


def stem(path: str) -> str:
    """Return a path without its extension, slashes around it and index name."""
    path = path.strip("/")
    for extension in EXTENSIONS:
        path = path.removesuffix(extension)
    folder, _, name = path.rpartition("/")
    return folder if name == "." or name.lower() in INDEX_NAMES else path


def path_of_file(file: str) -> str:
    """
    Return the path of the document that is imported from a file, or has it as slug.

    It is the same whatever other files there are: letters stay as they are, and what
    file systems, rules of redirects and URLs do not all take becomes a hyphen.
    """
    path = stem(normalize("NFC", file))
    while (shorter := stem(path)) != path:
        path = shorter
    return "/".join(map(_segment, filter(None, path.split("/"))))


def paths_of_files(files: Iterable[str], below: str = "") -> dict[str, str]:
    """
    Return the path of each document of a tree, by the path of its file.

    The address of a folder is that of its index page, even if a file has it, too. Of
    files with the same address, the later ones get a number.
    """
    paths: dict[str, str] = {}
    taken: set[str] = set()
    for file in sorted(files, key=lambda file: (stem(file) != dirname(file), file)):
        path = "/".join(filter(None, (below, path_of_file(file))))
        numbered = (f"{path or 'page'}-{number}" for number in count(2))
        paths[file] = next(p for p in chain([path], numbered) if p not in taken)
        taken.add(paths[file])
    return paths


def _segment(name: str) -> str:
    name = "".join(char if is_allowed(char) else "-" for char in name)
    # Hosts do not serve names that begin with a dot or an underscore.
    name = _DATA.sub("-", re.sub("-{2,}", "-", name).lstrip("._-").rstrip("-"))
    return name.encode()[:MAX_SEGMENT_BYTES].decode(errors="ignore") or "page"


def is_allowed(char: str) -> bool:
    """Return whether a name in an address may have the character."""
    return char.isalnum() or char in PUNCTUATION or category(char)[0] == "M"


def page_address(collection: str | None, path: str) -> str:
    """Return the address of a document's page on the site, not percent-encoded."""
    return f"/{collection}/{path}/" if path else f"/{collection}/"


def page_href(collection: str | None, path: str) -> str:
    """Return the address as links have it."""
    return quote(page_address(collection, path))


def _require_path(path: str) -> str:
    if path_of_file(path) != path:
        raise ValueError(
            "Must be a path such as setup/moving: names of letters, digits and"
            f" {PUNCTUATION}, without the ending of a file"
        )
    return path


DocumentPath = Annotated[
    str, Field(max_length=MAX_LENGTH), AfterValidator(_require_path)
]
