"""Bodies of any size, in the shapes that use the most memory we know of."""

import json
from functools import partial
from itertools import pairwise
from uuid import UUID

from tests.samples.openapi_document import DESCRIBED

# What a list is filled with, each followed by a comma.
VALUES = {
    "empty objects": "{}",
    "empty lists": "[]",
    "nested lists": "[[[]]]",
    "objects of one field": '{"a":1}',
    "integers": "1234567",
    "empty strings": '""',
    "short strings": '"ab"',
}
TEXTS = {"letters": "x", "escapes": "\\u00e9", "quotes": '\\"'}
HERE = "put-it-here"


def hostile_bodies(operation, size):
    """
    Yield the names of invalid bodies of an operation, and functions that create them.
    """
    for name, value in VALUES.items():
        yield f"a list of {name}", partial(filled, "[", value, "]", size)
        unknown = partial(filled, '{"a":[', value, "]}", size)
        yield f"an unknown list of {name}", unknown
    yield "lists that do not end", lambda: b"[" * size
    yield "objects that do not end", lambda: b'{"a":' * (size // 5)
    yield "unknown fields", partial(numbered, '{"a":1', ',"{:x}":{}', "}", size)
    yield "one field again and again", partial(filled, "{", '"a":1', "}", size)
    yield "a long number", partial(filled, "[1", "1", "]", size, "")
    example = example_of(operation)
    for name in example:
        before, _, after = json.dumps(example | {name: HERE}).partition(HERE)
        for kind, part in TEXTS.items():
            text = partial(filled, before, part, after, size, "")
            yield f"{name} of {kind}", text
        # With one such character in it, a text takes four bytes for each.
        emoji = f"{before}\N{GRINNING FACE}"
        yield f"{name} with an emoji", partial(filled, emoji, "x", after, size, "")
    for path in list_paths(operation):
        name = "/".join(map(str, path))
        before, _, after = with_list(example, path).partition(json.dumps(HERE))
        before, after = f"{before}[", f"]{after}"
        for kind, value in VALUES.items():
            yield f"{name} of {kind}", partial(filled, before, value, after, size)
        if items := at(example, path):
            item = json.dumps(items[0])
            yield f"{name} again and again", partial(filled, before, item, after, size)


def large_import():
    """Return a valid request with the maximum number of documents of an import."""
    numbers = range(10_000)
    documents = [
        {"path": f"{'a' * 200}/{number}.md", "slug": f"d{number}", "position": 1}
        | {"isNumbered": False, "title": "A" * 200, "sha256": f"{number:064x}"}
        | {"aliases": [f"/old/{number}/"]}
        for number in numbers
    ]
    files = [{"name": f"{n}.png", "sha256": f"{n:064x}", "size": 1} for n in numbers]
    lists = {"documents": documents, "files": files}
    lists["skippedPaths"] = [f"{number}.txt" for number in numbers]
    return json.dumps({"tree": "docs", "collection": "guides"} | lists).encode()


def filled(before, part, after, size, separator=","):
    """Return JSON of at most this size, with the part as often as it fits."""
    room = size - len(before.encode()) - len(after.encode()) + len(separator)
    count = max(room // len(part + separator), 1)
    parts = part + (separator + part) * (count - 1)
    return (before + parts + after).encode()


def numbered(before, part, after, size):
    """Return the text with its number in each part."""
    count = size // (len(part.format(0, 0)) + 5)
    parts = "".join(part.format(number, "1") for number in range(count))
    return (before + parts + after).encode()


def example_of(operation):
    """The example of a request in the OpenAPI document."""
    described = DESCRIBED["paths"][operation.path]["post"]
    return described["requestBody"]["content"]["application/json"]["example"]


def list_paths(operation):
    """Return the path of each list in the body; the first item represents all."""
    if operation.request is None:
        return []
    name = operation.request.__name__
    return sorted(set(_lists(DESCRIBED["components"]["schemas"][name], ())), key=str)


def _lists(schema, path):
    if "$ref" in schema:
        schema = DESCRIBED["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for choice in schema.get("anyOf", ()):
        yield from _lists(choice, path)
    if schema.get("type") == "array":
        yield path
        yield from _lists(schema["items"], (*path, 0))
    for name, field in schema.get("properties", {}).items():
        yield from _lists(field, (*path, name))


def with_list(example, path):
    """Return the JSON of the example with HERE in the place of a list."""
    example = json.loads(json.dumps(example))
    place = example
    for part, after in pairwise(path):
        if isinstance(place, list) and not place:
            place.append({})
        elif isinstance(place, dict) and part not in place:
            place[part] = [] if after == 0 else {}
        place = place[part]
    place[path[-1]] = HERE
    return json.dumps(example)


def at(example, path):
    """Return the value at the path, None if there is none."""
    for part in path:
        is_there = part in example if isinstance(example, dict) else example
        if not is_there:
            return None
        example = example[part]
    return example


def uuid(number):
    return str(UUID(int=number))
