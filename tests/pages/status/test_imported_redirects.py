"""Imported status pages redirect from their old addresses."""

from pathlib import Path

import pytest

from models.changes import behind
from models.status.importers.imported_rows import ImportedRow
from models.status.importers.page_formats import parse_status_page, status_page_files
from models.status.importers.status_import import import_status_page
from models.status.incidents.incidents import IncidentRow
from models.storage.database import writing
from tests.factories.status import ADD_SERVICE, REMOVE, REMOVE_INCIDENT, UPDATE_SERVICE

ELSEWHERE = Path(__file__).parents[2] / "elsewhere"


@pytest.fixture
def arrive(clock, build_site):
    def arrived(name):
        import_status_page(
            parse_status_page(status_page_files(ELSEWHERE / name)), clock.now
        )
        return build_site()

    return arrived


@pytest.mark.parametrize("name", ["statuspage", "cstate", "upptime"])
def test_every_old_address(arrive, app, output, name):
    """
    A rule redirects each old address to a page, on this server and on static hosts.
    """
    arrive(name)
    client = app.test_client()
    rows = [row for row in ImportedRow if row.address]

    assert rows
    for row in rows:
        for end in ("", "/"):
            answer = client.get(row.address + end)
            assert answer.status_code == 301
            there = client.get(answer.headers["Location"], buffered=True)
            assert there.status_code == 200
        page = (output / f"{row.address.strip('/')}/index.html").read_text()
        assert f'<a href="{answer.headers["Location"]}">' in page
        assert '<meta name="robots" content="noindex">' in page


def test_second_build(arrive, build_site):
    """A second build writes none of it again."""
    arrive("statuspage")

    assert build_site().written == []


def test_name_of_today(arrive, build_site, output):
    """The page at the old address has the current title of the incident."""
    arrive("statuspage")
    row = ImportedRow.get(ImportedRow.old == "t5h1q0b6zz3c")
    with writing():
        IncidentRow.update(title="Lost & found").where(
            IncidentRow.id == row.subject
        ).execute()

    build_site()

    page = (output / "incidents/t5h1q0b6zz3c/index.html").read_text()
    assert "Lost &amp; found" in page


@pytest.mark.parametrize("is_purged", [True, False])
def test_service_that_is_gone_and_returns(arrive, api, build_site, output, is_purged):
    """The old address of a service redirects to its page as long as it exists."""
    arrive("cstate")
    rules = output / "_redirects"
    shown = rules.read_text()

    api(REMOVE, {"slug": "shop", "purge": is_purged})

    assert "docs" in behind()
    build_site()
    assert not (output / "affected/shop").exists()
    assert (output / "affected/watering/index.html").is_file()
    assert "/affected/watering " in rules.read_text()
    assert "/affected/shop " not in rules.read_text()
    assert not (output / "_moved/affected/shop").exists()

    if is_purged:
        api(ADD_SERVICE, {"slug": "shop", "name": "Shop"})
    else:
        api(UPDATE_SERVICE, {"slug": "shop", "enabled": True})

    assert "docs" in behind()
    build_site()
    assert rules.read_text() == shown


def test_removed_incident(arrive, api, app, build_site):
    """The old address of a removed incident redirects to the page that says so."""
    arrive("statuspage")
    row = ImportedRow.get(ImportedRow.old == "t5h1q0b6zz3c")

    api(REMOVE_INCIDENT, {"id": row.subject})
    build_site()

    client = app.test_client()
    there = client.get(row.address).headers["Location"]
    assert client.get(there, buffered=True).status_code == 410
