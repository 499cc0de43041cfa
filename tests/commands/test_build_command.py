"""`app.py build` brings the whole site up to date, and reports what it did."""

import json

import pytest

from tests.nightly import every_nth


@pytest.fixture
def site(tmp_path, command):
    """The output folder of a site with one document, which has a broken link."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/first.md").write_text("# First\n\nSee [all](gone.md).\n")
    command("docs", "import", "tree", "--collection", "guides", "--publish")
    command("build")
    return tmp_path / "output"


def test_build_without_changes(command, site):
    """A build without changes counts the files, and repeats the warnings."""
    code, out, err = command("build")

    files = [path for path in site.rglob("[!.]*") if path.is_file()]
    pages = [path for path in files if path.parent.name != "builds"]
    assert code == 0
    # The manifest does not list itself.
    assert out.startswith(f"written 0, unchanged {len(pages) - 1}, removed 0, seconds")
    assert err == "warning: guides/first (first.md): nothing is at gone.md\n"
    assert command("build", "--strict")[0] == 1


def remove_page(site):
    (site / "guides/first/index.html").unlink()


def truncate_page(site):
    (site / "guides/first.md").write_text("Short.")


def replace_manifest(site):
    (site / "manifest.json").write_text("{}")


def replace_live_state(site):
    (site / "build.json").write_text("{}")


def interrupt_build(site):
    (site / ".masthead.unfinished").touch()


@pytest.mark.parametrize(
    "damage",
    every_nth(
        [
            remove_page,
            truncate_page,
            replace_manifest,
            replace_live_state,
            interrupt_build,
        ],
        2,
    ),
)
def test_damaged_files_are_repaired(command, site, damage):
    """Missing files, and those of another size, are written again."""
    before = {p: p.read_bytes() for p in site.rglob("[!.]*") if p.is_file()}
    damage(site)

    command("build")

    assert {p: p.read_bytes() for p in before} == before


def test_other_site_name(command, site, monkeypatch):
    """Pages are rebuilt after a change of a setting that every page shows."""
    monkeypatch.setenv("MASTHEAD_SITE_NAME", "Other name")

    command("build")

    assert "Other name" in (site / "guides/first/index.html").read_text()


def test_own_template(command, site, monkeypatch, tmp_path):
    """Pages are rebuilt after a change of the operator's own templates."""
    (tmp_path / "own").mkdir()
    monkeypatch.setenv("MASTHEAD_TEMPLATES", "own")
    (tmp_path / "own/404.html").write_text("Nothing here.")

    command("build")

    assert (site / "404.html").read_text() == "Nothing here."


def test_other_sites(command, site, monkeypatch, tmp_path):
    """Pages depend on the file of the sites that a menu links to."""
    here = {"name": "2.x", "url": "https://example.com", "version": "2"}
    old = here | {"name": "1.x", "url": "http://old"}
    (tmp_path / "sites.json").write_text(json.dumps([here, old]))
    monkeypatch.setenv("MASTHEAD_SITE_URL", here["url"])
    monkeypatch.setenv("MASTHEAD_SWITCHER", str(tmp_path / "sites.json"))

    command("build")

    assert "http://old/" in (site / "404.html").read_text()


def test_failed_page(command, site, monkeypatch, tmp_path):
    """A build with a page that fails exits with 1, as does the next."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/404.html").write_text("{{ nothing }}")
    monkeypatch.setenv("MASTHEAD_TEMPLATES", "own")

    codes = [command("build")[0] for _ in range(2)]

    assert codes == [1, 1]
