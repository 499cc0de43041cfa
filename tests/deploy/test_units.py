"""The systemd units, verified by systemd itself."""

import re
import subprocess
from configparser import ConfigParser

import pytest

from app import build_parser
from models.runtime.supervisor import STOP_SECONDS
from tests.deploy.conftest import DEPLOY, needed

UNITS = sorted(path.name for path in DEPLOY.glob("masthead*.*"))
SERVICES = [name for name in UNITS if name.endswith(".service")]


class Unit(ConfigParser):
    optionxform = staticmethod(str)


def read(name):
    unit = Unit(interpolation=None, strict=False)
    unit.read(DEPLOY / name)
    return unit


@pytest.mark.parametrize("name", UNITS)
def test_unit_is_understood(name, tmp_path):
    """systemd accepts every line; only the program may be elsewhere here."""
    text = (
        (DEPLOY / name)
        .read_text()
        .replace("/srv/masthead/.venv/bin/python", "/bin/true")
    )
    (tmp_path / name).write_text(text)
    if name.endswith(".timer"):
        service = name.replace(".timer", ".service")
        (tmp_path / service).write_text("[Service]\nExecStart=/bin/true\n")

    verify = [needed("systemd-analyze"), "verify", "--man=no", str(tmp_path / name)]
    verified = subprocess.run(verify, capture_output=True, text=True, check=False)

    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.parametrize("name", SERVICES)
def test_service_is_confined(name):
    """No service runs as root, and each writes only to its own folders."""
    service = read(name)["Service"]

    assert service["User"] == "masthead"
    assert service["ProtectSystem"] == "strict"
    assert all(
        path.startswith("/srv/masthead/") for path in service["ReadWritePaths"].split()
    )


@pytest.mark.parametrize("name", SERVICES)
def test_exposure_of_a_service(name):
    """
    systemd's exposure rating of each is at most 2 of 10, except for what it needs.
    """
    rate = [needed("systemd-analyze"), "security", "--offline=true", "--threshold=20"]

    rated = subprocess.run(
        [*rate, DEPLOY / name], capture_output=True, text=True, check=False
    )

    assert rated.returncode == 0, rated.stdout


@pytest.mark.parametrize("name", SERVICES)
def test_service_runs_a_command(name):
    """A unit starts an existing command with its required arguments."""
    _, words = read(name)["Service"]["ExecStart"].rstrip("'").split(" app.py ")
    words = re.sub(r"\$\$\(.*?\)", "1", words)

    assert build_parser().parse_args(words.split()).run


def test_processes_of_the_service():
    """Only the parent gets a signal, and has time to end the others."""
    unit = read("masthead.service")
    service = unit["Service"]

    assert service["KillMode"] == "mixed"
    assert int(service["TimeoutStopSec"]) > STOP_SECONDS
    assert service["OOMPolicy"] == "continue"
    assert service["Restart"] == "always"
    assert unit["Unit"]["StartLimitIntervalSec"] == "0"
