"""The search index: small changes stay small, and depend on the data alone."""

import gzip
import json
import re

import pytest

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.sources import document_source
from sitegen.search import levels, passages
from sitegen.search import pages as search
from sitegen.search.inverted_index import HEADING
from sitegen.search.levels import FORMAT
from sitegen.status import published
from sitegen.theme.theme import DEFAULT_TEMPLATES
from tests.factories.projects import KEY

ADD = "POST /status/v1/admin/incidents/add"


@pytest.fixture
def read(output):
    return lambda path: json.loads((output / "search" / path).read_text())


@pytest.fixture
def root(read):
    return lambda: read(f"root-{FORMAT}.json")["levels"]


@pytest.fixture
def index(read, root):
    """Return the pages of each term, the newest level first."""

    def read_all():
        found = []
        for level in root():
            head = level.get("head") or read(f"{level['key']}/head.json")
            terms = head.get("terms", {})
            for number in range(level["files"] if level["files"] > 1 else 0):
                terms |= read(f"{level['key']}/{number}.json")
            names = [line[1] for line in head["pages"]]
            found.append((terms, names, level["superseded"]))
        return found

    return read_all


@pytest.fixture
def import_files(docs_project, clock):
    """Import and publish this many files at once."""

    def run(count):
        sources = [
            document_source(
                path=f"file-{n}.md",
                slug=f"file-{n}",
                section=None,
                position=n,
                title=f"File {n}",
                summary=None,
                content=f"Words {n}.",
            )
            for n in range(count)
        ]
        options = ImportOptions("guides", clock.now, KEY, tree="t", publish=True)
        import_documents(sources, options)

    return run


@pytest.fixture
def quick(monkeypatch):
    """Merge levels early, so that a few publications use all of them."""
    monkeypatch.setattr(levels, "OLD_SPAN", 12)
    monkeypatch.setattr(levels, "RECENT_SPAN", 4)


def test_names_and_terms(docs_project, build_site, index, root):
    """A page is found by its text, title, collection and section."""
    docs_project.publish("keys", "Some *words*.", title="Keys & <b>", section="Start")

    build_site()

    ((level, names, _),) = index()
    assert level["words"] == "!"
    assert names == ["Keys & <b>"]
    (level,) = root()
    assert level["head"]["pages"][0][::2] == ["/guides/keys/", "Start"]


def test_words_of_a_note(docs_project, build_site, index):
    """The text of a note is found, including its first word; link targets are not."""
    notes = "[^1]: Leading words\n\n[2]: /target trailing\n"
    docs_project.publish("keys", f"Body.[^1] And [a link][2].\n\n{notes}")

    build_site()

    ((level, _, _),) = index()
    assert {"leading", "words", "body", "trailing"} <= level.keys()
    assert "target" not in level


def test_taken_back_leaves_no_word(docs_project, build_site, output, quick):
    """After a withdrawal, no search file has the page's words."""
    others = [
        docs_project.publish(f"page-{n}", f"Word{n} secret{n}.") for n in range(9)
    ]
    build_site()

    docs_project.withdraw(others[0])
    build_site()

    files = [path.read_text() for path in (output / "search").rglob("*.json")]
    assert not any("secret0" in text for text in files)
    assert any("secret1" in text for text in files)


def test_new_words_supersede_the_old(docs_project, build_site, index, quick):
    """Entries of a newer level replace those of an older one."""
    made = [docs_project.publish(f"page-{n}", f"Before{n}.") for n in range(13)]
    docs_project.update(made[0], content="After.")
    docs_project.release(made[0])

    build_site()

    found = index()
    assert any("after" in level for level, _, _ in found)
    for level, names, superseded in found:
        if "before0" in level:
            assert superseded
            assert "Page 0" in names


def test_publish_changes_little(docs_project, build_site, output):
    """One publication changes less than 5 KB of the search, compressed."""
    words = " ".join(f"word{n * 7919 % 9973}" for n in range(250))
    made = [docs_project.publish(f"page-{n}", words) for n in range(20)]
    # The 21st publication; others are merged at every sixteenth record of the feed.
    docs_project.publish("one-more", words)
    build_site()

    docs_project.update(made[3], content=words + " more")
    docs_project.release(made[3])
    report = build_site()

    changed = [path for path in report.written if path.startswith("search/")]
    sizes = [len(gzip.compress((output / path).read_bytes())) for path in changed]
    assert f"search/root-{FORMAT}.json" in changed
    assert sum(sizes) < 5000


def test_levels_follow_from_the_data(docs_project, build_site, output, quick, tmp_path):
    """Built incrementally or at once, the files are the same, byte for byte."""
    made = []
    for number in range(15):
        made.append(docs_project.publish(f"page-{number}", f"Text {number}."))
        if number % 3 == 2:
            docs_project.update(made[number // 2], content=f"Again {number}.")
            docs_project.release(made[number // 2], version=1 + number % 2)
        if number == 10:
            docs_project.withdraw(made[2])
            docs_project.release(made[2])
        build_site()

        build_site(output=tmp_path / f"fresh-{number}")

        fresh = tmp_path / f"fresh-{number}" / "search"
        assert contents(output / "search") == contents(fresh)
        assert build_site().written == []


def test_incidents(api, build_site, read, monkeypatch):
    """Incidents follow the services, newest first, with older ones in other files."""
    monkeypatch.setattr(published, "EVENTS_OF_FILE", 1)
    api("POST /status/v1/admin/services/add", {"slug": "api", "name": "API"})
    for number in range(5):
        result = {"title": f"Slow {number}", "body": "Looking.", "services": ["api"]}
        api(ADD, result | {"severity": "degraded"})

    build_site()

    newest = read(f"status-{FORMAT}.json")
    assert [line[1] for line in newest["pages"]] == ["API", "Slow 4"]
    older = [read(f"incidents/{id}.json") for id in read("incidents/index.json")]
    titles = [[line[1] for line in each["pages"]] for each in older]
    assert titles == [["Slow 3"], ["Slow 2"], ["Slow 1"], ["Slow 0"]]


def test_words_of_updates(api, build_site, read):
    """An incident is found by its updates; a service by its description."""
    service = {"slug": "api", "name": "API", "description": "Answers requests."}
    api("POST /status/v1/admin/services/add", service)
    incident = {"title": "Slow", "body": "A router restarts.", "services": ["api"]}
    api(ADD, incident | {"severity": "degraded"})

    build_site()

    newest = read(f"status-{FORMAT}.json")
    found = {
        term: postings.replace(".", "") for term, postings in newest["terms"].items()
    }
    positions = {line[1]: str(n) for n, line in enumerate(newest["pages"])}
    assert found["requests"] == found["api"] == positions["API"]
    assert found["router"] == found["slow"] == positions["Slow"]
    # The title of an incident weighs less than that of a document.
    assert newest["terms"]["slow"].count(".") == HEADING


def test_import_ends_a_level(docs_project, build_site, root, monkeypatch, import_files):
    """An import merges everything into one level, whatever its number."""
    monkeypatch.setattr(levels, "OLD_SPAN", 100)
    for number in range(3):
        docs_project.publish(f"page-{number}")
    import_files(levels.OLD_BATCH)

    build_site()

    (level,) = root()
    assert level["pages"] == levels.OLD_BATCH + 3

    docs_project.publish("one-more")
    build_site()

    newest, oldest = root()
    assert (newest["pages"], newest["files"]) == (1, 1)
    assert oldest == level


def test_newest_level_is_in_the_root(docs_project, build_site, root, output):
    """
    The changes since the last merge are in the root file, without a request of their
    own.
    """
    for number in range(4):
        docs_project.publish(f"page-{number}", f"Word{number}. " * 400)

    build_site()

    newest, *others = root()
    assert len(others) <= 2
    assert newest["head"]["pages"]
    assert not (output / "search" / newest["key"]).exists()


def test_long_document_in_parts(
    docs_project, build_site, root, output, index, monkeypatch
):
    """The parts of a long text are searched separately, and give one result."""
    monkeypatch.setattr(passages, "PART_SIZE", 200)
    sections = [f"## Same {n % 2}\n\n{f'Word{n} ' * 15}\n" for n in range(6)]
    docs_project.publish("long", "\n".join(sections))
    docs_project.publish("short", "Nothing.")

    build_site()

    (level,) = root()
    assert level["pages"] == 2
    ((terms, names, _),) = index()
    (long, short) = (names.index(name) for name in ("Long", "Short"))
    parts = sorted((output / "search/parts/guides/long").iterdir())
    assert len(parts) > 2
    assert len(level["continuations"]) == len(parts) - 1
    assert (long, short) == (0, 1)
    assert terms["word0"] != terms["word5"]
    text = "".join(part.read_text() for part in parts)
    assert all(f"Word{n}" in text for n in range(6))
    # The second heading with this name is at another address.
    assert "## Same 0\n" in text
    assert "## Same 0 {#same-0-1}\n" in text


def test_larger_version_leaves_the_old_level(
    docs_project, build_site, root, quick, monkeypatch
):
    """A text that grows into parts does not renumber its former level."""
    monkeypatch.setattr(passages, "PART_SIZE", 200)
    made = [docs_project.publish(f"page-{n}", f"Word{n}.") for n in range(9)]
    build_site()
    before = {level["key"] for level in root()}

    docs_project.update(made[0], content="Long words.\n" * 100)
    docs_project.release(made[0])
    build_site()

    (newest, *others) = root()
    assert before & {level["key"] for level in others}
    assert newest["continuations"]
    assert {level["continuations"] for level in others} == {""}


def test_many_pages_in_blocks(docs_project, build_site, read, root, monkeypatch):
    """The head of a large level lists no pages; they are in blocks."""
    monkeypatch.setattr(search, "MAX_PAGES_OF_HEAD", 2)
    monkeypatch.setattr(search, "PAGES_OF_BLOCK", 2)
    monkeypatch.setattr(levels, "OLD_SPAN", 1)
    monkeypatch.setattr(levels, "FILE_TERMS", 1)
    for number in range(5):
        docs_project.publish(f"page-{number}", f"Word{number}.")

    build_site()

    (level,) = root()
    key = level["key"]
    assert level["pagesOfBlock"] == 2
    assert read(f"{key}/head.json")["pages"] == []
    blocks = [read(f"{key}/pages/{number}.json") for number in range(3)]
    assert [len(block) for block in blocks] == [2, 2, 1]


def test_common_words(docs_project, build_site, read, root, monkeypatch):
    """The head lists the words of most pages, which queries can ignore."""
    monkeypatch.setattr(levels, "OLD_SPAN", 1)
    monkeypatch.setattr(levels, "FILE_TERMS", 1)
    for number in range(4):
        docs_project.publish(f"page-{number}", f"The word{number}.")

    build_site()

    head = read(f"{root()[0]['key']}/head.json")
    assert {"the", "page"} <= set(head["common"])
    assert "word1" not in head["common"]


def test_script_reads_this_format(build_site, read):
    """The script requests exactly the format of its build."""
    build_site()

    script = (DEFAULT_TEMPLATES / "assets/search.js").read_text()
    paths = re.findall(r'"/search/((?:root|status)-\d+\.json)"', script)
    assert len(paths) == 2
    assert all(map(read, paths))


def test_page_without_scripts(docs_project, build_site, output):
    """Without scripts the search page says what it needs, and links to the lists."""
    docs_project.publish("keys")

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
