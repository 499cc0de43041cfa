"""The builder never waits for documents, which a process of their own builds."""

import math
import os
import signal
import sys
from pathlib import Path

import pytest

from models.changes import behind, failed_pages, marks
from models.projects.documents import published
from sitegen.builder import docs_builder, docs_process, separate_docs
from sitegen.builder.builder import Builder
from sitegen.builder.docs_process import DocsProcess
from sitegen.output.folder import STAGING, OutputFolder
from sitegen.page import context_factory
from tests.pages.builder.local_docs import PROBLEMS
from tests.pages.builder.test_build import files_in
from tests.pages.builder.test_builder import ADMIN, eventually

INCIDENT = {"title": "Errors", "severity": "degraded", "body": "Looking."}


@pytest.fixture
def started(store, settings, clock, ask):
    """A builder with a process for documents, once its first build has ended."""
    ask(f"{ADMIN}/services/add", {"slug": "api", "name": "API"})
    builders = []

    def start():
        builder = Builder(
            clock,
            context_factory(settings, PROBLEMS, {}),
            create_docs_process=lambda done: DocsProcess(settings, PROBLEMS, {}, done),
        )
        builders.append(builder)
        builder.start()
        return builder

    yield start
    for builder in builders:
        builder.stop()


@pytest.fixture
def open_incident(ask):
    """Open an incident, and return its text on the overview."""

    def opened(builder, title="Errors"):
        body = INCIDENT | {"title": title, "services": ["api"]}
        ask(f"{ADMIN}/incidents/add", body)
        builder.wake("status")
        return title

    return opened


def overview(output):
    return (output / "status/index.html").read_text()


def process_of(builder):
    return builder._docs.process._process.pid


def test_incident_does_not_wait(started, shelf, open_incident, output):
    """While a document takes as long as it likes, incidents are on their pages."""
    builder = started()
    assert builder.has_started.wait(60)
    pid = process_of(builder)
    os.kill(pid, signal.SIGSTOP)
    try:
        shelf.publish("slow")
        builder.wake("docs")
        for number in range(3):
            title = open_incident(builder, f"Errors {number}")
            assert eventually(lambda title=title: title in overview(output))
        assert not (output / "guides/slow/index.html").exists()
        assert "/guides/" not in (output / "index.html").read_text()
    finally:
        os.kill(pid, signal.SIGCONT)

    assert eventually((output / "guides/slow/index.html").exists)
    assert eventually(lambda: "/guides/slow/" in (output / "index.html").read_text())
    assert eventually(lambda: behind() == set())


def test_process_is_killed(started, shelf, build_site, output, tmp_path):
    """A process that dies while it builds is started again, and nothing is lost."""
    builder = started()
    assert builder.has_started.wait(60)
    pid = process_of(builder)
    os.kill(pid, signal.SIGSTOP)
    shelf.publish("new")
    builder.wake("docs")
    assert eventually(lambda: builder._docs.process.is_busy)

    os.kill(pid, signal.SIGKILL)

    assert eventually((output / "guides/new/index.html").exists)
    assert eventually(lambda: behind() == set())
    assert process_of(builder) != pid
    assert builder.troubles() == []
    builder.stop()
    build_site(output=tmp_path / "fresh")
    assert files_in(output) == files_in(tmp_path / "fresh")
    assert not (output / STAGING).exists()


def test_process_hangs(started, shelf, build_site, output, tmp_path, monkeypatch):
    """A process without progress is ended and started again, and nothing is lost."""
    builder, patience = started(), docs_process.HANG_SECONDS
    assert builder.has_started.wait(60)
    pid = process_of(builder)
    monkeypatch.setattr(docs_process, "HANG_SECONDS", 0.2)
    os.kill(pid, signal.SIGSTOP)
    shelf.publish("new")
    builder.wake("docs")

    assert eventually(lambda: not Path(f"/proc/{pid}").exists())

    monkeypatch.setattr(docs_process, "HANG_SECONDS", patience)
    assert eventually((output / "guides/new/index.html").exists)
    assert eventually(lambda: behind() == set())
    assert builder.troubles() == []
    builder.stop()
    build_site(output=tmp_path / "fresh")
    assert files_in(output) == files_in(tmp_path / "fresh")


def test_process_that_takes_long(started, shelf, monkeypatch):
    """A process that reports progress may take as long as it likes."""
    code = """if True:
        import sys, time
        for _ in range(40):
            print('{"isWorking": true}', flush=True)
            time.sleep(0.1)
        print('{"state": "build-failed", "reason": "It took long."}', flush=True)
        sys.stdin.read()
    """
    monkeypatch.setattr(docs_process, "PROGRAM", [sys.executable, "-c", code])
    monkeypatch.setattr(docs_process, "HANG_SECONDS", 3.0)
    builder = started()

    assert eventually(lambda: "It took long." in str(builder.troubles()))


