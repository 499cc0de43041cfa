"""
Parse a JSON body whose lists are too large for memory: they stay in its file.

The body is read once to find where the items of these lists begin. Then each item is
parsed and validated whenever it is needed, and nothing of it is kept.
"""

import re
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from io import BytesIO
from itertools import islice
from mmap import ACCESS_READ, mmap
from typing import Any

from pydantic import ValidationError

from api.http.validation import (
    MAX_FIELDS,
    MAX_VALUES,
    MIB,
    STRING,
    AnySchema,
    Failure,
    Location,
    failures_of,
    parse_json,
    too_long,
    validate,
    validation_failed,
)
from api.operation import UploadedBody
from models.base import MAX_ERRORS
from models.lazy_list import MAX_ITEMS, LazyList, Starts

MAX_ITEM_BYTES = 16 * MIB
# The body without its lists.
MAX_REST_BYTES = MIB

_SPACE = re.compile(rb"[ \t\r\n]*+")
_STRING = re.compile(STRING, re.DOTALL)
_TO_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + STRING + rb")*+", re.DOTALL)
_TO_COMMA_OR_BRACKET = re.compile(rb'(?:[^",\[\]{}]++|' + STRING + rb")*+", re.DOTALL)

Text = mmap | memoryview


def parse_lazy_body(
    schema: type[AnySchema], body: UploadedBody, member: str
) -> AnySchema:
    """Parse a body, with a LazyList of valid items for each list in this member."""
    with _mapped(body) as text:
        rest, starts = _without_lists(text, member)
    value = parse_json(rest)
    lists = {
        name: LazyList[Any](body.stream, places, partial(_parse_item, member, name))
        for name, places in starts.items()
    }
    if lists:
        value[member] |= lists
    request = validate(schema, value, "pointer")
    failures = (
        failure | {"loc": (member, name, *failure["loc"])}
        for name, items in lists.items()
        for failure in _failures(items)
    )
    if first := list(islice(failures, MAX_ERRORS)):
        raise validation_failed(first, "pointer")
    return request


@contextmanager
def _mapped(body: UploadedBody) -> Iterator[Text]:
    if isinstance(body.stream, BytesIO):
        with body.stream.getbuffer() as view:
            yield view
    else:
        body.stream.flush()
        with mmap(body.stream.fileno(), 0, access=ACCESS_READ) as mapped:
            yield mapped


def _parse_item(member: str, name: str, index: int, text: bytes) -> Any:
    return parse_json(text, (member, name, index))


def _failures(items: LazyList[Any]) -> Iterator[Failure]:
    for index in range(len(items)):
        try:
            items[index]
        except ValidationError as error:
            for failure in failures_of(error):
                yield failure | {"loc": (index, *failure["loc"])}


def _without_lists(text: Text, member: str) -> tuple[bytes, dict[str, Starts]]:
    """Return the JSON with the lists in this member empty, and their items' starts."""
    scanner = _Scanner(text)
    starts: dict[str, Starts] = {}
    for name in scanner.members():
        if name != member:
            scanner.skip_value(())
            continue
        for list_name in scanner.members():
            if scanner.mark() != b"[":
                scanner.skip_value(())
                continue
            starts[list_name] = scanner.cut_list((member, list_name))
            if sum(map(len, starts.values())) > MAX_ITEMS + len(starts):
                raise too_long((member,), MAX_ITEMS, "items in its lists")
    scanner.keep(len(text))
    return bytes(scanner.kept), starts


class _Scanner:
    """Finds the parts of JSON; whether it is JSON is only seen when they are parsed."""

    def __init__(self, text: Text) -> None:
        self._text, self._at = text, 0
        # The text without the lists, up to `_kept_to`.
        self.kept, self._kept_to = bytearray(), 0

    def mark(self) -> bytes:
        """Skip space, and return the next byte; empty at the end."""
        self._skip(_SPACE)
        return bytes(self._text[self._at : self._at + 1])

    def members(self) -> Iterator[str]:
        """Yield the name of each member of the object that is here, at its value."""
        if self.mark() != b"{":
            self.skip_value(())
            return
        self._at += 1
        count = 0
        while self.mark() == b'"':
            if (count := count + 1) > MAX_FIELDS:
                raise too_long((), MAX_FIELDS, "fields")
            start = self._at
            self._skip(_STRING)
            name = parse_json(self._limited(start, self._at))
            # A colon.
            self.mark()
            self._at += 1
            yield name
            if self.mark() == b",":
                self._at += 1
        self._at += 1

    def skip_value(self, location: Location) -> None:
        """Go to the comma or bracket behind the value that is here."""
        depth = values = 0
        while True:
            self._skip(_TO_BRACKET if depth else _TO_COMMA_OR_BRACKET)
            mark = bytes(self._text[self._at : self._at + 1])
            if mark in (b"[", b"{"):
                depth, values = depth + 1, values + 1
                if values > MAX_VALUES:
                    raise too_long(location, MAX_VALUES, "values")
            elif depth and mark:
                depth -= 1
            else:
                return
            self._at += 1

    def cut_list(self, location: Location) -> Starts:
        """Keep an empty list instead of the one here; return where its items begin."""
        self._at += 1
        self.keep(self._at)
        is_empty = self.mark() == b"]"
        starts = array("Q", [self._at])
        if not is_empty:
            self._find_items(starts, location)
        self._kept_to = self._at
        self._at += 1
        return starts

    def keep(self, end: int) -> None:
        self.kept += self._limited(self._kept_to, end)

    def _find_items(self, starts: Starts, location: Location) -> None:
        """Add where the next items begin, and go to the end of the list."""
        while True:
            place = (*location, len(starts) - 1)
            self.skip_value(place)
            if self._at - starts[-1] > MAX_ITEM_BYTES:
                raise too_long(place, MAX_ITEM_BYTES, "bytes")
            starts.append(self._at + 1)
            if self.mark() != b",":
                return
            if len(starts) > MAX_ITEMS:
                raise too_long(location, MAX_ITEMS, "items")
            self._at += 1

    def _skip(self, pattern: re.Pattern[bytes]) -> None:
        match = pattern.match(self._text, self._at)
        assert match is not None
        self._at = match.end()

    def _limited(self, start: int, end: int) -> bytes:
        if len(self.kept) + end - start > MAX_REST_BYTES:
            raise too_long((), MAX_REST_BYTES, "bytes besides its lists")
        return bytes(self._text[start:end])
