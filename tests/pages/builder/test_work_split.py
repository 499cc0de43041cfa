"""A long build is shared with a worker process and results in the same files."""

import sys
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from models import changes
from models.projects.documents.rendered_bodies import BodyRow
from models.storage.database import writing
from sitegen.builder import build as building
from sitegen.builder import work_split
from sitegen.builder.build import build
from sitegen.builder.page_writer import PageWriter
from sitegen.builder.work_split import BatchSplit, WorkerProcess
from sitegen.docs.body_cache import BodyCache
from sitegen.output.folder import OutputFolder
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from sitegen.theme.theme import DEFAULT_TEMPLATES
from tests.pages.builder.test_build import files_in
from tests.samples.openapi_document import DESCRIBED

COUNT = 40


@pytest.fixture
def short(monkeypatch):
    """Let a build of a few documents be a long one, of small parts."""
    monkeypatch.setattr(building, "LONG_BUILD", 1)
    for name, number in {"PART_SIZE": 2, "MAX_PART_SIZE": 5, "MIN_SHARED": 2}.items():
        monkeypatch.setattr(work_split, name, number)
    # This process waits for the other, which has first to start.
    monkeypatch.setattr(
        building.Build,
        "_compute_costly_lists",
        lambda build, _: wait_for(build.work_split),
    )


def wait_for(split):
    for future in split._pending.values():
        future.result()


@pytest.fixture
def many(shelf):
    """Documents of which some link to nothing, and some to a heading that is not."""
    return [
        shelf.publish(
            f"page-{number}",
            f"See [next](page-{number + 1}.md#a) and [b](page-1.md#b).\n\n## A\n",
            section=f"Section {number // 10}",
        )
        for number in range(COUNT)
    ]


@pytest.fixture
def made_here(monkeypatch):
    """The documents whose pages this process wrote."""
    found, write = set(), PageWriter.write

    def noted(writer, page, area):
        if page.template == "docs/document.html":
            found.add(page.path.split("/")[1])
        return write(writer, page, area)

    monkeypatch.setattr(PageWriter, "write", noted)
    return found


@pytest.mark.parametrize("is_kept", [False, True])
def test_same_bytes(short, many, build_site, output, made_here, tmp_path, is_kept):
    """Pages and warnings are the same, whichever process made a page."""
    alone = tmp_path / "alone"
    with pytest.MonkeyPatch.context() as without:
        without.setattr(work_split, "MIN_SHARED", 10_000)
        expected = build_site(output=alone, bodies=BodyCache())
    assert len(made_here) == COUNT
    made_here.clear()
    if not is_kept:
        BodyRow.delete().execute()

    report = build_site(bodies=BodyCache())

    assert len(made_here) < 10
    assert files_in(output) == files_in(alone)
    assert sorted(report.written) == sorted(expected.written)
    assert report.warnings == expected.warnings
    assert len(report.warnings) == COUNT + 1
    assert BodyRow.select().count() == COUNT


@pytest.mark.parametrize("full", [False, True])
def test_all_to_be_made(short, many, build_site, output, made_here, monkeypatch, full):
    """Where all is to be made nobody waits until the build proves to be long."""
    # The pages link to the reference, whichever process makes them.
    build = partial(build_site, openapi=DESCRIBED)
    if full:
        build()
        made_here.clear()
    monkeypatch.setattr(building, "LONG_BUILD", 10_000)

    build(full=full)

    assert len(made_here) < 10


def test_next_build(short, many, shelf, store, settings, clock, made_here, tmp_path):
    """What the other process found out is known here: the next build is a short one."""
    theme, bodies, memory = site_theme(settings), BodyCache(), {}

    def built():
        return build(
            BuildContext(clock.now, settings, theme, bodies, process_cache=memory)
        )

    built()
    made_here.clear()
    shelf.release(shelf.update(many[30], content="New.\n"))

    report = built()

    pages = [path for path in report.written if path.endswith("/index.html")]
    assert pages == ["guides/page-30/index.html"]
    assert "guides/page-29: no heading is at page-30.md#a" in report.warnings
    assert build(
        BuildContext(clock.now, settings, theme),
        folder=OutputFolder(str(tmp_path / "fresh")),
    )
    assert files_in(Path(settings.output)) == files_in(tmp_path / "fresh")


