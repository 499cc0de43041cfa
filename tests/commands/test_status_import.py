"""`app.py status import`: importing another status page."""

import json
import re
from pathlib import Path

import pytest

from models.status.importers.imported_rows import ImportedRow
from models.status.incidents.incidents import IncidentRow
from models.storage.database import database_exists

ELSEWHERE = Path(__file__).parents[1] / "elsewhere"
PAGE = ELSEWHERE / "statuspage"


def test_import(command):
    """
    Imported objects are listed and counted; one that is left out is a remark and exit
    1.
    """
    code, out, err = command("status", "import", PAGE)

    assert code == 1
    assert out.splitlines() == [
        "service: web-site",
        "service: berth-booking",
        "service: crane-control",
        "incident: Bookings were lost after midnight",
        "incident: Cranes answer late",
        "maintenance: Dredging of the network",
        "maintenance: New lanterns",
        "added 7, unchanged 0, left out 1",
    ]
    assert re.fullmatch(r"left out: n0thing00001: .*\.\n", err)


def test_import_again(command):
    """A second import adds nothing."""
    command("status", "import", PAGE)

    words = ("status", "import", PAGE, "--otherwise", "web-site")
    assert command(*words)[:2] == (
        0,
        "incident: A word about storms\nadded 1, unchanged 7, left out 0\n",
    )
    assert command(*words) == (0, "added 0, unchanged 8, left out 0\n", "")


def test_dry_run(command, address):
    """The report is the same, nothing is stored, and no instance is created."""
    code, out, _ = command("status", "import", PAGE, "--dry-run")

    assert code == 1
    assert out.endswith("left out 1\nThis was a dry run: nothing was imported.\n")
    assert not database_exists(address)


def test_dry_run_on_an_instance(command):
    """Nothing is stored in an existing instance either."""
    command("migrate")

    command("status", "import", PAGE, "--dry-run")

    assert IncidentRow.select().count() == ImportedRow.select().count() == 0


def test_json(command):
    """A script gets the whole report."""
    _, out, err = command("status", "import", PAGE, "--json")

    report = json.loads(out)
    assert err == ""
    assert report["source"] == "statuspage kq7w2m9x4t1b"
    assert len(report["added"]["incident"]) == 2
    assert report["left_out"][0][0] == "n0thing00001"


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("nowhere", "There is no folder nowhere."),
        (".", "No status page was found"),
        ("http://status.example", "must begin with https://"),
        ("ftp://127.0.0.1", "must begin with https://"),
        ("https://a:b@status.example", "is not the base URL"),
        ("https://[", "is not a valid URL"),
    ],
)
def test_mistake(command, source, sentence):
    """A mistake ends with a sentence."""
    code, out, err = command("status", "import", source)

    assert (code, out) == (2, "")
    assert err.startswith("masthead: ")
    assert sentence in err


def test_unknown_service(command):
    """Nothing is imported if the default service does not exist."""
    code, _, err = command("status", "import", PAGE, "--otherwise", "ghost")

    assert (code, err) == (2, "masthead: No service has the slug 'ghost'.\n")
    assert IncidentRow.select().count() == 0


def test_old_addresses_lead_on(command, tmp_path):
    """A page and a rule redirect from the incident's old address."""
    command("status", "import", PAGE)
    command("build")

    row = ImportedRow.get(ImportedRow.old == "t5h1q0b6zz3c")
    now = f"/status/incidents/{row.subject}/"
    page = (tmp_path / "output/incidents/t5h1q0b6zz3c/index.html").read_text()
    assert f'<a href="{now}">' in page
    rules = (tmp_path / "output/_redirects").read_text().splitlines()
    assert f"/incidents/t5h1q0b6zz3c {now} 301" in rules
    assert (tmp_path / f"output{now}index.html").is_file()
    assert command("check")[0] == 0