def test_idle_process_is_killed(started, shelf, build_site, output, tmp_path):
    """The process that follows one that had built knows which pages have to go."""
    document = shelf.publish("old")
    builder = started()
    assert eventually((output / "guides/old/index.html").exists)
    assert eventually(lambda: behind() == set())
    pid = process_of(builder)

    os.kill(pid, signal.SIGKILL)
    assert eventually(
        lambda: builder._docs.process._process and process_of(builder) != pid
    )
    shelf.withdraw(document)
    builder.wake("docs")

    assert eventually(lambda: not (output / "guides/old/index.html").exists())
    assert eventually(lambda: behind() == set())
    builder.stop()
    build_site(output=tmp_path / "fresh")
    assert files_in(output) == files_in(tmp_path / "fresh")


def test_process_that_always_dies(started, shelf, open_incident, monkeypatch, output):
    """It is started again less and less often, and named; incidents are shown."""
    program = docs_process.PROGRAM
    dying = [sys.executable, "-c", "import sys; sys.stdin.readline(); sys.exit(3)"]
    monkeypatch.setattr(docs_process, "PROGRAM", dying)
    monkeypatch.setattr(docs_process, "FIRST_PAUSE_SECONDS", 0.01)
    shelf.publish("heavy")
    builder = started()

    assert eventually(lambda: "has died" in str(builder.troubles()))
    title = open_incident(builder)
    assert eventually(lambda: title in overview(output))
    assert "docs" in behind()

    monkeypatch.setattr(docs_process, "PROGRAM", program)
    assert eventually((output / "guides/heavy/index.html").exists)
    assert eventually(lambda: builder.troubles() == [])


def test_first_build_shows_status_alone(manual, output):
    """On an empty folder the status page is there first, and links to no document."""
    assert "API" in overview(output)
    assert not (output / "guides").exists()
    assert "/guides/" not in overview(output)


def test_progress_is_reported(manual, monkeypatch):
    """A build reports that there is progress while it makes pages."""
    monkeypatch.setattr(docs_builder, "PROGRESS_SECONDS", 0.0)
    manual.docs.respond()

    assert manual.docs.progress_reports > 10


@pytest.fixture
def shown(output, monkeypatch):
    """The files that are put in place, in this order."""
    paths, rename = [], OutputFolder._rename

    def note(folder, draft, target):
        rename(folder, draft, target)
        if STAGING not in target:
            paths.append(Path(target).relative_to(output).as_posix())

    monkeypatch.setattr(OutputFolder, "_rename", note)
    return paths


def test_incident_goes_before_documents(manual, ask, shown, monkeypatch):
    """A build that has a turn for documents puts an incident in place first."""
    monkeypatch.setattr(separate_docs, "FILES_AT_ONCE", 3)
    manual.docs.respond()
    shown.clear()
    ask(f"{ADMIN}/incidents/add", INCIDENT | {"services": ["api"]})
    manual.build()

    documents = [path for path in shown if path.startswith("guides/")]
    assert len(documents) == 3
    assert shown.index("status/index.html") < shown.index(documents[0])


def test_first_documents_go_before_their_links(manual, shown):
    """Every page links to a new collection, and so comes after its pages."""
    manual.docs.respond()
    shown.clear()
    manual.settle()

    assert shown.index("guides/index.html") < shown.index("status/index.html")


def test_another_process_builds_meanwhile(manual, build_site, output, equals_fresh):
    """What was built before another process built is not put over its files."""
    manual.settle()
    manual.rewrite(1, "Old text.\n")
    manual.build()
    manual.docs.respond()
    manual.rewrite(1, "New text.\n")
    build_site()

    manual.build()

    page = output / "guides/page-1/index.html"
    assert "New text." in page.read_text()
    manual.settle()
    assert "New text." in page.read_text()
    assert equals_fresh()


def test_damaged_document(manual, output, equals_fresh):
    """A file that somebody changed is made again, and named until it is."""
    manual.settle()
    path = "guides/page-2/index.html"
    (output / path).write_text("Changed.")
    folder = manual.builder._folder
    folder.damaged.add(path)

    manual._build(lambda: {"docs", "status"})

    assert folder.damaged == {path}
    manual.settle()
    assert folder.damaged == set()
    assert equals_fresh()


