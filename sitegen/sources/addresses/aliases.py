"""Find the addresses that redirect to the pages of a tree."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from posixpath import join, normpath

from models.front_matter import text_of
from models.projects.documents.linking.aliases import UnusableAlias, alias_address
from models.site_addresses import without_query
from sitegen.sources.addresses.old_addresses import (
    OldAddresses,
    find_old_site,
    unreadable_configurations,
)
from sitegen.sources.addresses.redirect_maps import MappedRedirect, mapped_redirects
from sitegen.sources.names import ADDRESS_FIELDS
from sitegen.sources.navigation.entries import FileIndex
from sitegen.sources.source_file import SourceFile
from sitegen.sources.unsupported_syntax import join_names

# Redirects of redirects; more than these are a circle.
MAX_STEPS = 20
# Remarks about one configuration that are listed one by one.
MAX_REMARKS = 20


@dataclass
class TreeAliases:
    """The aliases of each page, and remarks on those that are left out, by file."""

    by_path: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[tuple[str, str]] = field(default_factory=list)

    def declared_by(self, file: SourceFile) -> list[str]:
        return list(dict.fromkeys(self.by_path.get(file.name, ())))


def read_aliases(
    folder: Path,
    files: Iterable[SourceFile],
    index: FileIndex,
    base: str | None = None,
) -> TreeAliases:
    """
    Return the addresses of the pages on their former website, and those that redirect.

    They are read in the front matter of the files, and in configurations; `base` is
    the URL at which the tree was.
    """
    aliases = TreeAliases()
    for file in files:
        for name, text in _declared(file):
            _add(aliases, file.name, file.name, name, text)
        for name in ADDRESS_FIELDS:
            address = _normal(text_of(file.front_matter, name))
            if address and not index.find(address):
                index.add_id(address, file.name)
    redirects = list(mapped_redirects(folder))
    targets = {_normal(redirect.address): redirect for redirect in redirects}
    before = len(aliases.remarks)
    for redirect in redirects:
        path, problem = _page_of(redirect, targets, index)
        if path:
            _add(aliases, path, redirect.config, redirect.address, redirect.address)
        else:
            remark = f"The redirect from {redirect.address} {problem}."
            aliases.remarks.append((redirect.config, remark))
    omitted = len(aliases.remarks) - before - MAX_REMARKS
    if omitted > 0:
        config = aliases.remarks[-1][0]
        del aliases.remarks[before + MAX_REMARKS :]
        aliases.remarks.append((config, f"{omitted} more redirects were left out."))
    aliases.remarks += unreadable_configurations(folder)
    _add_old_addresses(aliases, find_old_site(folder, base), folder, files)
    return aliases


def _add_old_addresses(
    aliases: TreeAliases,
    site: OldAddresses | None,
    folder: Path,
    files: Iterable[SourceFile],
) -> None:
    unusable, unknown = list[str](), list[str]()
    if site is None:
        return
    for file in files:
        address = site.address(file)
        if address is None:
            unknown.append(file.name)
        # The front page of the old website is the home page here, or the tree's.
        elif address not in ("", "/"):
            try:
                redirect = alias_address(address)
                aliases.by_path.setdefault(file.name, []).append(redirect)
            except UnusableAlias as error:
                unusable.append(f"{address} {error}")
    name = folder.resolve().name
    if unusable:
        count = "One address" if len(unusable) == 1 else f"{len(unusable)} addresses"
        remark = f"{count} of the former website cannot redirect: {unusable[0]}."
        aliases.remarks.append((name, remark))
    if unknown:
        remark = (
            "The configuration of the former website does not tell at which address"
            f" these pages were: {join_names(unknown)}."
        )
        aliases.remarks.append((name, remark))


def _add(aliases: TreeAliases, path: str, source: str, name: str, text: str) -> None:
    try:
        aliases.by_path.setdefault(path, []).append(alias_address(text))
    except UnusableAlias as error:
        remark = f"The alias {name} {error}, so it was left out."
        aliases.remarks.append((source, remark))


def _declared(file: SourceFile) -> Iterator[tuple[str, str]]:
    """Yield the aliases in the front matter, as written and from the root."""
    # Hugo's are relative to the folder that contains the page, Jekyll's to the root.
    parent = file.path.parent.parent if file.is_index else file.path.parent
    for name, folder in (("aliases", parent.as_posix()), ("redirect_from", "")):
        values = file.front_matter.get(name)
        for text in values if isinstance(values, list) else [values]:
            if isinstance(text, str) and text.strip():
                is_absolute = text.startswith("/") or "://" in text
                yield text, text if is_absolute else normpath(join(folder, text))


def _page_of(
    redirect: MappedRedirect, targets: dict[str, MappedRedirect], index: FileIndex
) -> tuple[str, str]:
    """Return the file to which a redirect leads at last, or why there is none."""
    for _ in range(MAX_STEPS):
        target = without_query(redirect.target)
        if "://" in target or target.startswith("//"):
            return "", f"leads to another site, {redirect.target}"
        if path := _file_at(target, redirect.folder, index):
            return path, ""
        if _normal(target) not in targets:
            return "", f"leads to {redirect.target}, which is no page of the tree"
        redirect = targets[_normal(target)]
    return "", "leads in a circle"


def _file_at(target: str, folder: str, index: FileIndex) -> str | None:
    relative = target.lstrip("/")
    # The first folder may be the address below which the generator mounted the tree.
    _, _, below = relative.partition("/")
    found = index.find(relative, folder) if relative else index.find("index", folder)
    return found or (index.find(below, folder) if below else None)


def _normal(address: str) -> str:
    return address.strip("/").removesuffix(".md").removesuffix(".html")
