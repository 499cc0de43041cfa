"""Rules for every page, with much data and with little."""

import gzip
import re
from itertools import pairwise

import pytest
from markupsafe import Markup

from models.settings import Settings
from sitegen.theme.console_theme import ConsoleTheme
from sitegen.theme.theme import DEFAULT_TEMPLATES
from tests.pages.html import Reader, rendered
from tests.pages.sample_docs import SIDEBAR
from tests.pages.sample_site import HOSTILE, SITE
from tests.pages.samples import FULL, MINIMAL

CASES = {f"{name}-full": case for name, case in FULL.items()} | {
    f"{name}-minimal": case for name, case in MINIMAL.items()
}
every_page = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
USER_FIELDS = {"name", "title", "summary", "description", "section", "reason"}


def hostile(value, key=None):
    """The same data with hostile texts."""
    if isinstance(value, dict):
        return {name: hostile(item, name) for name, item in value.items()}
    if isinstance(value, list):
        return [hostile(item, key) for item in value]
    by_people = key in USER_FIELDS and isinstance(value, str)
    return HOSTILE if by_people and not isinstance(value, Markup) else value


@every_page
def test_page_is_whole(case):
    """A page has a language, a title, one h1, landmarks and a skip link."""
    page = Reader(rendered(case))

    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == 1
    assert len(page.text_of("title")) >= 1
    assert page.all("a")[0] == {"class": "skip", "href": "#page.main"}
    assert [found["id"] for found in page.all("main")] == ["page.main"]
    assert "header" in dict(page.elements)
    assert "footer" in dict(page.elements)


@every_page
def test_page_keeps_to_the_policy(case):
    """Styles and scripts are loaded from files of the site; none is inline."""
    page = Reader(rendered(case))

    names = {name for name, _ in page.attributes()}
    assert not [name for name in names if name == "style" or name.startswith("on")]
    assert page.all("style") == []
    assert page.text_of("script") == []
    assert all(found["src"].startswith("/assets/") for found in page.all("script"))


@every_page
def test_page_asks_no_other_host(case):
    """Only canonical, OpenGraph and a document's own links lead to other hosts."""
    page = Reader(rendered(case))

    external = [
        found
        for _, found in page.elements
        if any("//" in (value or "") for value in found.values())
    ]
    for found in external:
        assert (
            found.get("rel") == "canonical"
            or found.get("property") in ("og:url", "og:image")
            or found.get("class") == "external"
        )


@every_page
def test_headings_skip_no_level(case):
    """A heading is at most one level below the one before it."""
    page = Reader(rendered(case))

    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))


@every_page
def test_ids_are_unique_and_labels_lead_to_them(case):
    """No id occurs twice, and every label of a landmark exists."""
    page = Reader(rendered(case))

    ids = [value for name, value in page.attributes() if name == "id"]
    labels = [value for name, value in page.attributes() if name == "aria-labelledby"]
    assert len(ids) == len(set(ids))
    assert set(labels) <= set(ids)


@every_page
def test_instants_are_told_to_machines(case):
    """Every instant in UTC is in a time element."""
    page = Reader(rendered(case))

    loose = [text for tag, text in page.texts if tag != "time" and "UTC" in text]
    assert all(re.search(r"\d\d:\d\d UTC", text) is None for text in loose)
    assert all(found["datetime"] for found in page.all("time"))


@every_page
def test_names_are_escaped_and_kept_apart(case):
    """
    A hostile name is escaped, and alone in its element, so that its text direction does
    not affect our words.
    """
    template, names = case

    page = Reader(rendered((template, hostile(names))))

    texts = [(tag, text) for tag, text in page.texts if "\u202e" in text]
    assert texts
    # A name may close the direction that it has opened.
    closed = [text.removesuffix("\u202c") for tag, text in texts if tag != "title"]
    assert closed == [HOSTILE] * len(closed)
    assert page.text_of("script") == []


