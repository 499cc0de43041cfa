"""The theme of the site: own templates, legible colours, digests."""

import gzip
import hashlib
import re
from collections import Counter
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest

from models.colours import (
    DARK_BACKGROUND,
    LIGHT_BACKGROUND,
    accent_rule,
    contrast,
)
from models.settings import Settings
from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from sitegen.theme.theme import Theme

ACCENT = re.compile(r"light-dark\((#[0-9a-f]{6}),(#[0-9a-f]{6})\)")


@pytest.fixture
def own(tmp_path):
    """A folder of custom templates, and the theme with it."""
    (tmp_path / "assets").mkdir()
    return tmp_path


def theme(folder=None, **settings):
    return Theme(replace(Settings(), templates=str(folder or ""), **settings))


def test_own_template_goes_before_ours(own):
    """A custom template replaces ours of the same name, and can use the others."""
    (own / "404.html").write_text("<p>Gone, {{ site.name }}.</p>")

    assert (
        theme(own).render("404.html", site={"name": "Ada's"})
        == "<p>Gone, Ada&#39;s.</p>"
    )
    assert "robots" not in theme(own).assets


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        *(("own.html", "a &amp; b"), ("own.txt", "a &amp; b")),
        *(("messages/own.html", "a &amp; b"), ("messages/own.txt", "a & b")),
    ],
)
def test_templates_that_escape(own, name, shown):
    """Every template escapes what it shows, but messages that are no HTML."""
    (own / "messages").mkdir()
    (own / name).write_text("{{ text }}")

    assert theme(own).render(name, text="a & b") == shown


def test_template_written_anew(own):
    """A theme uses the current content of a template, not that of earlier themes."""
    for words in ("One.", "Two.", "One."):
        (own / "404.html").write_text(words)

        assert theme(own).render("404.html") == words


def test_templates_in_two_languages(own):
    """Constant texts of a template are in the language of each theme."""
    (own / "404.html").write_text(
        "{{ 0.5|percent }}{% set half = 0.5|percent %} {{ half }}"
    )

    texts = [theme(own, language=tag).render("404.html") for tag in ("en", "sv")]

    assert texts == ["0.5 % 0.5 %", "0,5 % 0,5 %"]


def test_own_asset_goes_before_ours(own):
    """A custom asset replaces ours of the same name; others are added."""
    (own / "assets/page.js").write_text("// ours")
    (own / "assets/map.svg").write_text("<svg/>")

    found = theme(own).assets

    assert found["page.js"][1] == b"// ours"
    assert found["map.svg"][1] == b"<svg/>"
    assert found["theme.js"] == theme().assets["theme.js"]


def test_what_is_no_asset(own):
    """Folders and hidden files are no assets; a name needs no extension."""
    (own / "assets/old").mkdir()
    (own / "assets/.DS_Store").write_text("x")
    (own / "assets/LICENCE").write_text("x")

    found = theme(own).assets

    assert {"old", ".DS_Store"}.isdisjoint(found)
    assert re.fullmatch(r"assets/LICENCE\.[0-9a-f]{10}", found["LICENCE"][0])


def test_assets_carry_their_digest():
    """The name of an asset has its digest, so that hosts may cache it for ever."""
    for name, (path, content) in theme().assets.items():
        stem, _, ending = name.partition(".")
        digest = hashlib.sha256(content).hexdigest()[:10]
        assert path == f"assets/{stem}.{digest}.{ending}"


def test_assets_are_light():
    """Compressed, with code colours: styles 15, scripts 8, fonts 120 KB."""
    sizes = Counter()
    for name, (_, content) in theme().assets.items():
        # Loaded only for searching, and if there are other versions or languages.
        if name not in ("search.js", "switcher.css", "switcher.js"):
            sizes[name.rpartition(".")[2]] += len(gzip.compress(content))

    assert sizes["css"] < 17_000
    assert sizes["woff2"] < 120_000
    assert sizes["js"] < 8_000


@pytest.mark.parametrize(
    ("language", "parts"),
    [
        ("de", ["latin"]),
        ("pl", ["latin", "latin-ext"]),
        ("uk", ["latin", "cyrillic"]),
        ("vi", ["latin", "vietnamese"]),
        ("ja", ["latin"]),
    ],
)
def test_fonts_of_a_language(language, parts):
    """The font parts that a language needs are loaded first."""
    fonts = theme(language=language).site({})["fonts"]

    assert [name.split(".")[0] for name in fonts] == [
        f"/assets/wix-madefor-text-{part}" for part in parts
    ]


def test_style_sheets_name_fonts(own):
    """A style sheet refers to fonts by their names with digests."""
    (own / "assets" / "own.woff2").write_bytes(b"font")
    style = 'src: url("own.woff2"), url("elsewhere.woff2")'
    (own / "assets" / "own.css").write_text(style)

    assets = theme(own).assets

    _, name = assets["own.woff2"][0].split("/")
    expected = f'src: url("{name}"), url("elsewhere.woff2")'
    assert assets["own.css"][1].decode() == expected


