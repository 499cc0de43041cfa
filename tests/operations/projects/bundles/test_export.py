"""Exporting projects over HTTP."""

import json

import pytest

from tests.factories.full_project import PURGE_COUNTS, make_full
from tests.factories.projects import CONTRIBUTOR, MAINTAINER, OWNER, STRANGER

IMPORT = "POST /projects/v1/admin/projects/import"
EXPORT = "GET /projects/v1/projects/export"
WORD = "quillfeather"


@pytest.fixture
def full(store, clock):
    return make_full(clock.now, WORD)


def test_export(export, full):
    """An export has all of the project, and only ids of others."""
    bundle = export(full.project.id)

    assert (bundle["format"], bundle["version"]) == ("projects-bundle", 1)
    assert bundle["exportedAt"] == "2026-03-01T12:00:00.000Z"
    assert bundle["project"]["slug"] == "atlas"
    lists = {name: len(each) for name, each in bundle.items() if isinstance(each, list)}
    same = PURGE_COUNTS.keys() & lists.keys()
    assert {name: lists[name] for name in same - {"labels"}} == {
        name: PURGE_COUNTS[name] for name in same - {"labels"}
    }
    marked = {each["name"]: each["global"] for each in bundle["labels"]}
    assert marked == {WORD: False, "plain": True}
    assert len(bundle["relationships"]) == 2
    assert full.neighbour.id not in json.dumps(bundle)


def test_export_is_what_reads_tell(api, export, full):
    """An export has the shapes of the API's reads."""
    bundle = export(full.project.id)

    for noun, kind, row in (
        ("work-items", "work", full.item),
        ("specifications", "specifications", full.specification),
        ("documents", "documents", full.document),
        ("comments", "comments", full.comment),
        ("references", "references", full.reference),
        ("milestones", "milestones", full.milestone),
    ):
        read = api(f"GET /projects/v1/{noun}/get", {"id": row.id}).json["data"]
        # A document's path is more than a read has.
        assert any(each | read == each for each in bundle[kind])


def test_export_without_activity(export, full):
    """The activity may be left out."""
    assert export(full.project.id, activity="false")["activity"] == []


def test_export_of_too_much(api, full, monkeypatch, refusal):
    """
    A bundle that is too large to import is not exported, before and after it is read.
    """
    size = len(api(EXPORT, {"id": full.project.id}).data)
    for most in (4096 + 100, 4096 + size - 20):
        monkeypatch.setattr("models.projects.bundles.export.MAX_BUNDLE_BYTES", most)

        response = api(EXPORT, {"id": full.project.id})

        assert response.status_code == 413
        assert refusal(response, "payload-too-large")["limitBytes"] == most - 4096
    monkeypatch.setattr("models.projects.bundles.export.MAX_BUNDLE_BYTES", 4096 + size)
    assert api(EXPORT, {"id": full.project.id}).status_code == 200


def test_export_of_too_many_items(api, export, full, monkeypatch, refusal):
    """More items than an import accepts are not exported."""
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


def test_who_may_export(api_as, full, refusal):
    """A maintainer may export, archived projects too; an unknown project is a 404."""
    for account in (CONTRIBUTOR, STRANGER):
        response = api_as(account, EXPORT, {"id": full.project.id})
        assert refusal(response, "role-required")["requiredRole"] == "maintainer"
    api_as(OWNER, "POST /projects/v1/projects/remove", {"id": full.project.id})

    response = api_as(MAINTAINER, EXPORT, {"id": full.project.id})

    assert response.json["data"]["project"]["archivedAt"]
    refusal(api_as(OWNER, EXPORT, {"id": OWNER}), "project-not-found")