@every_page
def test_equal_data_equal_text(case):
    """The text of a page depends only on its data."""
    assert rendered(case) == rendered(case)


def test_sidebar_links_can_be_marked():
    """The builder marks the current page by replacing exactly this text, once."""
    html = rendered(
        ("docs/sidebar.html", {"site": SITE, "page": None, "data": SIDEBAR})
    )

    for group in SIDEBAR["items"]:
        for item in group.get("items", [group]):
            assert html.count(f'<a href="{item["href"]}">') == 1
    assert '<a href="/guides/backups/">' not in html
    assert html.index("Welcome") < html.index("Getting started")


def test_bars_tell_days_without_colour():
    """
    The state of each day has a class, which the styles distinguish by cuts, and a name.
    """
    html = rendered(FULL["status"])

    states = set(re.findall(r'value="[0-9-]+" class="is-([a-z-]+)"', html))
    assert states >= {"operational", "maintenance", "major-outage", "none"}
    assert 'aria-label="29 Jan 2026: Degraded, 100 % uptime"' in html
    assert 'aria-label="Public API, last 90 days: Operational: 87 days' in html


def test_page_grows_old_in_its_own_words():
    """The words for stale data are in the page, hidden until the script shows them."""
    for name in ("front", "status", "service"):
        html = rendered(FULL[name])

        assert 'data-stale-at="2026-03-01T14:07:00.000Z"' in html
        assert re.search(r'class="when-old"[^>]* hidden>', html)
        assert "Status data out of date" in html


def test_timeline_is_safe_markdown():
    """
    An operator's text is Markdown without headings, in a box with its own direction;
    HTML is escaped, and harmful addresses are dropped.
    """
    template, names = FULL["incident"]
    body = "# <b>One</b>\n\n- **two** [here](javascript:evil)\n\n\u202eevil"
    update = names["data"]["updates"][0] | {"body": body}

    html = rendered((template, names | {"data": names["data"] | {"updates": [update]}}))

    box = html[html.index('<div class="said" dir="auto">') :]
    assert "<p># &lt;b&gt;One&lt;/b&gt;</p>" in box
    assert "<strong>two</strong> here" in box
    assert "javascript" not in html


def test_chart_says_what_it_draws():
    """
    A chart has its range in words, an axis, a gap where data is missing, and a table.
    """
    html = rendered(FULL["service"])

    assert "Last 24 hours, mean per hour: 180 to 190 ms" in html
    assert "190 ms; 6 hours without measurements" in html
    assert "<span>200 ms</span><span>100</span><span>0</span>" in html
    assert html.count("<td>not measured</td>") == 6 + 30
    assert html.count('class="line" d="M') == 2


def test_sizes():
    """Templates stay short; styles, scripts and pages stay within their budgets."""
    for path in DEFAULT_TEMPLATES.rglob("*.html"):
        # Macros that several pages share are looked up one at a time.
        most = 170 if path.name in ("fields.html", "parts.html") else 120
        assert len(path.read_text().splitlines()) <= most, path
    assets = DEFAULT_TEMPLATES / "assets"
    scripts = [path for path in assets.glob("*.js") if path.name != "search.js"]
    # With pages from right to left, groups of pages within each other, and examples
    # beside fields.
    assert compressed(assets.glob("*.css")) < 16_900
    assert compressed(scripts) < 8_000
    # Loaded only for searching.
    assert compressed([assets / "search.js"]) < 9_500
    # A page of the console loads one style sheet, which has the site's in it.
    console_theme = ConsoleTheme(Settings())
    files = [
        console_theme.assets[name]
        for name in console_theme.assets
        if not name.endswith(".woff2")
    ]
    assert sum(len(gzip.compress(file)) for file in files) < 40_000


def compressed(paths):
    return sum(len(gzip.compress(path.read_bytes())) for path in paths)


@every_page
def test_page_is_light(case):
    """An ordinary page is smaller than 20 KB compressed."""
    assert len(gzip.compress(rendered(case).encode())) < 20_000
