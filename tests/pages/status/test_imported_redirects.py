"""What came from another status page is found where it stood there."""

from pathlib import Path

import pytest

from models.status.importers.imported_rows import ImportedRow
from models.status.importers.page_formats import parse_status_page, status_page_files
from models.status.importers.status_import import import_status_page
from models.status.incidents.incidents import IncidentRow
from models.status.services.catalogue import StatusRemoveService, remove_service
from models.storage.database import writing

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
    """A rule leads each to a page, for this server and for hosts that read rules."""
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
    """Nothing of it is made twice."""
    arrive("statuspage")

    assert build_site().written == []


def test_name_of_today(arrive, build_site, output):
    """The page at the old address has the title that the incident has now."""
    arrive("statuspage")
    row = ImportedRow.get(ImportedRow.old == "t5h1q0b6zz3c")
    with writing():
        IncidentRow.update(title="Lost & found").where(
            IncidentRow.id == row.subject
        ).execute()

    build_site()

    page = (output / "incidents/t5h1q0b6zz3c/index.html").read_text()
    assert "Lost &amp; found" in page


def test_purged_service(arrive, build_site, output, clock):
    """What is here no more has no page at its old address."""
    arrive("cstate")
    with writing():
        remove_service(StatusRemoveService(slug="shop", purge=True), clock.now)

    build_site()

    assert not (output / "affected/shop").exists()
    assert (output / "affected/watering/index.html").is_file()
