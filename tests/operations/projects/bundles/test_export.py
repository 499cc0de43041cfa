"""Exporting projects through HTTP."""

import json

import pytest

from tests.factories.full_project import HELD, make_full
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, OWNER, STRANGER

IMPORT = "POST /projects/v1/admin/projects/import"
EXPORT = "GET /projects/v1/projects/export"
WORD = "quillfeather"


@pytest.fixture
def full(store, clock):
    return make_full(clock.now, WORD)


def test_export(export, full):
    """It holds all of the project, and of others nothing but ids."""
    bundle = export(full.project.id)

    assert (bundle["format"], bundle["version"]) == ("projects-bundle", 1)
    assert bundle["exportedAt"] == "2026-03-01T12:00:00.000Z"
    assert bundle["project"]["slug"] == "atlas"
    lists = {name: len(each) for name, each in bundle.items() if isinstance(each, list)}
    same = HELD.keys() & lists.keys()
    assert {name: lists[name] for name in same - {"labels"}} == {
        name: HELD[name] for name in same - {"labels"}
    }
    marked = {each["name"]: each["global"] for each in bundle["labels"]}
    assert marked == {WORD: False, "plain": True}
    assert len(bundle["relationships"]) == 2
    assert full.neighbour.id not in json.dumps(bundle)


def test_export_is_what_reads_tell(api, export, full):
    """Things are told in the shapes in which they are read."""
    bundle = export(full.project.id)

    for noun, kind, thing in (
        ("work-items", "work", full.item),
        ("specifications", "specifications", full.specification),
        ("documents", "documents", full.document),
        ("comments", "comments", full.comment),
        ("references", "references", full.reference),
        ("milestones", "milestones", full.milestone),
    ):
        read = api(f"GET /projects/v1/{noun}/get", {"id": thing.id}).json["data"]
        assert read in bundle[kind]


def test_export_without_activity(export, full):
    """The feed may be left out."""
    assert export(full.project.id, activity="false")["activity"] == []


def test_export_of_too_much(api, full, monkeypatch, refusal):
    """More than an import would take is refused, before and after it is read."""
    size = len(api(EXPORT, {"id": full.project.id}).data)
    for most in (4096 + 100, 4096 + size - 20):
        monkeypatch.setattr("models.projects.bundles.export.MAX_BUNDLE_BYTES", most)

        response = api(EXPORT, {"id": full.project.id})

        assert response.status_code == 413
        assert refusal(response, "payload-too-large")["limitBytes"] == most - 4096
    monkeypatch.setattr("models.projects.bundles.export.MAX_BUNDLE_BYTES", 4096 + size)
    assert api(EXPORT, {"id": full.project.id}).status_code == 200


def test_export_of_too_many_items(api, export, full, monkeypatch, refusal):
    """What an import would not take is not exported."""
    bundle = export(full.project.id)
    body = {"slug": "copy", "ownerId": OWNER, "bundle": bundle}
    items = sum(len(part) for part in bundle.values() if isinstance(part, list))
    monkeypatch.setattr("api.http.lazy_body.MAX_ITEMS", items)
    assert api(IMPORT, body).status_code == 200

    for name in ("api.http.lazy_body", "models.projects.bundles.export"):
        monkeypatch.setattr(f"{name}.MAX_ITEMS", items - 1)

    refusal(api(EXPORT, {"id": full.project.id}), "payload-too-large")
    problem = refusal(api(IMPORT, body | {"slug": "other"}), "validation-failed")
    assert problem["errors"][0]["pointer"] == "/bundle"
    assert problem["detail"].endswith(f"at most {items - 1} items in its lists.")


def test_who_may_export(acting, full, refusal):
    """A maintainer may, of an archived project too; what is not there is told."""
    for account in (CONTRIBUTOR, STRANGER):
        response = acting(account, EXPORT, {"id": full.project.id})
        assert refusal(response, "role-required")["requiredRole"] == "maintainer"
    acting(OWNER, "POST /projects/v1/projects/remove", {"id": full.project.id})

    response = acting(MAINTAINER, EXPORT, {"id": full.project.id})

    assert response.json["data"]["project"]["archivedAt"]
    refusal(acting(OWNER, EXPORT, {"id": OWNER}), "project-not-found")
