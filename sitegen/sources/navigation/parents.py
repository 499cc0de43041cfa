"""Read the navigation of Just the Docs: orders and parents in the front matter."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from models.front_matter import text_of
from sitegen.sources.navigation.entries import MAX_DEPTH, Entry, plain_label
from sitegen.sources.source_file import SourceFile

# What a page says of itself and of the pages above it.
ABOVE = ("title", "parent", "grand_parent", "ancestor")
# By the path of a page: the pages below it; "" stands for the root.
Children = dict[str, list[SourceFile]]


def has_parents(files: Sequence[SourceFile]) -> bool:
    return any(text_of(file.front_matter, "parent") for file in files)


def read_parents(files: Sequence[SourceFile]) -> Iterator[Entry]:
    """Yield the pages below the pages whose titles they name, in their order."""
    pages = [
        file
        for file in files
        if _title(file) and file.front_matter.get("nav_exclude") is not True
    ]
    by_title: dict[str, list[SourceFile]] = {}
    for page in pages:
        by_title.setdefault(_title(page), []).append(page)
    children: Children = {}
    for page in sorted(pages, key=_order):
        parent = text_of(page.front_matter, "parent")
        if not parent:
            children.setdefault("", []).append(page)
        elif above := _parent(page, by_title.get(parent, [])):
            children.setdefault(above.name, []).append(page)
    yield from _below("", (), children)


def _parent(page: SourceFile, candidates: list[SourceFile]) -> SourceFile | None:
    """Return the page with the parent's title; of several, the nearest."""
    fitting = [
        candidate
        for candidate in candidates
        if candidate is not page and _is_named_above(page, candidate)
    ]
    return max(fitting, key=lambda other: _nearness(page, other), default=None)


def _is_named_above(page: SourceFile, candidate: SourceFile) -> bool:
    """Return whether a candidate is below what the page says is above its parent."""
    grand_parent = text_of(page.front_matter, "grand_parent")
    ancestor = text_of(page.front_matter, "ancestor")
    parent = text_of(candidate.front_matter, "parent")
    above = [text_of(candidate.front_matter, name) for name in ABOVE]
    return grand_parent in ("", parent) and (not ancestor or ancestor in above)


def _nearness(page: SourceFile, other: SourceFile) -> int:
    """Return how many folders two files have in common."""
    pairs = zip(page.path.parent.parts, other.path.parent.parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _below(parent: str, groups: tuple[str, ...], children: Children) -> Iterator[Entry]:
    if len(groups) > MAX_DEPTH:
        return
    for page in children.get(parent, ()):
        has_children = page.name in children
        inner = (*groups, plain_label(_title(page))) if has_children else groups
        yield Entry(page.name, "", inner)
        if has_children:
            yield from _below(page.name, inner, children)


def _title(file: SourceFile) -> str:
    return text_of(file.front_matter, "title")


def _order(file: SourceFile) -> tuple[int, float, str]:
    """Numbers come before words, and pages without an order last, by title."""
    order = text_of(file.front_matter, "nav_order")
    try:
        return 0, float(order), _title(file)
    except ValueError:
        return (1, 0, order) if order else (2, 0, _title(file))
