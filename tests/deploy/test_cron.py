"""The cron lines of the manual, compared with the systemd units."""

import os
import re
import subprocess
from typing import NamedTuple

import pytest

from models.storage.database import database_exists
from tests.conventions.words import MANUAL, ROOT

# The file that cron commands read, and no other.
PATH = "/usr/bin:/bin"
TIMES = re.compile(r"((?:[\d*/,-]+ ){4}[\d*/,-]+) ([a-z]+) (.+)")


class Entry(NamedTuple):
    page: str
    user: str
    command: str


ENTRIES = [
    Entry(words.path.stem, found[2], re.sub(r"\\%", "%", found[3]))
    for words in MANUAL
    for block in words.blocks("text")
    for line in block.splitlines()
    if (found := TIMES.fullmatch(line))
]
OURS = [each for each in ENTRIES if "app.py" in each.command]


def named(entries):
    return [pytest.param(each, id=each.page) for each in entries]


def in_units():
    """Return the commands of the units, without what only systemd needs."""
    for unit in ROOT.glob("deploy/*.service"):
        for found in re.findall(r"app\.py .*", unit.read_text()):
            yield found.rstrip("'").replace("%%", "%").replace("$$", "$")


def test_entries_are_found():
    """Import, backup and build, a custom probe, and the output of other tools."""
    assert len(OURS) == 3
    assert len(ENTRIES) == 6


@pytest.mark.parametrize("entry", named(ENTRIES))
def test_commands_are_found(entry):
    """Commands in cron's PATH have their names, others their whole paths."""
    for part in re.split(r"\||&&", entry.command):
        name = part.split()[0]
        is_built_in = name in ("cd", "set", ".")
        assert is_built_in or name == "curl" or name.startswith(("/", ".venv/"))


def test_same_as_the_units():
    """The timers run the same commands as cron."""
    ours = {each.command.rpartition(".venv/bin/python ")[2] for each in OURS}

    assert len(ours & {*in_units()}) == 2


@pytest.mark.parametrize("entry", named(OURS))
def test_account_and_folder(entry):
    """Account and folder are those of the service."""
    assert entry.user == "masthead"
    assert entry.command.startswith("cd /srv/masthead && ")


@pytest.fixture
def machine(tmp_path, beside):
    """The folders and files that the lines name, each at a place of its own."""
    places = {
        "/srv/masthead/backup": tmp_path / "backup",
        "/srv/masthead": ROOT,
        "/srv/handbook": tmp_path / "handbook",
        "/etc/masthead.env": tmp_path / "masthead.env",
    }
    (tmp_path / "backup").mkdir()
    (tmp_path / "handbook").mkdir()
    (tmp_path / "handbook/page.md").write_text("# Page\n\nWords.\n")
    (tmp_path / "masthead.env").write_text(
        f'MASTHEAD_SITE_NAME="Two words"\nMASTHEAD_OUTPUT={tmp_path / "output"}\n'
        f"MASTHEAD_DATABASE={beside('elsewhere.db')}\n"
    )
    return places


@pytest.mark.parametrize("entry", named(OURS))
def test_settings_are_read(entry, machine, tmp_path, beside):
    """A cron command uses the database of the service, and builds like the service."""
    command = entry.command
    for there, here in machine.items():
        command = command.replace(there, str(here))
    program = command.partition("app.py")[0] + "app.py"

    for each in (f"{program} migrate", command, f"{program} build"):
        subprocess.run(
            ["sh", "-c", each],
            env={"PATH": PATH, "HOME": os.environ.get("HOME", "/")},
            capture_output=True,
            check=True,
        )

    assert database_exists(beside("elsewhere.db"))
    assert "Two words" in (tmp_path / "output/index.html").read_text()
    is_copied = bool(list(tmp_path.glob("backup/masthead-[1-7].db")))
    assert is_copied == ("app.py backup" in entry.command)