def test_up_to_date_pages(short, many, shelf, build_site, output, made_here):
    """The worker does not write pages that are up to date either."""
    build_site()
    before = {path: path.stat().st_ino for path in output.rglob("page-*/index.html")}
    for each in many[:12]:
        shelf.release(shelf.update(each, content="New words.\n"))
    made_here.clear()

    report = build_site()

    after = {path for path, inode in before.items() if path.stat().st_ino != inode}
    assert len(made_here) < 10
    assert len(after) == 12
    assert len([path for path in report.written if "page-" in path]) == 36


PROGRAMS = {
    "at once": "pass",
    "hanging up": "import os, time; os.close(1); time.sleep(60)",
    "asleep": "import time; time.sleep(60)",
    "talking nonsense": "print('What?', flush=True); input()",
    "in its work": "import sys; from sitegen.builder import worker as w;"
    " respond = w.BatchWorker.respond;"
    " w.BatchWorker.respond = lambda self, request: request[2] < 25 and sys.exit()"
    " or respond(self, request);"
    " w.serve(sys.stdin.buffer, sys.stdout.buffer)",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_worker_that_fails(
    short, many, build_site, output, tmp_path, monkeypatch, caplog, program
):
    """Pages that the worker does not make are made here, and that is logged."""
    monkeypatch.setattr(work_split, "RESPONSE_SECONDS", 3)
    monkeypatch.setattr(work_split, "PROGRAM", [sys.executable, "-c", program])

    assert build_site().failed == []

    assert "reason=worker-died" in caplog.text
    monkeypatch.setattr(work_split, "MIN_SHARED", 10_000)
    build_site(output=tmp_path / "alone")
    assert files_in(output) == files_in(tmp_path / "alone")


LEAVING = (
    "import sys; from sitegen.builder import worker as w;"
    " respond = w.BatchWorker.respond;"
    " w.BatchWorker.respond = lambda self, request:"
    " request and request[2] < 30 and sys.exit()"
    " or (respond(self, request), self._folder.flush())[0];"
    " w.serve(sys.stdin.buffer, sys.stdout.buffer)"
)


def test_worker_that_dies_late(short, many, shelf, build_site, output, monkeypatch):
    """What it had moved over has changed all the same, and a cache is told of it."""
    build_site()
    for each in many:
        shelf.release(shelf.update(each, content="New words.\n"))
    page = output / "guides/page-39/index.html"
    before = page.stat().st_ino
    seen, write = set(), PageWriter.write

    def watching(writer, page_, area):
        seen.add(page.stat().st_ino != before)
        return write(writer, page_, area)

    monkeypatch.setattr(PageWriter, "write", watching)
    monkeypatch.setattr(work_split, "PROGRAM", [sys.executable, "-c", LEAVING])

    report = build_site()

    assert seen == {False, True}
    pages = {path for path in report.written if path.endswith("/index.html")}
    assert pages >= {f"guides/page-{number}/index.html" for number in range(COUNT)}


def test_other_snapshot(short, many, build_site, output, made_here, monkeypatch):
    """A worker that reads another snapshot gets no requests."""
    start = WorkerProcess.start

    def late(worker, *given):
        with writing():
            changes.mark("docs")
        start(worker, *given)

    monkeypatch.setattr(WorkerProcess, "start", late)

    assert build_site().failed == []

    assert len(made_here) == COUNT


def test_page_that_fails(short, many, settings, clock, tmp_path):
    """A page that cannot be made fails alone, with its reason, whoever tried."""
    template = tmp_path / "own/docs/document.html"
    template.parent.mkdir(parents=True)
    failing = "{% if data.title == 'Page 33' %}{{ 1 // 0 }}{% endif %}"
    default = (DEFAULT_TEMPLATES / "docs/document.html").read_text()
    template.write_text(failing + default)
    own = replace(settings, templates=str(tmp_path / "own"))

    report = build(BuildContext(clock.now, own, site_theme(own)))

    reason = "ZeroDivisionError: integer division or modulo by zero"
    assert report.failed == [("guides/page-33/index.html", "docs", reason)]


def test_batch_split():
    """Every group is made once, wherever; the last parts are small."""
    split, here, there = BatchSplit(1000), [], []
    while part := split.next_here():
        here += range(1000)[part]
        if part := split.next_for_worker():
            there.append(part)

    made = [number for start, end in there for number in range(start, end)]
    assert sorted(here + made) == list(range(1000))
    assert there[0] == (758, 1000)
    assert there[-1][1] - there[-1][0] == work_split.PART_SIZE