def test_scripts_have_their_texts(own):
    """A script gets its texts in the language of the site, as JSON."""
    script = 'show(TEXT("site.status"), TEXT("front.pages"));'
    (own / "assets" / "own.js").write_text(script)

    content = theme(own).assets["own.js"][1].decode()

    pages = '{"one": "{count} page", "other": "{count} pages"}'
    assert content == f'show("Status", {pages});'


def test_version_names_the_looks(own):
    """Other templates, assets or names of the site give another version."""
    versions = {theme().version, theme(site_name="B").version, theme(own).version}
    (own / "404.html").write_text("x")
    versions |= {theme(own).version, theme(accent_colour="#ff0000").version}

    versions.add(theme(own, freshness_seconds=60).version)

    assert len(versions) == 5
    assert theme().version == theme().version


def test_own_base_of_all_pages(own, build_site, settings, docs_project, clock):
    """Content that a custom template adds to the base is on every page, beside ours."""
    (own / "assets/own.css").write_text("h1 { color: red; }")
    (own / "base.html").write_text(
        '{% extends "masthead/base.html" %}'
        '{% block own %}<link rel="stylesheet" href="{{ site.assets[\'own.css\'] }}">'
        "{% endblock %}{% block colophon %}<p>Ada and sons</p>{% endblock %}"
    )
    docs_project.publish("welcome")
    result = replace(settings, templates=str(own))

    report = build(BuildContext(clock.now, result, site_theme(result)))

    assert report.failed == []
    for path in Path(settings.output).rglob("*.html"):
        if "embed" not in path.parts:
            html = path.read_text()
            assert 'href="/assets/own.' in html, path
            assert "<p>Ada and sons</p>" in html, path
            assert "<h1" in html, path


def test_assets_out_of_use(own, settings, clock, docs_project):
    """
    Unused assets stay for open tabs, and are removed by a theme change a month later.
    """
    result, folder = replace(settings, templates=str(own)), Path(settings.output)

    def shown(colour, **passed):
        clock.pass_(**passed)
        (own / "assets/own.css").write_text(f"h1 {{ color: {colour}; }}")
        report = build(BuildContext(clock.now, result, site_theme(result)))
        styles = {each.read_text()[12:-3] for each in folder.glob("assets/own.*.css")}
        return styles, report.removed

    assert shown("red", days=0) == ({"red"}, [])
    assert shown("green", days=90) == ({"red", "green"}, [])
    assert shown("blue", days=29) == ({"red", "green", "blue"}, [])
    styles, removed = shown("grey", days=2)
    assert styles == {"green", "blue", "grey"}
    assert [path.split(".")[0] for path in removed] == ["assets/own"]


@pytest.mark.parametrize("logo", ["", "https://example.com/a.svg", "/other.svg"])
def test_logo_elsewhere(own, logo):
    """A logo that is no asset stays as configured, and none is none."""
    assert theme(own, site_logo=logo).site({})["logo"] == (logo or None)


def test_logo_of_ones_own(own):
    """An asset is configured by its name, and found under its digest."""
    (own / "assets/logo.svg").write_text("<svg/>")

    found = theme(own, site_logo="/assets/logo.svg")

    assert found.site({})["logo"] == "/" + found.assets["logo.svg"][0]


@pytest.mark.parametrize(
    "colour", ["#000000", "#ffffff", "#ffff00", "#777777", "#ff0000", "#3538a3"]
)
def test_accent_is_readable(colour):
    """For any accent colour, links have a contrast of 4.5 in both schemes."""
    light, dark = ACCENT.search(accent_rule(colour)).groups()

    assert contrast(light, LIGHT_BACKGROUND) >= 4.5
    assert contrast(dark, DARK_BACKGROUND) >= 4.5


def test_accent_stands_in_the_style():
    """A custom accent colour is the last rule of the style sheet."""
    assert (
        b"light-dark(#cc0000" in theme(accent_colour="#cc0000").assets["style.css"][1]
    )


def test_changed_template_rewrites_its_pages(tmp_path, settings, clock, docs_project):
    """A changed template rewrites its pages, although their data is the same."""
    docs_project.publish("welcome")
    # A folder without the output in it, which changes with each build.
    template = tmp_path / "own/404.html"
    template.parent.mkdir()
    own = replace(settings, templates=str(template.parent))

    def build_with(words):
        template.write_text(words)
        report = build(BuildContext(clock.now, own, site_theme(own)))
        return (Path(settings.output) / "404.html").read_text(), report.written

    text, written = build_with("One.")
    assert text == "One."
    assert len(written) > 1
    assert build_with("Two.") == ("Two.", ["404.html"])
    assert build_with("Two.") == ("Two.", [])


def test_fragment(tmp_path):
    """A part of pages is rendered once for equal values of one site."""
    (tmp_path / "part.html").write_text(
        "{{ site.name }} {{ of|upper }}{{ site.count() }}"
    )
    (tmp_path / "page.html").write_text("""{{ fragment("part.html", of=page.of) }}""")
    found, renderings = theme(tmp_path), count(1)
    sites = [{"name": name, "count": lambda: next(renderings)} for name in ("A", "B")]

    def show(site, of):
        return found.render("page.html", site=site, page={"of": of})

    one, other = sites
    shown = [show(one, "x"), show(one, "<"), show(one, "x"), show(other, "x")]
    assert shown == ["A X1", "A &lt;2", "A X1", "B X3"]
