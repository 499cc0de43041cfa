"""The OpenAPI document: a golden file, and consistent."""

import gzip
import json
from dataclasses import replace

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from api.http import application
from api.openapi.document import openapi_document
from api.operation import OPERATIONS
from models.runtime.release import VERSION
from tests.samples.openapi_document import DESCRIBED


@pytest.fixture(scope="module")
def openapi():
    return DESCRIBED


def operations(openapi):
    return [each for path in openapi["paths"].values() for each in path.values()]


def values_of(name, node):
    """Return every value of this key, at any depth."""
    if isinstance(node, dict):
        found = [node[name]] if name in node else []
        return found + [v for each in node.values() for v in values_of(name, each)]
    if isinstance(node, list):
        return [v for each in node for v in values_of(name, each)]
    return []


def test_contract(openapi, golden):
    """Every change of the contract shows in the diff of the golden file."""
    golden("openapi.json", json.dumps(openapi, indent=2, ensure_ascii=False) + "\n")


def test_served(app, openapi):
    """The served document is the one generated from the declarations."""
    assert app.test_client().get("/openapi.json").json == openapi


def test_site_below_a_path(store, settings, clock, openapi):
    """The documentation links of operations lead to the site, below its path."""
    below = replace(settings, site_url="https://example.com/docs/v2")
    app = application.create_app(below, clock=clock)

    served = app.test_client().get("/openapi.json").json

    links, before = (
        sorted(link["url"] for link in values_of("externalDocs", each))
        for each in (served, openapi)
    )
    assert links == [f"/docs/v2{link}" for link in before]
    assert served["servers"] == openapi["servers"]


def test_made_once(app, openapi, monkeypatch):
    """
    The document is generated once, for the first request; later responses are the same
    bytes, compressed if the client accepts that, and a 304 if it has them.
    """
    client = app.test_client()
    first = client.get("/openapi.json")
    monkeypatch.setattr(application, "openapi_document", None)

    plain = client.get("/openapi.json")
    packed = client.get("/openapi.json", headers={"Accept-Encoding": "br, gzip"})

    assert plain.data == first.data == gzip.decompress(packed.data)
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.content_length == len(packed.data) < len(plain.data) / 10
    assert {each.headers["Vary"] for each in (plain, packed)} == {"Accept-Encoding"}
    assert plain.headers["ETag"] != packed.headers["ETag"]
    for encoding, each in (("", plain), ("gzip", packed)):
        known = {"If-None-Match": each.headers["ETag"], "Accept-Encoding": encoding}
        again = client.get("/openapi.json", headers=known)
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == each.headers["ETag"]


def test_equal_each_time(openapi):
    """Equal declarations give an equal document, including its order."""
    assert json.dumps(openapi_document("Masthead", VERSION)) == json.dumps(openapi)


def test_others_take_it(openapi):
    """An independent validator finds no error."""
    assert list(OpenAPIV31SpecValidator(openapi).iter_errors()) == []


def test_every_operation_stands_in_it(openapi):
    """Every operation is described once, under a unique name."""
    ids = [each["operationId"] for each in operations(openapi)]

    assert len(ids) == len(set(ids)) == len(OPERATIONS)


def test_references_resolve(openapi):
    """Every reference resolves, and every component is referenced."""
    parts = openapi["components"]

    for kind in ("schemas", "headers"):
        place = f"#/components/{kind}/"
        found = [each for each in values_of("$ref", openapi) if each.startswith(place)]
        assert {each.removeprefix(place) for each in found} == parts[kind].keys()
    assert parts.keys() == {"schemas", "headers", "securitySchemes"}


def test_answers(openapi):
    """
    Each operation has a schema for its data and for its problems; a 304 has no body.
    """
    for each in operations(openapi):
        for status, answer in each["responses"].items():
            if status == "304":
                assert answer.keys() == {"description", "headers"}
                continue
            (kind,) = answer["content"]
            if status == "200" and each["x-scope"] == "projects:files:content":
                assert kind == "*/*"
                continue
            assert kind == f"application/{'' if status == '200' else 'problem+'}json"
            if status == "200":
                assert "data" in answer["content"][kind]["schema"]["required"]


def test_parameters(openapi):
    """Parameters are in the query or a header, each with a schema and a unique name."""
    assert not [path for path in openapi["paths"] if "{" in path]
    for each in operations(openapi):
        names = [(p["in"], p["name"]) for p in each["parameters"]]
        assert {place for place, _ in names} <= {"query", "header"}
        assert len(names) == len(set(names))
        assert all(p["schema"] for p in each["parameters"])


def test_parameter_of_several_shapes(openapi):
    """A parameter that is an id or a word is described as both, and never as null."""
    listed = openapi["paths"]["/projects/v1/work-items/list"]["get"]["parameters"]
    [found] = [each for each in listed if each["name"] == "milestoneId"]

    kinds = [each["type"] for each in found["schema"]["anyOf"]]
    assert kinds == ["string", "string"]


def test_bodies(openapi):
    """A POST describes its body; a GET has none."""
    for path in openapi["paths"].values():
        assert "requestBody" not in path.get("get", {})
        assert all(
            each["requestBody"]["required"] for m, each in path.items() if m == "post"
        )


def test_objects_are_closed(openapi):
    """Schemas of bodies exclude unknown members, as the API does."""
    for each in operations(openapi):
        content = each.get("requestBody", {"content": {}})["content"]
        if "application/json" in content:
            ref = content["application/json"]["schema"]["$ref"]
            schema = openapi["components"]["schemas"][ref.rsplit("/", 1)[-1]]
            assert schema["additionalProperties"] is False


def test_document_of_the_server(settings, clock):
    """Server processes serve the shared document as it is and do not generate it."""
    shared = {"openapi": "3.1.0", "info": {"title": "Shared"}}
    app = application.create_app(settings, clock=clock, load_openapi=lambda: shared)

    assert app.test_client().get("/openapi.json").json == shared