def break_pages(manual, monkeypatch):
    """
    Let the pages of documents that contain "Fail." raise an error.

    Return a function that mends them.
    """
    theme = manual.docs.docs_builder._theme
    render = theme.render

    def failing(template, **variables):
        if "Fail." in str(variables):
            raise ValueError("cannot be shown")
        return render(template, **variables)

    monkeypatch.setattr(theme, "render", failing)
    return lambda: monkeypatch.setattr(theme, "render", render)


def test_page_that_fails(manual, monkeypatch, equals_fresh):
    """Its old file stays, it is named, and it is tried again with the next build."""
    manual.settle()
    mend_pages = break_pages(manual, monkeypatch)
    manual.rewrite(3, "Fail.\n")
    manual.build()
    manual.respond()

    assert [page.path for page in failed_pages()] == ["guides/page-3/index.html"]
    assert "docs" in behind()
    mend_pages()
    manual.build()
    manual.settle()
    assert failed_pages() == []
    assert equals_fresh()


def test_page_is_there_before_the_lists(manual, output, monkeypatch, equals_fresh):
    """The page of a publication does not wait for the lists and the search index."""
    monkeypatch.setattr(docs_builder, "FIRST_FILES_SECONDS", 0.0)
    manual.settle()
    manual.rewrite(2, "New text.\n")
    manual.build()
    manual.docs.respond()

    manual.build()

    assert "New text." in (output / "guides/page-2/index.html").read_text()
    assert "New text." not in (output / "llms-full.txt").read_text()
    assert "docs" in behind()
    manual.settle()
    assert equals_fresh()


def results_of(manual, monkeypatch):
    """Have the documents built, and return the results, which are then in place."""
    # Only pages that are found without reading all documents come before the others.
    monkeypatch.setattr(docs_builder, "FIRST_FILES_SECONDS", math.inf)
    manual.build()
    manual.docs.respond()
    results = list(manual.docs.results)
    manual.settle()
    return results


def test_new_text_is_sent_before_the_rest(manual, monkeypatch, equals_fresh):
    """The files of a document with a new text are sent first, and only once."""
    manual.settle()
    manual.rewrite(1, "See [another](page-2.md).\n")
    first, rest = results_of(manual, monkeypatch)

    name = "guides/page-1"
    files = [f"{name}/index.html", f"{name}.json", f"{name}.md"]
    assert first.staged == files
    assert not first.is_last
    assert set(rest.written).isdisjoint(files)
    assert "llms-full.txt" in rest.written
    assert equals_fresh()


def test_new_text_beside_other_changes(manual, ask, monkeypatch, equals_fresh):
    """A page that was sent first is made again if other changes touch it, too."""
    manual.settle()
    manual.rewrite(1, "See [another](page-3.md).\n")
    manual.shelf.withdraw(manual.documents[3])
    first, rest = results_of(manual, monkeypatch)

    assert "guides/page-1/index.html" in first.written
    assert "guides/page-1/index.html" in rest.written
    assert equals_fresh()


def test_new_title_is_sent_with_the_rest(manual, monkeypatch, equals_fresh):
    """Other pages show it, so the page waits for them."""
    manual.settle()
    manual.shelf.update(manual.documents[1], title="Other")
    manual.shelf.release(manual.documents[1])

    assert len(results_of(manual, monkeypatch)) == 1
    assert equals_fresh()


def test_many_new_texts_are_sent_together(manual, monkeypatch, equals_fresh):
    """More than a few are built with all others, which two processes share."""
    monkeypatch.setattr(published, "MAX_NEW_TEXTS", 2)
    manual.settle()
    for number in range(3):
        manual.rewrite(number, "New text.\n")

    assert len(results_of(manual, monkeypatch)) == 1
    assert equals_fresh()


def test_new_text_that_fails(manual, monkeypatch):
    """A page that cannot be made is reported once, by the complete build."""
    manual.settle()
    break_pages(manual, monkeypatch)
    manual.rewrite(1, "Fail.\n")
    first, rest = results_of(manual, monkeypatch)

    assert first.failed == []
    assert [path for path, *_ in rest.failed] == ["guides/page-1/index.html"]


def test_writes_while_documents_are_built(manual, shelf, output):
    """What is published while documents are built is built after them."""
    manual.settle()
    shelf.publish("first")
    manual.build()
    manual.docs.respond()
    shelf.publish("second")
    manual.build()

    assert manual.builder._docs.is_pending
    manual.settle()
    assert (output / "guides/second/index.html").exists()
    assert manual.builder._built_marks == marks()
