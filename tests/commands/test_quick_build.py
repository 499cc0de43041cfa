"""A build with nothing to do is known at a glance; whatever may be is looked at."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest

from models import changes
from models.settings import Settings
from models.storage.database import writing
from sitegen.builder.up_to_date import BUILD_RECORD, up_to_date_report
from sitegen.commands import build
from tests.commands.conftest import ROOT
from tests.nightly import every_nth

# What only the API needs, and a client of HTTP.
UNSEEN = ["api.operation", "flask", "http.client"]


@pytest.fixture
def site(tmp_path, command):
    """A built site of one document, whose link leads nowhere."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/first.md").write_text("# First\n\nSee [all](gone.md).\n")
    command("docs", "import", "tree", "--collection", "guides", "--publish")
    command("build")
    return tmp_path / "output"


@pytest.fixture
def settings(tmp_path, address):
    """The settings of that site."""
    output = str(tmp_path / "output")
    return Settings(database=address, output=output, log_level="error")


@pytest.fixture
def looked(monkeypatch):
    """Whether the builds after this looked at every page."""
    found = []
    run = build.build_site
    monkeypatch.setattr(build, "build_site", lambda *a: (found.append(1), run(*a))[1])
    return found


def test_nothing_to_do(command, site, looked):
    """It says what a build of every page would: the files, and the broken links."""
    code, out, err = command("build")

    files = [each for each in site.rglob("[!.]*") if each.is_file()]
    shown = [each for each in files if each.parent.name != "builds"]
    assert (code, looked) == (0, [])
    # The manifest does not count itself.
    assert out.startswith(f"written 0, unchanged {len(shown) - 1}, removed 0, seconds")
    assert err == "warning: guides/first (first.md): nothing is at gone.md\n"


def gone(site):
    (site / "guides/first/index.html").unlink()


def cut(site):
    (site / "guides/first.md").write_text("Short.")


def noted(name):
    def altered(site):
        (site / name).write_text("{}")

    return altered


def forgotten(site):
    next((site / "builds").iterdir()).unlink()


def broken_off(site):
    (site / ".masthead.unfinished").touch()


def never(site):
    (site / BUILD_RECORD).unlink()


@pytest.mark.parametrize(
    "harmed",
    every_nth(
        [
            *(gone, cut, forgotten, broken_off, never),
            *map(noted, ["build.json", "manifest.json", BUILD_RECORD]),
        ],
        2,
    ),
)
def test_harm_is_mended(command, site, looked, harmed):
    """Files that are gone or of another length come back, as by any build."""
    right = {p: p.read_bytes() for p in site.rglob("*") if p.is_file()}
    harmed(site)

    command("build")

    assert looked == [1]
    mended = {p: p.read_bytes() for p in right if p.name != BUILD_RECORD}
    if harmed is not forgotten:
        assert mended == {p: right[p] for p in mended}
    assert (site / BUILD_RECORD).exists()
    command("build")
    assert looked == [1]


def test_write_is_shown(command, site, looked):
    """What was written since is built, although no file is other than it was."""
    with writing():
        changes.mark("docs")

    command("build")

    assert looked == [1]


def test_other_history_is_shown(command, site, looked, keeping, address):
    """A database that came to the same number by another way is another one."""
    with keeping.elsewhere(address) as other:
        other.execute(
            "INSERT INTO audit (area, id, actor, action, target_type, target_id, at,"
            " link) VALUES ('projects', 'x', 'a', 'b', 'c', 'd', 0, 'other')"
        )

    command("build")

    assert looked == [1]


def test_other_database(command, site, looked, keeping, address, beside, monkeypatch):
    """A copy is another database, although it says the same: it may go its own way."""
    keeping.at_rest()
    keeping.copy(address, copy := beside("copy.db"))

    monkeypatch.setenv("MASTHEAD_DATABASE", copy)
    command("build")

    assert looked == [1]


@pytest.mark.parametrize(
    "name", ["MASTHEAD_SITE_NAME", "MASTHEAD_TEMPLATES", "MASTHEAD_FRESHNESS_SECONDS"]
)
def test_other_settings_are_shown(command, site, looked, monkeypatch, tmp_path, name):
    """Settings and looks are part of what pages are made of."""
    (tmp_path / "77").mkdir()
    monkeypatch.setenv(name, "77")

    command("build")

    assert looked == [1]


def test_own_template_is_shown(command, site, looked, monkeypatch, tmp_path):
    """So is what stands in the folder of templates."""
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("MASTHEAD_TEMPLATES", "own")
    command("build")
    command("build")
    assert looked == [1]

    (tmp_path / "own/404.html").write_text("Nothing here.")
    command("build")

    assert looked == [1, 1]
    assert (site / "404.html").read_text() == "Nothing here."


def test_other_sites_are_shown(command, site, looked, monkeypatch, tmp_path):
    """So is the file of the sites that a menu leads to."""
    here = {"name": "2.x", "url": "https://example.com", "version": "2"}
    file = tmp_path / "sites.json"
    file.write_text(json.dumps([here]))
    monkeypatch.setenv("MASTHEAD_SITE_URL", here["url"])
    monkeypatch.setenv("MASTHEAD_SWITCHER", str(file))
    command("build")
    command("build")
    assert looked == [1]

    file.write_text(json.dumps([here, here | {"name": "1.x", "url": "http://old"}]))
    command("build")

    assert looked == [1, 1]
    assert "http://old/" in (site / "404.html").read_text()


def test_instant_at_which_pages_change(site, settings):
    """It holds until then and not beyond; nothing else is waited for but midnight."""
    until = datetime.fromtimestamp(
        json.loads((site / BUILD_RECORD).read_text())["until"], UTC
    )

    assert up_to_date_report(settings, until - timedelta(seconds=1)) is not None
    assert up_to_date_report(settings, until) is None


def test_failed_build_is_tried_again(command, site, looked, monkeypatch, tmp_path):
    """A site that lacks a page is never at rest."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/404.html").write_text("{{ nothing }}")
    monkeypatch.setenv("MASTHEAD_TEMPLATES", "own")

    codes = [command("build")[0] for _ in range(2)]

    assert (codes, looked) == ([1, 1], [1, 1])


def test_full_build_is_one(command, site, looked):
    """--full makes every page again, whatever stands."""
    command("build", "--full")

    assert looked == [1]


@pytest.mark.parametrize(
    ("words", "spared"),
    [
        (["build"], ["argparse", "jinja2", "markdown_it", "peewee", "pydantic"]),
        # Its OpenAPI document is that of the build before.
        (["build", "--full"], ["api.operation", "cryptography", "flask"]),
        (["docs", "import", "tree", "--collection", "guides"], [*UNSEEN, "jinja2"]),
        (["backup", "copy.db"], [*UNSEEN, "jinja2", "markdown_it"]),
        (["keys", "list"], ["api.projects", "flask", "jinja2", "markdown_it"]),
        (
            ["openapi"],
            ["apscheduler", "cryptography", "flask", "jinja2", "markdown_it"],
        ),
    ],
    ids=" ".join,
)
def test_little_is_loaded(site, words, spared):
    """What a command does not need is not even loaded: that takes a second."""
    code = f"""
import atexit, runpy, sys
sys.argv = ["app.py", *{words}]
atexit.register(lambda: print(set({spared}) & set(sys.modules)))
runpy.run_path("{ROOT}/app.py", run_name="__main__")
"""

    ran = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
        text=True,
    )

    assert ran.stdout.splitlines()[-1] == "set()"
