"""A body whose lists stay in its file is read like one in memory."""

import json
import tempfile
from io import BytesIO

from hypothesis import given
from hypothesis import strategies as some
from pydantic import RootModel

from api.http.lazy_body import parse_lazy_body
from api.http.validation import parse_json, validate
from api.operation import UploadedBody
from models.base import Schema
from models.errors import MalformedRequest
from models.lazy_list import Lazy

texts = some.text(some.sampled_from('ab\\"[]{},: \n\té\N{GRINNING FACE}'), max_size=8)
scalars = some.none() | some.booleans() | some.integers(-(2**60), 2**60) | texts
values = some.recursive(
    scalars,
    lambda inner: some.lists(inner) | some.dictionaries(texts, inner),
    max_leaves=8,
)
lists = some.lists(values)
members = {"one": lists, "two": lists, "three": scalars}
bodies = some.fixed_dictionaries(
    {},
    optional={
        "first": values,
        "held": some.fixed_dictionaries({}, optional=members),
        "last": values,
    },
)
layouts = some.sampled_from(
    [
        {},
        {"separators": (",", ":")},
        {"indent": 1},
        {"ensure_ascii": False},
        {"separators": (" \t,\r\n", "\n: ")},
    ]
)


class Item(RootModel[object]):
    pass


class Held(Schema):
    one: Lazy[Item] = []
    two: Lazy[Item] = []
    three: object = None


class Body(Schema):
    first: object = None
    held: Held = Held()
    last: object = None


def lazily(text, file):
    file.write(text)
    file.seek(0)
    return parse_lazy_body(Body, UploadedBody(file, len(text), ""), "held")


def in_memory(text):
    return validate(Body, parse_json(text), "pointer")


def outcome(parse, *arguments):
    """Return the values of the body; None if it is no JSON."""
    try:
        body = parse(*arguments)
    except MalformedRequest:
        return None
    held = [[item.root for item in items] for items in (body.held.one, body.held.two)]
    return body.first, *held, body.held.three, body.last


@given(bodies, layouts)
def test_body(body, layout):
    """However the JSON is laid out, each list has its items."""
    text = json.dumps(body, **layout).encode()

    expected = outcome(in_memory, text)

    assert outcome(lazily, text, BytesIO()) == expected
    with tempfile.TemporaryFile() as file:
        assert outcome(lazily, text, file) == expected


@given(bodies, layouts, some.data())
def test_damaged_body(body, layout, data):
    """Malformed JSON is rejected with lists in a file, too."""
    text = json.dumps(body, **layout).encode()
    at = data.draw(some.integers(0, len(text) - 1))
    other = data.draw(some.sampled_from([b"", b",", b"]", b"}", b"[", b'"', b"\\"]))
    damaged = text[:at] + other + text[at + 1 :]

    try:
        expected = outcome(in_memory, damaged)
    except Exception as refusal:
        expected = type(refusal)
    try:
        found = outcome(lazily, damaged, BytesIO())
    except Exception as refusal:
        found = type(refusal)

    assert found == expected
