"""The menus of languages and versions, and the robots rule of old versions."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from models.settings import SettingError, Settings
from models.site_addresses import file_for
from sitegen.builder.build import build
from sitegen.page import BuildContext, require_templates
from sitegen.theme.site_theme import site_theme
from sitegen.theme.switcher import read_switcher
from tests.pages.html import Reader
from tests.pages.status.test_status import sample_status  # noqa: F401  (a fixture)

HERE = "https://example.com/docs/v2"
OLD = {"name": "1.x", "url": "https://example.com/docs/v1/", "version": "1.9"}
NEW = {"name": "2.x", "url": HERE, "version": "2.4"}
ENGLISH = {"name": "English", "url": f"{HERE}/", "language": "en"}
GERMAN = {"name": "Deutsch", "url": "https://example.com/de", "language": "de"}


@pytest.fixture
def written(tmp_path):
    """Return settings whose file of sites has this content."""

    def settings_with(content, base=None, **more):
        file = tmp_path / "sites.json"
        text = content if isinstance(content, str) else json.dumps(content)
        file.write_text(text, encoding="utf-8")
        result = {"site_url": HERE, "switcher": str(file)} | more
        return replace(base or Settings(), **result)

    return settings_with


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{", r"sites.json is not valid JSON: .*\."),
        ("[]", r"must contain a list of sites such as "),
        ({"name": "2.x"}, r"must contain a list of sites such as "),
        ([NEW, "1.x"], r"site 2 in .* must be an object such as "),
        ([{"name": "2.x", "url": HERE}], "must have either a language or a version"),
        ([NEW | {"language": "en"}], "must have either a language or a version"),
        ([NEW | {"colour": "red"}], "has an unknown field 'colour'"),
        ([NEW | {"name": ""}], "must have as its name one line"),
        ([NEW | {"name": 2}], "must have as its name one line"),
        ([NEW | {"version": 2.4}], "must have as its version one line"),
        ([NEW | {"url": "/docs/v2"}], "must have as its url a URL such as"),
        ([{"name": "2.x", "version": "2"}], "must have as its url a URL such as"),
        ([GERMAN | {"language": "german!"}], "must have as its language the tag of"),
        ([GERMAN | {"output": 1}], "must have as its output the path of a folder"),
        ([OLD], f"no site in .* has the URL of this one, {HERE}"),
        ([NEW, NEW], f"more than one version with the URL {HERE}"),
    ],
)
def test_wrong_file(written, content, sentence):
    """The start is stopped with a sentence that says what to change."""
    with pytest.raises(SettingError, match=rf"^MASTHEAD_SWITCHER: .*{sentence}"):
        require_templates(written(content))


def test_missing_file():
    """A missing file stops the start too."""
    settings = replace(Settings(), switcher="/nowhere.json")

    with pytest.raises(SettingError, match=r"/nowhere\.json cannot be read: No such"):
        require_templates(settings)


def test_menus(written):
    """There is a menu for each dimension in which this site differs from others."""
    both = read_switcher(written([OLD, NEW, ENGLISH, GERMAN])).menus
    one = read_switcher(written([OLD, NEW, GERMAN])).menus

    assert list(both) == ["language", "version"]
    assert list(one) == ["version"]
    assert [(s.url, s.is_current) for s in one["version"]] == [
        ("https://example.com/docs/v1", False),
        (HERE, True),
    ]


@pytest.fixture
def pages(sample_status, docs_project, settings, clock, output, written):  # noqa: F811
    """Build with the sites, and return pages by their paths."""

    def built(content, **more):
        result = written(content, settings, **more) if content else settings
        result = replace(result, **more)
        built.report = build(BuildContext(clock.now, result, site_theme(result)))
        assert built.report.failed == []
        return lambda path: Reader((output / path).read_text(encoding="utf-8"))

    docs_project.publish("welcome")
    moved = docs_project.publish("limits", collection="support")
    docs_project.update(moved, collection="products")
    return built


def test_page_with_menus(pages):
    """Without scripts, a menu links to the home page of each site."""
    page = pages([OLD, NEW, ENGLISH, GERMAN])("guides/welcome/index.html")

    labels = [e["aria-label"] for e in page.all("summary") if "aria-label" in e]
    assert labels == ["Language: English", "Version: 2.x"]
    links = [e for e in page.all("a") if e["href"].startswith("https://")]
    assert [e["href"] for e in links] == [
        *(f"{HERE}/", "https://example.com/de/"),
        *("https://example.com/docs/v1/", f"{HERE}/"),
    ]
    assert [e.get("hreflang") for e in links] == ["en", "de", None, None]
    assert [e.get("aria-current") for e in links] == ["true", None, None, "true"]


def alternates(page):
    return [e["href"] for e in page.all("link") if "hreflang" in e]


@pytest.fixture
def german(settings, clock, tmp_path):
    """Build the German site with the current content; return its entry."""

    def built():
        folder = str(tmp_path / "german")
        result = replace(settings, site_url=GERMAN["url"], output=folder)
        assert build(BuildContext(clock.now, result, site_theme(result))).failed == []
        return GERMAN | {"output": folder}

    return built


def test_languages_for_search_engines(pages, german, docs_project, output):
    """
    Each page links to its translations in all languages that have it, and no others.
    """
    only_german = docs_project.publish("only-german")
    entry = german()
    docs_project.withdraw(only_german)
    docs_project.publish("only-english")

    page = pages([OLD, NEW, ENGLISH, entry])

    assert alternates(page("guides/welcome/index.html")) == [
        f"{HERE}/guides/welcome/",
        "https://example.com/de/guides/welcome/",
    ]
    assert len(alternates(page("index.html"))) == 2
    assert len(alternates(page("status/services/api/index.html"))) == 2
    only_english, moved = "guides/only-english/index.html", "support/limits/index.html"
    for path in (only_english, moved, "404.html"):
        assert alternates(page(path)) == [], path
    named = 0
    for path in output.rglob("*.html"):
        for href in alternates(Reader(path.read_text(encoding="utf-8")))[1:]:
            file = file_for(href.removeprefix(GERMAN["url"]))
            assert Path(entry["output"], file).is_file(), (path, href)
            named += 1
    assert named > 10


def test_page_that_another_language_gets(pages, german, docs_project):
    """When the other site gets or loses a page, only this one is written again."""
    here = docs_project.publish("limits-too")
    docs_project.withdraw(here)
    sites = [ENGLISH, german()]
    docs_project.release(here)
    pages(sites)

    german()
    page = pages(sites)
    written = [path for path in pages.report.written if path.endswith(".html")]

    assert written == ["guides/limits-too/index.html"]
    assert len(alternates(page(written[0]))) == 2
    pages(sites)
    assert [each for each in pages.report.written if each.endswith(".html")] == []


@pytest.mark.parametrize("more", [{}, {"output": "/nowhere"}])
def test_site_of_which_nothing_is_known(pages, more):
    """Only the home page of an unknown site is linked, and not before it is built."""
    page = pages([ENGLISH, GERMAN | more])

    assert alternates(page("guides/welcome/index.html")) == []
    assert len(alternates(page("index.html"))) == (0 if more else 2)


def test_site_that_stands_alone(pages):
    """Without the setting there is no menu, and nothing is loaded for one."""
    page = pages(None)("guides/welcome/index.html")

    assert not any("switcher" in str(element) for element in page.elements)
    assert alternates(page) == []


def test_old_version_is_not_listed(pages):
    """Every page of an old version asks not to be indexed; others do not."""
    path = "guides/welcome/index.html"

    listed = pages(None)(path)
    unlisted = pages(None, indexing="off")(path)

    assert [e for e in listed.all("meta") if e.get("name") == "robots"] == []
    (robots,) = (e for e in unlisted.all("meta") if e.get("name") == "robots")
    assert robots["content"] == "noindex"


def test_other_sites_are_another_look(written):
    """A change of the file writes every page again."""
    theme = site_theme(written([NEW]))
    before = theme.version

    written([OLD, NEW])

    assert theme.version == before
    assert theme.reload()
    assert theme.version != before
