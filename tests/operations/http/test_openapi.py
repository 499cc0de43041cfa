"""The OpenAPI document: a golden file, and sound in itself."""

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
def told():
    return DESCRIBED


def operations(told):
    return [each for path in told["paths"].values() for each in path.values()]


def values_of(name, node):
    """Every value that stands under this name, however deep."""
    if isinstance(node, dict):
        found = [node[name]] if name in node else []
        return found + [v for each in node.values() for v in values_of(name, each)]
    if isinstance(node, list):
        return [v for each in node for v in values_of(name, each)]
    return []


def test_contract(told, golden):
    """A change of the contract is a line in a diff."""
    golden("openapi.json", json.dumps(told, indent=2, ensure_ascii=False) + "\n")


def test_served(app, told):
    """What is served is what the declarations say."""
    assert app.test_client().get("/openapi.json").json == told


def test_site_below_a_path(store, settings, clock, told):
    """Operations are described on pages of the site, wherever that is."""
    below = replace(settings, site_url="https://example.com/docs/v2")
    app = application.create_app(below, clock=clock)

    served = app.test_client().get("/openapi.json").json

    links, before = (
        sorted(link["url"] for link in values_of("externalDocs", each))
        for each in (served, told)
    )
    assert links == [f"/docs/v2{link}" for link in before]
    assert served["servers"] == told["servers"]


def test_made_once(app, told, monkeypatch):
    """
    It is described for the first request alone; others get the same bytes, compressed
    where they are taken so, and nothing where they have them already.
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
    for taken, each in (("", plain), ("gzip", packed)):
        known = {"If-None-Match": each.headers["ETag"], "Accept-Encoding": taken}
        again = client.get("/openapi.json", headers=known)
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == each.headers["ETag"]


def test_equal_each_time(told):
    """Equal declarations give an equal document, order included."""
    assert json.dumps(openapi_document("Masthead", VERSION)) == json.dumps(told)


def test_others_take_it(told):
    """An outside judge finds nothing wrong with it."""
    assert list(OpenAPIV31SpecValidator(told).iter_errors()) == []


def test_every_operation_stands_in_it(told):
    """All that can be asked is described, once and by a name of its own."""
    ids = [each["operationId"] for each in operations(told)]

    assert len(ids) == len(set(ids)) == len(OPERATIONS)


def test_references_resolve(told):
    """Every reference leads to a part, and every part is led to."""
    parts = told["components"]

    for kind in ("schemas", "headers"):
        place = f"#/components/{kind}/"
        found = [each for each in values_of("$ref", told) if each.startswith(place)]
        assert {each.removeprefix(place) for each in found} == parts[kind].keys()
    assert parts.keys() == {"schemas", "headers", "securitySchemes"}


def test_answers(told):
    """Each operation gives data, and problems for what it refuses; 304 says no more."""
    for each in operations(told):
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


def test_parameters(told):
    """They stand in the query or a header, each with a schema and one name."""
    assert not [path for path in told["paths"] if "{" in path]
    for each in operations(told):
        names = [(p["in"], p["name"]) for p in each["parameters"]]
        assert {place for place, _ in names} <= {"query", "header"}
        assert len(names) == len(set(names))
        assert all(p["schema"] for p in each["parameters"])


def test_parameter_of_several_shapes(told):
    """What may be an id or a word is described as both, and never as null."""
    listed = told["paths"]["/projects/v1/work-items/list"]["get"]["parameters"]
    [found] = [each for each in listed if each["name"] == "milestoneId"]

    kinds = [each["type"] for each in found["schema"]["anyOf"]]
    assert kinds == ["string", "string"]


def test_bodies(told):
    """A POST says what it takes, a GET has no body."""
    for path in told["paths"].values():
        assert "requestBody" not in path.get("get", {})
        assert all(
            each["requestBody"]["required"] for m, each in path.items() if m == "post"
        )


def test_objects_are_closed(told):
    """A body with an unknown member is refused, and the schema says so."""
    for each in operations(told):
        content = each.get("requestBody", {"content": {}})["content"]
        if "application/json" in content:
            ref = content["application/json"]["schema"]["$ref"]
            schema = told["components"]["schemas"][ref.rsplit("/", 1)[-1]]
            assert schema["additionalProperties"] is False


def test_document_of_the_server(settings, clock):
    """What the processes of a server share is served as it is, and not created."""
    shared = {"openapi": "3.1.0", "info": {"title": "Shared"}}
    app = application.create_app(settings, clock=clock, load_openapi=lambda: shared)

    assert app.test_client().get("/openapi.json").json == shared
