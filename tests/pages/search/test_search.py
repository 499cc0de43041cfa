"""The search index: small changes stay small, and follow from the data alone."""

import gzip
import json

import pytest

from sitegen.search import pages as search

ADD = "POST /status/v1/admin/incidents/add"


@pytest.fixture
def read(output):
    return lambda path: json.loads((output / "search" / path).read_text())


@pytest.fixture
def index(read, output):
    """Return term by term which pages are named, the newest level first."""

    def read_all():
        found = []
        for key, count, superseded, _ in read("root.json")["levels"]:
            level = {}
            for number in range(count):
                level |= read(f"{key}/{number}.json")
            names = [line[1] for line in read(f"{key}/pages/0.json")]
            found.append((level, names, superseded))
        return found

    return read_all


@pytest.fixture
def quick(monkeypatch):
    """Levels that merge soon, so that a few publications see all of them."""
    monkeypatch.setattr(search, "OLD_SPAN", 12)
    monkeypatch.setattr(search, "RECENT_SPAN", 4)


def test_names_and_terms(shelf, build_site, index, read):
    """A page is found by its words, under its title, collection and section."""
    shelf.publish("keys", "Some *words*.", title="Keys & <b>", section="Start")

    build_site()

    ((level, names, _),) = index()
    assert level["words"] == "!"
    assert names == ["Keys & <b>"]
    (key, *_) = read("root.json")["levels"][0]
    assert read(f"{key}/pages/0.json")[0][::2] == ["/guides/keys/", "Guides · Start"]


def test_words_of_a_note(shelf, build_site, index):
    """What a note says is found, its first word too; where a link leads is not."""
    notes = "[^1]: Leading words\n\n[2]: /target trailing\n"
    shelf.publish("keys", f"Body.[^1] And [a link][2].\n\n{notes}")

    build_site()

    ((level, _, _),) = index()
    assert {"leading", "words", "body", "trailing"} <= level.keys()
    assert "target" not in level


def test_taken_back_leaves_no_word(shelf, build_site, output, quick):
    """After unpublish no file of the search has the page's words."""
    kept = [shelf.publish(f"page-{n}", f"Word{n} secret{n}.") for n in range(9)]
    build_site()

    shelf.withdraw(kept[0])
    build_site()

    files = [path.read_text() for path in (output / "search").rglob("*.json")]
    assert not any("secret0" in text for text in files)
    assert any("secret1" in text for text in files)


def test_new_words_supersede_the_old(shelf, build_site, index, quick):
    """What a newer level holds counts for nothing in an older one."""
    made = [shelf.publish(f"page-{n}", f"Before{n}.") for n in range(13)]
    shelf.update(made[0], content="After.")
    shelf.release(made[0])

    build_site()

    levels = index()
    assert any("after" in level for level, _, _ in levels)
    for level, names, superseded in levels:
        if "before0" in level:
            assert superseded
            assert "Page 0" in names


def test_publish_changes_little(shelf, build_site, output):
    """One publication changes less than 5 KB of the search, compressed."""
    words = " ".join(f"word{n * 7919 % 9973}" for n in range(250))
    made = [shelf.publish(f"page-{n}", words) for n in range(20)]
    # The 21st publication; others are merged at every sixteenth record of the feed.
    shelf.publish("one-more", words)
    build_site()

    shelf.update(made[3], content=words + " more")
    shelf.release(made[3])
    report = build_site()

    changed = [path for path in report.written if path.startswith("search/")]
    sizes = [len(gzip.compress((output / path).read_bytes())) for path in changed]
    assert "search/root.json" in changed
    assert sum(sizes) < 5000


def test_levels_follow_from_the_data(shelf, build_site, output, quick, tmp_path):
    """Built step by step or at once, the files are the same, byte for byte."""
    made = []
    for number in range(15):
        made.append(shelf.publish(f"page-{number}", f"Text {number}."))
        if number % 3 == 2:
            shelf.update(made[number // 2], content=f"Again {number}.")
            shelf.release(made[number // 2], version=1 + number % 2)
        if number == 10:
            shelf.withdraw(made[2])
            shelf.release(made[2])
        build_site()

        build_site(output=tmp_path / f"fresh-{number}")

        fresh = tmp_path / f"fresh-{number}" / "search"
        assert contents(output / "search") == contents(fresh)
        assert build_site().written == []


def test_incidents(ask, build_site, read, monkeypatch):
    """The titles of incidents stand newest last, the older in files of their own."""
    monkeypatch.setattr(search, "INCIDENTS_OF_FILE", 2)
    ask("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    for number in range(5):
        told = {"title": f"Slow {number}", "body": "Looking.", "services": ["api"]}
        ask(ADD, told | {"severity": "degraded"})

    build_site()

    root = read("incidents.json")
    older = [line[1] for line in read("incidents/0.json")]
    newer = [line[1] for line in root["incidents"]]
    assert root["older"] == 1
    assert (len(older), len(newer)) == (2, 3)
    assert set(older + newer) == {f"Slow {number}" for number in range(5)}


def test_page_without_scripts(shelf, build_site, output):
    """The search page says what it needs, and lists the registers instead."""
    shelf.publish("keys")

    build_site()

    html = (output / "search/index.html").read_text()
    assert "needs JavaScript" in html
    assert '<a href="/guides/">' in html.partition("<main")[2]


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }
