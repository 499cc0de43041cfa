"""Many documents are put in place part by part, and nothing waits for all of them."""

import json
import time

import pytest

from models.changes import behind
from sitegen.builder import builder as module
from sitegen.builder import docs_builder, separate_docs
from sitegen.builder.builder import Builder
from sitegen.output.folder import STAGING, UNFINISHED, OutputFolder
from sitegen.output.manifest import BUILDS, LIVE, MANIFEST
from sitegen.page import context_factory
from tests.pages.builder.local_docs import PROBLEMS, LocalDocs
from tests.pages.builder.test_builder import ADMIN, eventually
from tests.pages.builder.test_separate_docs import INCIDENT, overview


def test_status_goes_between_parts(manual, ask, output, monkeypatch, equals_fresh):
    """
    Documents are put in place part by part, and a change of the status page that
    comes meanwhile is shown before the next part.
    """
    monkeypatch.setattr(separate_docs, "FILES_AT_ONCE", 3)
    manual.docs.respond()
    manual.build()
    placed = len(list(output.glob("guides/page-*.md")))
    assert 0 < placed < 4

    ask(f"{ADMIN}/incidents/add", INCIDENT | {"services": ["api"]})
    manual.build()

    assert "Errors" in overview(output)
    assert len(list(output.glob("guides/page-*.md"))) == placed
    assert "/guides/" not in overview(output)
    assert "docs" in behind()
    manual.settle()
    assert "/guides/" in overview(output)
    assert equals_fresh()
    # Nothing is left that would take long to remove.
    assert list(output.glob(f"{STAGING}/*/*")) == []


def listed(output):
    return json.loads((output / MANIFEST).read_text())["files"].keys()


def test_parts_without_manifest(manual, ask, output, monkeypatch, equals_fresh):
    """
    Only a build of the status page and the last part write the manifest, which takes
    longer than a part.
    """
    monkeypatch.setattr(separate_docs, "FILES_AT_ONCE", 3)
    manual.docs.respond()
    before = listed(output)
    for _ in range(2):
        manual.build()
    placed = {path.relative_to(output).as_posix() for path in output.glob("guides/*.*")}
    assert listed(output) == before
    assert placed

    ask(f"{ADMIN}/incidents/add", INCIDENT | {"services": ["api"]})
    manual.build()

    assert placed <= listed(output)
    assert not (output / UNFINISHED).exists()
    generation = json.loads((output / LIVE).read_text())["generation"]
    record = json.loads((output / BUILDS / f"{generation}.json").read_text())
    assert placed <= set(record["added"])
    manual.settle()
    assert equals_fresh()


def test_many_files_are_sent_in_parts(manual, monkeypatch, equals_fresh):
    """The builder never reads a long result, and each file comes once."""
    monkeypatch.setattr(docs_builder, "FILES_PER_RESULT", 4)
    manual.docs.respond()
    results = list(manual.docs.results)
    files = [path for result in results for path in result.staged]

    assert {len(result.staged) for result in results[:-1]} == {4}
    assert [result.is_last for result in results[:-1]] == [False] * (len(results) - 1)
    assert results[-1].is_last
    assert len(set(files)) == len(files) > 15
    manual.settle()
    assert equals_fresh()


def test_process_dies_between_parts(manual, output, monkeypatch, equals_fresh):
    """The next process compares with a manifest that lists the parts in place."""
    monkeypatch.setattr(separate_docs, "FILES_AT_ONCE", 3)
    manual.docs.respond()
    *_, (first, rest) = [result.split(3) for result in manual.docs.results]
    manual.docs.results[:] = [first, rest.split(3)[0]]
    manual.docs.is_busy = False

    manual.build()
    # Another build would remove the files of the second part.
    assert not manual.docs.request_pending
    manual.build()

    assert manual.docs.request_pending
    assert set(first.staged) | set(rest.staged[:3]) <= listed(output)
    manual.settle()
    assert equals_fresh()


@pytest.fixture
def beside(store, settings, clock, shelf, output, monkeypatch):
    """A running builder that has put the first files of a page in place."""
    docs = LocalDocs(settings)
    shelf.publish("page")
    builder = Builder(
        clock,
        context_factory(settings, PROBLEMS, {}),
        create_docs_process=lambda _: docs,
    )
    page = output / "guides/page/index.html"

    def start(seconds):
        monkeypatch.setattr(module, "MAX_SUSPENSION_SECONDS", seconds)
        builder.start()
        assert eventually(lambda: docs.request_pending)
        docs.respond()
        whole = docs.results.pop()
        docs.results.append(
            whole.split(whole.staged.index("guides/page/index.html") + 1)[0]
        )
        builder.wake("docs")
        assert eventually(page.exists)
        return builder

    yield start
    builder.stop()


def test_no_part_follows(beside, output):
    """The manifest is written if the rest of the documents takes long."""
    beside(0.01)

    assert eventually(lambda: "guides/page/index.html" in listed(output))
    assert eventually(lambda: not (output / UNFINISHED).exists())


def test_stop_between_parts(beside, output):
    """A server that stops leaves a folder that the next one need not read."""
    builder = beside(1000)
    assert (output / UNFINISHED).exists()

    builder.stop()

    assert "guides/page/index.html" in listed(output)
    assert not (output / UNFINISHED).exists()


def sizes_of_parts(manual, output):
    """Put the first build's documents in place, and return how many files came when."""
    manual.docs.respond()
    sizes = []
    while manual.builder._docs.result() is not None:
        before = len(list(output.glob("guides/page-*")))
        manual.build()
        sizes.append(len(list(output.glob("guides/page-*"))) - before)
    return sizes


@pytest.mark.parametrize("is_slow", [True, False])
def test_parts_on_a_slow_disk(manual, output, monkeypatch, is_slow, equals_fresh):
    """Parts have few files if each takes long, so an incident waits for few."""
    rename = OutputFolder._rename

    def slow(folder, draft, target):
        time.sleep(0.02)
        rename(folder, draft, target)

    monkeypatch.setattr(separate_docs, "PART_SECONDS", 0.05 if is_slow else 1e9)
    if is_slow:
        monkeypatch.setattr(OutputFolder, "_rename", slow)
    manual.builder._docs._part_files = 2

    sizes = sizes_of_parts(manual, output)

    assert sizes[0] == 2
    assert max(sizes) == 2 if is_slow else sizes[1] == 10
    assert equals_fresh()


def test_status_that_always_changes(manual, ask, output, monkeypatch):
    """Documents have every second turn while the status page always changes."""
    monkeypatch.setattr(separate_docs, "FILES_AT_ONCE", 5)
    manual.docs.respond()
    for number in range(60):
        ask(f"{ADMIN}/services/update", {"slug": "api", "name": f"API {number}"})
        manual.build()

    assert (output / "guides/index.html").exists()
