"""Find the address that each page of a tree has on the website of its authors."""

from pathlib import Path
from posixpath import join, normpath

from models.front_matter import text_of
from models.projects.documents.linking.tree_names import stem
from sitegen.sources.names import NumberPrefixes
from sitegen.sources.source_file import SourceFile

# Fields of front matter that set the address of a page, by precedence: as a whole, and
# usually its last part only.
WHOLE_ADDRESSES, LAST_PARTS = ("permalink", "url"), ("slug", "id")
# Longer ones are left out.
MAX_LENGTH = 300
# The files by which a generator is known, and its folder of pages beside them.
CONTENT_FOLDERS = (
    ("book.toml", "src"),
    ("hugo.toml", "content"),
    ("hugo.yaml", "content"),
    ("astro.config.mjs", "src/content/docs"),
    ("mkdocs.yml", "docs"),
)


class Addresses:
    """The addresses of the pages of a tree."""

    def __init__(self, folder: Path, prefixes: NumberPrefixes) -> None:
        self._prefixes = prefixes
        self._content_folder = next(
            (Path(root) for name, root in CONTENT_FOLDERS if (folder / name).is_file()),
            Path(),
        )

    def address(self, file: SourceFile) -> str | None:
        """Return the address of a page, None if it follows from the file's path."""
        address = stem(normpath("/" + self._full_address(file)))
        is_usable = len(address) <= MAX_LENGTH and address.isprintable()
        return "/" + address if is_usable and address != stem(file.name) else None

    def _full_address(self, file: SourceFile) -> str:
        if whole := _address_in(file, *WHOLE_ADDRESSES):
            return whole
        last = _address_in(file, *LAST_PARTS)
        # Some generators accept a whole address here, too.
        if "/" in last.strip("./"):
            return last
        name = last or stem(self._prefixes.without(file.path))
        return name if last[:1] == "/" else join(self._folder_address(file), name)

    def _folder_address(self, file: SourceFile) -> str:
        folder = file.path.parent
        content = self._content_folder
        above = set(content.parents) | {content}
        is_content = folder.is_relative_to(content)
        folders = [
            path
            for path in reversed([folder, *folder.parents])
            if path.name and not (is_content and path in above)
        ]
        # Jekyll's collections are in folders with an underscore.
        return "/".join(self._prefixes.without(path).lstrip("_") for path in folders)


def _address_in(file: SourceFile, *names: str) -> str:
    """Return the first of the fields that is an address, "" if there is none."""
    addresses = (text_of(file.front_matter, name) for name in names)
    # /:year/:title/ is a pattern for many pages, not an address.
    return next(
        (address for address in addresses if address and ":" not in address), ""
    )
