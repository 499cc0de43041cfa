"""The changes of each generation, for hosts that must purge their caches."""

import json

import pytest

from models.changes import mark
from models.storage.database import writing
from sitegen.output import generations
from sitegen.output.folder import OutputFolder
from sitegen.output.generations import FileChanges, record_generation
from sitegen.output.manifest import SHARED
from sitegen.page import GENERATORS, Page, PageGenerator

URL = "http://127.0.0.1:8000"


def generation_report(output, generation=None):
    """Return the published changes of a generation, by default the live one."""
    live = json.loads((output / "build.json").read_text())["generation"]
    return json.loads((output / f"builds/{generation or live}.json").read_text())


def numbers(output):
    return sorted(int(path.stem) for path in (output / "builds").iterdir())


def files_of(slug):
    return [f"guides/{slug}.json", f"guides/{slug}.md", f"guides/{slug}/index.html"]


@pytest.fixture
def welcome(docs_project, build_site):
    document = docs_project.publish("welcome")
    build_site()
    return document


def test_added(welcome, docs_project, build_site, output):
    """A new page is listed by its file, and by its public address."""
    docs_project.publish("keys")
    build_site(["docs"])

    found = generation_report(output)
    added = [each for each in found["added"] if not each.startswith("search/")]
    assert added == files_of("keys")
    assert {"guides/index.html", "llms.txt"} <= set(found["changed"])
    assert "guides/welcome.md" not in found["changed"]
    assert {f"{URL}/guides/keys/", f"{URL}/guides/", f"{URL}/"} <= set(found["purge"])
    assert f"{URL}/guides/welcome.md" not in found["purge"]


def test_removed(welcome, docs_project, build_site, output):
    """A removed page is listed, so that no host serves it any longer."""
    docs_project.withdraw(welcome)
    build_site(["docs"])

    found = generation_report(output)
    assert set(files_of("welcome")) <= set(found["removed"])
    assert f"{URL}/guides/welcome/" in found["purge"]


def test_only_what_can_be_kept_is_purged(welcome, output):
    """Files that are immutable, uncached, or not public are not purged."""
    found = generation_report(output)

    assert f"{URL}/manifest.json" in found["purge"]
    assert not [each for each in found["purge"] if "/assets/" in each]
    assert f"{URL}/build.json" not in found["purge"]
    assert f"{URL}/_headers" not in found["purge"]
    assert "_headers" in found["added"]


def test_live_generation_is_always_told(welcome, build_site, output):
    """A generation without changed files is listed too, with its predecessor."""
    before = generation_report(output)["generation"]
    with writing():
        generation = mark("docs")

    build_site(["docs"])

    assert generation_report(output) == {
        **{name: [] for name in ("added", "changed", "removed", "purge")},
        "generation": generation,
        "previous": before,
    }


def test_chain_leads_back(welcome, docs_project, build_site, output):
    """
    From the live generation each names its predecessor, though numbers are skipped.
    """
    for slug in ("a", "b", "c"):
        docs_project.publish(slug)
        build_site(["docs"])

    generation, seen = generation_report(output)["generation"], []
    while generation:
        seen.append(generation)
        generation = generation_report(output, generation)["previous"]

    assert seen == numbers(output)[::-1]


def test_time_changes_a_generation(api, build_site, output, clock):
    """A change by the clock belongs to the generation that is live then."""
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    window = {"title": "Move", "services": ["api"]}
    window |= {"startsAt": "2026-03-01T13:00:00Z", "endsAt": "2026-03-01T14:00:00Z"}
    api("POST /status/v1/admin/maintenance/add", window)
    build_site()
    before = generation_report(output)
    clock.pass_(hours=1, minutes=1)

    build_site(["status"])

    found = generation_report(output)
    assert found["generation"] == before["generation"]
    month = "status/history/2026-03/index.html"
    assert set(found["added"]) == {*before["added"], month}
    assert f"{URL}/status/" in found["purge"]


def test_second_build_tells_nothing(welcome, build_site, output):
    """A build without changes writes nothing."""
    path = next((output / "builds").iterdir())
    before = path.stat().st_mtime_ns

    build_site()

    assert path.stat().st_mtime_ns == before


def test_oldest_are_forgotten(welcome, docs_project, build_site, output, monkeypatch):
    """The promised number of newest generations is kept."""
    monkeypatch.setattr(generations, "MAX_GENERATIONS", 3)
    for slug in ("a", "b", "c", "d"):
        docs_project.publish(slug)
        build_site(["docs"])

    remaining = numbers(output)

    assert len(remaining) == 3
    assert remaining[-1] == generation_report(output)["generation"]


def test_failed_page_is_no_new_generation(welcome, build_site, output, monkeypatch):
    """
    Files that were written despite a failed page are listed for the live generation.
    """
    before = generation_report(output)
    with writing():
        mark("docs")
    (output / "guides/welcome.md").unlink()
    broken = Page("extra/index.html", {}, template="no-such.html")
    generator = PageGenerator(lambda _: iter([broken]), SHARED)
    monkeypatch.setitem(GENERATORS, SHARED, [*GENERATORS[SHARED], generator])

    assert build_site().failed

    found = generation_report(output)
    assert found["generation"] == before["generation"]
    assert f"{URL}/guides/welcome.md" in found["purge"]


def test_older_database(welcome, docs_project, build_site, output, tmp_path):
    """After a restore, generations with higher numbers are discarded."""
    (output / "builds/9000.json").write_text("{}")

    docs_project.publish("keys")
    build_site(["docs"])

    assert numbers(output)[-1] == generation_report(output)["generation"]


@pytest.mark.parametrize("content", ["", "[]", '{"added": 1}'])
def test_damaged_note(tmp_path, content):
    """An unreadable report is written anew."""
    folder = OutputFolder(str(tmp_path))
    (tmp_path / "builds").mkdir()
    (tmp_path / "builds/7.json").write_text(content)

    record_generation(folder, 7, FileChanges(purge=frozenset({"https://x/"})))
    folder.put_in_place()

    assert json.loads((tmp_path / "builds/7.json").read_text())["purge"] == [
        "https://x/"
    ]


def change(**sets):
    return FileChanges(**{name: frozenset(words) for name, words in sets.items()})


@pytest.mark.parametrize(
    ("first", "second", "both"),
    [
        ({"added": "a"}, {"changed": "a"}, {"added": "a"}),
        ({"added": "a"}, {"removed": "a"}, {}),
        ({"changed": "a"}, {"removed": "a"}, {"removed": "a"}),
        ({"removed": "a"}, {"added": "a"}, {"changed": "a"}),
        ({"changed": "a"}, {"changed": "b"}, {"changed": "ab"}),
        ({"purge": "a"}, {"purge": "b"}, {"purge": "ab"}),
    ],
)
def test_two_as_one(first, second, both):
    """
    Two generations are merged into the change from before the first to after the
    second.
    """
    assert change(**first).then(change(**second)) == change(**both)
