"""The manual's statements about sizes and several hosts match the measurements."""

import re

import yaml

from models.storage.engines.postgresql_leader import POLL_SECONDS
from sitegen.output.publishing.lease import EXPIRY_SECONDS
from tests.conventions.words import MANUAL, ROOT

PAGES = {words.path.stem: words for words in MANUAL}
BENCH = (ROOT / "bench/README.md").read_text(encoding="utf-8")
SIZES, HOSTS = PAGES["capacity-planning"], PAGES["multiple-servers"]
WATCHING = PAGES["monitoring"]
COMPOSE = (ROOT / "deploy/compose.yaml").read_text(encoding="utf-8")
SERVICES = yaml.safe_load(COMPOSE)["services"]
FRONT = (ROOT / "deploy/several.Caddyfile").read_text(encoding="utf-8")


def rows(text):
    return re.findall(r"^\| (.+?) \| (.+?) \|", text, re.MULTILINE)


def section(words, heading):
    return words.text.partition(f"## {heading}\n")[2].partition("\n## ")[0]


def test_figures_are_those_that_were_measured():
    """Each row about one machine is in bench/README.md, word by word."""
    measured = rows(BENCH)
    result = rows(section(SIZES, "Capacity of one machine"))[1:]

    assert len(result) >= 5
    assert set(result) <= set(measured)


def test_engines_are_compared_as_measured():
    """Each row that compares the engines is there too."""
    lines = section(SIZES, "SQLite and PostgreSQL compared").splitlines()
    result = [line for line in lines if line.startswith("| ")]

    assert len(result) >= 5
    assert set(result) <= set(BENCH.splitlines())


def test_signs_are_metrics():
    """Every sign that a machine is too small is explained among the metrics."""
    result = section(SIZES, "When to add capacity")
    named = set(re.findall(r"\b(?:masthead|process)_\w+", result))

    assert len(named) >= 5
    assert all(f"| `{name}` |" in WATCHING.text for name in named)


def test_services_of_the_compose_file():
    """Each service has its row, and commands name only existing ones."""
    result = section(HOSTS, "Docker Compose example")
    commands = re.findall(r"docker compose (?:exec|stop) (.+)", HOSTS.text)
    named = {word for line in commands for word in line.split() if "-" in word}

    assert {
        name for first, _ in rows(result) for name in re.findall(r"`(\S+?)`", first)
    } == set(SERVICES)
    assert {word for word in named if word[:2] != "--"} <= set(SERVICES)
    assert "every second" in result
    assert "health_interval 1s" in FRONT
    assert "/healthz" in FRONT


def test_role():
    """The statements that create the role are those of the compose file."""
    (shown,) = [block for block in HOSTS.blocks("text") if "CREATE ROLE" in block]

    role, made = shown.strip().split("\n")
    assert role.partition(" PASSWORD")[0] in COMPOSE
    assert made.rstrip(";") in COMPOSE


def test_times():
    """
    The times of a takeover, and of the validity of a claim, are those of the code.
    """
    assert "within ten seconds" in HOSTS.text
    assert 2 * POLL_SECONDS < 10
    assert "[two minutes]" in HOSTS.text
    assert EXPIRY_SECONDS == 120
