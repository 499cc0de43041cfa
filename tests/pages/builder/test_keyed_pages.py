"""Pages with an unchanged key are neither rendered nor read, and stay listed."""

import json
from dataclasses import replace

import pytest

from sitegen.builder.build import build
from sitegen.output.folder import OutputFolders
from sitegen.output.inspection import Inspection
from sitegen.page import (
    GENERATORS,
    BuildContext,
    KeyedPages,
    Page,
    PageGenerator,
    Stage,
)
from sitegen.theme.site_theme import site_theme

PATH = "own/a.json"


class Keyed:
    """Keyed pages of a test: their key, their content, and the number of renderings."""

    def __init__(self):
        self.key, self.content, self.made = 1, "one", 0
        self.requires = []

    def generate(self, _):
        if self.key is not None:
            yield KeyedPages("own", self.key, self._make, lambda: self.requires)

    def _make(self):
        self.made += 1
        yield Page(PATH, self.content)


@pytest.fixture
def keyed(monkeypatch):
    pages = Keyed()
    generator = PageGenerator(pages.generate, "status")
    monkeypatch.setitem(GENERATORS, "status", [*GENERATORS["status"], generator])
    return pages


@pytest.fixture
def build_again(store, settings, clock, keyed):
    """Build in one process, which remembers the previous build."""
    theme, memory = site_theme(settings), {}

    def built(areas=("status",), theme=theme, **options):
        context = BuildContext(clock.now, settings, theme, process_cache=memory)
        return build(context, areas, **options)

    built.memory = memory
    built(areas=["docs", "status"])
    return built


def test_equal_key(build_again, keyed, output):
    """With an equal key nothing is rendered, and the file and its entry stay."""
    report = build_again()

    assert (keyed.made, report.written, report.removed) == (1, [], [])
    assert (output / PATH).read_text() == "one"
    assert PATH in json.loads((output / "manifest.json").read_text())["files"]


def test_other_key(build_again, keyed, output):
    """With another key the pages are rendered, and written if they differ."""
    keyed.key, keyed.content = 2, "two"

    report = build_again()

    assert report.written == [PATH]
    assert (output / PATH).read_text() == "two"
    assert build_again().written == []
    assert keyed.made == 2


def test_pages_that_are_gone(build_again, keyed, output):
    """The files of pages that are no longer generated are removed."""
    build_again()
    keyed.key = None

    assert build_again().removed == [PATH]
    assert not (output / PATH).exists()


def test_failed_page(build_again, keyed, output):
    """
    A page that failed is rendered again by the next build, even with the same key.
    """
    keyed.key, keyed.content = 2, object()
    report = build_again()
    keyed.content = "two"

    assert [path for path, *_ in report.failed] == [PATH]
    assert build_again().written == [PATH]
    assert (output / PATH).read_text() == "two"


def test_damaged_file(build_again, keyed, settings, output):
    """An inspection finds the modified file alone, and a build writes it again."""
    folders = OutputFolders(settings.output)
    build_again(folders=folders)
    build_again(folders=folders)
    assert not Inspection().step(folders["status"])
    (output / PATH).write_text("bad")
    while not Inspection().step(folders["status"]):
        pass
    assert folders["status"].damaged == {PATH}

    build_again(folders=folders)

    assert (output / PATH).read_text() == "one"


def test_other_area(build_again, keyed):
    """A build of another area leaves the pages unchanged, and remembers them."""
    build_again(areas=["docs"])
    build_again()

    assert keyed.made == 1


@pytest.mark.parametrize("options", [{"full": True}, {"theme": "other"}])
def test_full_build_and_other_theme(build_again, keyed, settings, options):
    """A full build, and one with other templates or settings, renders all."""
    if "theme" in options:
        options = {"theme": site_theme(replace(settings, tagline="Hello"))}

    build_again(**options)

    assert keyed.made == 2


def test_other_process(build_again, keyed, settings, clock):
    """If another process has built since, all pages are rendered and compared."""
    keyed.key, keyed.content = 2, "two"
    build(BuildContext(clock.now, settings, site_theme(settings)), ["status"])
    keyed.key, keyed.content = 1, "one"

    assert build_again().written == [PATH]


def test_interrupted_build(build_again, keyed, output):
    """
    After an interrupted build all pages are rendered, because the files are unknown.
    """
    keyed.key, keyed.content = 2, "two"

    def die(pages):
        for page in pages:
            yield page
            if page.path == PATH:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_again(progress=die)
    keyed.key, keyed.content = 1, "one"

    build_again()

    assert (output / PATH).read_text() == "one"


def test_stages(build_again, keyed, monkeypatch):
    """Pages of an earlier stage are written first, whichever generator yields them."""
    later = PageGenerator(
        lambda _: iter([Page("own/c.json", "c")]), "status", Stage.LISTS
    )
    monkeypatch.setitem(GENERATORS, "status", [*GENERATORS["status"], later])
    keyed.key, keyed.content, keyed.requires = 2, "two", ["own/c.json"]

    report = build_again()

    assert report.written.index("own/c.json") < report.written.index(PATH)
