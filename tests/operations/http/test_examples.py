"""The OpenAPI document's examples and statements of each operation are true."""

import json

import pytest
from openapi_schema_validator import OAS31Validator

from api.openapi.schemas import all_schemas, query_schema
from tests.conftest import ROUTES
from tests.samples.openapi_document import DESCRIBED

every = pytest.mark.parametrize("route", sorted(ROUTES))
BOUNDS = {"ge", "gt", "le", "lt"}


def described(route):
    method, path = route.split(" ")
    return DESCRIBED["paths"][path][method.lower()]


def answers_json(route):
    """Return whether a response is JSON, and not the bytes of a file."""
    return "application/json" in described(route)["responses"]["200"]["content"]


def content_of(described_body):
    return described_body["content"]["application/json"]


def fits(schema, value):
    """Return whether a value matches a schema of the document."""
    whole = {**schema, "components": DESCRIBED["components"]}
    return OAS31Validator(whole).is_valid(value)


def as_query(value):
    if isinstance(value, list):
        return ",".join(value)
    return value if isinstance(value, str) else json.dumps(value)


@every
def test_request(route):
    """The example of a request is valid for its schema and for the operation."""
    result, request = described(route), ROUTES[route].request
    if "requestBody" in result and ROUTES[route].read_upload is None:
        body = content_of(result["requestBody"])
        assert fits(body["schema"], body["example"])
        request.model_validate_json(json.dumps(body["example"]), by_name=False)
    shown = [each for each in result["parameters"] if "example" in each]
    assert all(fits(each["schema"], each["example"]) for each in shown)
    if request and route.startswith("GET"):
        query = {each["name"]: as_query(each["example"]) for each in shown}
        request.model_validate(query, by_name=False)


@pytest.mark.parametrize("route", [r for r in sorted(ROUTES) if answers_json(r)])
def test_answer(route):
    """The example of a response is valid for its schema and for the operation."""
    answer = content_of(described(route)["responses"]["200"])

    assert fits(answer["schema"], answer["example"])
    sent_data = json.dumps(answer["example"]["data"])
    ROUTES[route].response_adapter.validate_json(sent_data, by_alias=True)


@pytest.mark.parametrize("noun", ["documents", "specifications"])
def test_what_was_made(noun):
    """A created object has the values of the request, and defaults for the others."""
    result = described(f"POST /projects/v1/{noun}/create")
    sent = content_of(result["requestBody"])["example"]
    made = content_of(result["responses"]["200"])["example"]["data"]

    assert made["version"] == 1
    assert sent.items() <= made.items()
    shown = {name: made[name] for name in ("summary", "position") if name in made}
    assert shown.items() <= sent.items()


@every
def test_problems(route):
    """The problems listed for an operation are among its responses."""
    result = described(route)

    kinds = {
        k for each in result["responses"].values() for k in each.get("x-problems", ())
    }
    assert kinds >= set(result["x-problems"])
    assert {each.kind for each in ROUTES[route].errors} <= set(result["x-problems"])


def test_every_field_is_described():
    """Each field has a description, and examples have only existing fields."""
    schemas = all_schemas() | {r: query_schema(ROUTES[r]) for r in ROUTES}
    del schemas["Problem"]

    for name, schema in schemas.items():
        fields = schema["properties"]
        assert [f for f in fields if not fields[f].get("description")] == [], name
        assert set(schema.get("exampleFields", ())) <= fields.keys(), name


def test_bounds_are_those_of_json_schema():
    """
    Every bound is expressed in JSON Schema, because clients do not know pydantic's.
    """
    assert not BOUNDS.intersection(_names_in(DESCRIBED["components"]["schemas"]))
    assert not BOUNDS.intersection(_names_in(DESCRIBED["paths"]))


def _names_in(node):
    if isinstance(node, dict):
        yield from node
        node = [*node.values()]
    if isinstance(node, list):
        for each in node:
            yield from _names_in(each)


def test_addresses_in_the_reference():
    """Each operation has its own anchor on the reference page of its noun."""
    hrefs = [described(route)["externalDocs"]["url"] for route in ROUTES]
    pages = {tag["externalDocs"]["url"] for tag in DESCRIBED["tags"]}

    assert len(set(hrefs)) == len(hrefs)
    assert {href.partition("#")[0] for href in hrefs} == pages
    assert "/reference/status/incidents/#add" in hrefs
    assert "/reference/status/services/#admin-list" in hrefs
    assert "/reference/platform/developer-keys/#rotate" in hrefs
