"""
Put the imported trees of a collection one after the other.

Pure functions: no row, no clock, no setting is read here.
"""

from collections.abc import Iterable, Mapping
from typing import Protocol


class ImportedPage(Protocol):
    @property
    def id(self) -> str: ...
    @property
    def source_tree(self) -> str | None: ...


def tree_ranks(pages: Iterable[ImportedPage]) -> Mapping[str | None, int]:
    """
    Return the place of each tree among those of a collection, by its name.

    Each tree numbers its pages from the start, so positions compare only pages of one
    tree. The tree that was imported first comes first, whose documents have the lowest
    ids. Documents of no tree are among its pages.
    """
    first_ids: dict[str, str] = {}
    for page in pages:
        if page.source_tree is not None:
            first_id = first_ids.get(page.source_tree, page.id)
            first_ids[page.source_tree] = min(first_id, page.id)
    ordered = sorted(first_ids, key=first_ids.__getitem__)
    return {None: 0} | {tree: rank for rank, tree in enumerate(ordered)}
