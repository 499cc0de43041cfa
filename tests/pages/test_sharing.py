"""A long build is shared with another process, and is none the different for it."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from models import changes
from models.projects.documents.rendered_bodies import BodyRow
from models.storage.database import writing
from sitegen.build import build as building
from sitegen.build import work_split
from sitegen.build.build import build
from sitegen.build.page_writer import Maker
from sitegen.build.work_split import Turn, Worker
from sitegen.docs.body_cache import Bodies
from sitegen.output.folder import Folder
from sitegen.page import BuildContext
from sitegen.theme.theme import DEFAULT_TEMPLATES, Theme
from tests.pages.test_build import files_in

COUNT = 40


@pytest.fixture
def short(monkeypatch):
    """Let a build of a few documents be a long one, of small parts."""
    monkeypatch.setattr(building, "MANY", 1)
    for name, number in {"PART": 2, "MOST": 5, "WORTH": 2}.items():
        monkeypatch.setattr(work_split, name, number)
    # This process waits for the other, which has first to start.
    monkeypatch.setattr(
        building._Work, "_work_out", lambda work, _: wait_for(work.helper)
    )


def wait_for(helper):
    for each in helper._under_way.values():
        each.result()


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
    """The documents whose pages this process made."""
    found, made = set(), Maker.made

    def noted(maker, page, area):
        if page.template == "docs/document.html":
            found.add(page.path.split("/")[1])
        return made(maker, page, area)

    monkeypatch.setattr(Maker, "made", noted)
    return found


@pytest.mark.parametrize("is_kept", [False, True])
def test_same_bytes(short, many, build_site, output, made_here, tmp_path, is_kept):
    """Who made a page is not to be seen, nor what is said of it."""
    alone = tmp_path / "alone"
    with pytest.MonkeyPatch.context() as without:
        without.setattr(work_split, "WORTH", 10_000)
        expected = build_site(output=alone, bodies=Bodies())
    assert len(made_here) == COUNT
    made_here.clear()
    if not is_kept:
        BodyRow.delete().execute()

    report = build_site(bodies=Bodies())

    assert len(made_here) < 10
    assert files_in(output) == files_in(alone)
    assert sorted(report.written) == sorted(expected.written)
    assert report.warnings == expected.warnings
    assert len(report.warnings) == COUNT + 1
    assert BodyRow.select().count() == COUNT


@pytest.mark.parametrize("full", [False, True])
def test_all_to_be_made(short, many, build_site, output, made_here, monkeypatch, full):
    """Where all is to be made nobody waits until the build proves to be long."""
    if full:
        build_site()
        made_here.clear()
    monkeypatch.setattr(building, "MANY", 10_000)

    build_site(full=full)

    assert len(made_here) < 10


def test_what_follows(short, many, shelf, store, settings, clock, made_here, tmp_path):
    """What the other process found out is known here: the next build is a short one."""
    theme, bodies, memory = Theme(settings), Bodies(), {}

    def built():
        return build(BuildContext(clock.now, settings, theme, bodies, memory=memory))

    built()
    made_here.clear()
    shelf.release(shelf.update(many[30], content="New.\n"))

    report = built()

    pages = [path for path in report.written if path.endswith("/index.html")]
    assert pages == ["guides/page-30/index.html"]
    assert "guides/page-29: no heading is at page-30.md#a" in report.warnings
    assert build(
        BuildContext(clock.now, settings, theme), folder=Folder(str(tmp_path / "fresh"))
    )
    assert files_in(Path(settings.output)) == files_in(tmp_path / "fresh")


def test_what_stands(short, many, shelf, build_site, output, made_here):
    """The other process leaves alone what stands, too."""
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
    "in its work": "import sys; from sitegen.build import worker as w;"
    " made = w.Work.answer;"
    " w.Work.answer = lambda self, asked: asked[2] < 25 and sys.exit()"
    " or made(self, asked);"
    " w.serve(sys.stdin.buffer, sys.stdout.buffer)",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_worker_that_fails(
    short, many, build_site, output, tmp_path, monkeypatch, caplog, program
):
    """What another process leaves undone is made here, and that is logged."""
    monkeypatch.setattr(work_split, "ANSWER_SECONDS", 3)
    monkeypatch.setattr(work_split, "PROGRAM", [sys.executable, "-c", program])

    assert build_site().failed == []

    assert "reason=worker-died" in caplog.text
    monkeypatch.setattr(work_split, "WORTH", 10_000)
    build_site(output=tmp_path / "alone")
    assert files_in(output) == files_in(tmp_path / "alone")


LEAVING = (
    "import sys; from sitegen.build import worker as w;"
    " made = w.Work.answer;"
    " w.Work.answer = lambda self, asked: asked and asked[2] < 30 and sys.exit()"
    " or (made(self, asked), self._folder.show())[0];"
    " w.serve(sys.stdin.buffer, sys.stdout.buffer)"
)


def test_worker_that_dies_late(short, many, shelf, build_site, output, monkeypatch):
    """What it had moved over has changed all the same, and a cache is told of it."""
    build_site()
    for each in many:
        shelf.release(shelf.update(each, content="New words.\n"))
    page = output / "guides/page-39/index.html"
    before = page.stat().st_ino
    seen, made = set(), Maker.made

    def watching(maker, page_, area):
        seen.add(page.stat().st_ino != before)
        return made(maker, page_, area)

    monkeypatch.setattr(Maker, "made", watching)
    monkeypatch.setattr(work_split, "PROGRAM", [sys.executable, "-c", LEAVING])

    report = build_site()

    assert seen == {False, True}
    pages = {path for path in report.written if path.endswith("/index.html")}
    assert pages >= {f"guides/page-{number}/index.html" for number in range(COUNT)}


def test_other_snapshot(short, many, build_site, output, made_here, monkeypatch):
    """A worker that reads of another moment is not asked for a page."""
    begin = Worker.begin

    def late(worker, *given):
        with writing():
            changes.mark("docs")
        begin(worker, *given)

    monkeypatch.setattr(Worker, "begin", late)

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

    report = build(BuildContext(clock.now, own, Theme(own)))

    reason = "ZeroDivisionError: integer division or modulo by zero"
    assert report.failed == [("guides/page-33/index.html", "docs", reason)]


def test_turn():
    """Every subject is made once, wherever; the last parts are small."""
    turn, here, there = Turn(1000), [], []
    while part := turn.here():
        here += range(1000)[part]
        if part := turn.there():
            there.append(part)

    made = [number for start, end in there for number in range(start, end)]
    assert sorted(here + made) == list(range(1000))
    assert there[0] == (758, 1000)
    assert there[-1][1] - there[-1][0] == work_split.PART
