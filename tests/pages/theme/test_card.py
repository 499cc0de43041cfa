"""The preview picture for links to the site in chats and social networks."""

import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageFont, features

from models.settings import Settings
from sitegen.builder.build import build
from sitegen.page import BuildContext
from sitegen.theme import card
from sitegen.theme import site_theme as site_theme_module
from sitegen.theme.card import HEIGHT, MARGIN, PAPER, WIDTH, Card, draw_card
from sitegen.theme.site_theme import STORED_CARD, reader_page_renderer, site_theme
from sitegen.theme.theme import CARD, DEFAULT_TEMPLATES
from tests.pages.html import Reader

ACCENT = "#3538a3"
PARTS = ("latin", "latin-ext", "cyrillic", "vietnamese")
FONTS = tuple(
    (DEFAULT_TEMPLATES / f"assets/wix-madefor-text-{part}.woff2").read_bytes()
    for part in PARTS
)
MESSAGE = {
    "heading": "site.status",
    "text": "site.status",
    "values": {},
    "feeds": False,
}
ELSEWHERE = "https://example.com/logo.svg"


@pytest.fixture(autouse=True)
def each_drawn(monkeypatch):
    """Draw every card, unlike in other tests."""
    monkeypatch.setattr(site_theme_module, "make_card", card.make_card)


def fail(*_):
    raise OSError("No font is readable.")


def drawn(name, tagline="", accent=ACCENT, is_mirrored=False):
    return draw_card(Card(name, tagline, accent, FONTS, is_mirrored))


def opened(png):
    return Image.open(BytesIO(png)).convert("RGB")


def inked(png):
    """
    Return the bounding box of everything that is not background, below the stripe.
    """
    below = opened(png).crop((0, card.STRIPE + 1, WIDTH, HEIGHT))
    paper = Image.new("RGB", below.size, PAPER)

    return Image.frombytes(
        "L", below.size, bytes(a != b for a, b in pixels(below, paper))
    ).getbbox()


def pixels(*images):
    return zip(*(image.get_flattened_data() for image in images), strict=True)


@pytest.fixture
def site(tmp_path_factory):
    """Return the output folder of `theme`."""
    return tmp_path_factory.mktemp("site")


@pytest.fixture
def theme(tmp_path, site):
    def made(**settings):
        folders = {"templates": str(tmp_path), "output": str(site)}
        return site_theme(replace(Settings(), **folders, **settings))

    (tmp_path / "assets").mkdir()
    return made


def head_of(settings, clock, **changes):
    """Return the properties of the front page of a site."""
    result = replace(settings, **changes)
    report = build(BuildContext(clock.now, result, site_theme(result)))
    assert report.failed == []
    page = Reader((Path(result.output) / "index.html").read_text())
    return {
        found.get("property") or found.get("name"): found["content"]
        for found in page.all("meta")
        if "property" in found or "name" in found
    }


def test_card(settings, clock, store, output):
    """Every page has the card of the site, with its address, size and text."""
    site = {"site_name": "Northwind", "tagline": "All about it."}

    head = head_of(settings, clock, site_url="https://example.com/docs", **site)

    address = head["og:image"].removeprefix("https://example.com/docs/")
    assert opened((output / address).read_bytes()).size == (WIDTH, HEIGHT)
    size = head["og:image:width"], head["og:image:height"]
    assert size == (str(WIDTH), str(HEIGHT))
    assert head["og:image:alt"] == "Northwind – All about it."
    assert head["twitter:card"] == "summary_large_image"


@pytest.mark.parametrize("logo", ["", ELSEWHERE])
def test_without_pillow(settings, clock, store, output, monkeypatch, logo):
    """Without Pillow there is no card, and a logo replaces it."""
    monkeypatch.setitem(sys.modules, "PIL", None)

    head = head_of(settings, clock, site_logo=logo)

    assert head.get("og:image", "") == logo
    assert head["twitter:card"] == "summary"
    assert list(output.glob("assets/card.*")) == []


def test_error_while_drawing(theme, monkeypatch, caplog):
    """A card that cannot be drawn is missing, and the log has the reason."""
    monkeypatch.setattr(Image, "new", fail)

    assets = theme().assets

    assert CARD not in assets
    (record,) = caplog.records
    assert record.getMessage() == (
        "The card for links to the site was not drawn: No font is readable."
    )


def test_card_of_ones_own(theme, tmp_path):
    """A file of the operator is used as the card, at its own size."""
    Image.new("RGB", (800, 400)).save(tmp_path / "assets/card.png")

    site = theme().site({})

    assert site["card"]["href"] == site["assets"]["card.png"]
    assert (site["card"]["width"], site["card"]["height"]) == (800, 400)


def test_equal_settings_give_equal_bytes():
    """The card depends only on name, tagline and colour."""
    first = drawn("Northwind", "All about it.")
    others = [
        drawn("Southwind", "All about it."),
        drawn("Northwind", "All about us."),
        drawn("Northwind"),
        drawn("Northwind", "All about it.", "#0a7d5a"),
    ]

    assert drawn("Northwind", "All about it.") == first
    assert len({first, *others}) == 5


def test_version_follows_the_card(theme, monkeypatch):
    """Pages are rendered again when Pillow is installed."""
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "PIL", None)
        without = theme()
        before = without.version

    assert theme().version != before
    # Another process of the same build, which could not draw the card, finds it.
    assert without.reload()
    assert without.version == theme().version


def test_drawn_once(theme, monkeypatch):
    """The next process uses the card in the output folder as long as it is valid."""
    first = theme().version
    monkeypatch.setattr(Image, "new", fail)

    assert theme().version == first
    assert CARD not in theme(tagline="Another one.").assets


@pytest.mark.parametrize("content", [b"", b'{"key"', b"[]", b"\xff", b'{"key": 1}'])
def test_damaged_file(theme, site, content):
    """A card that cannot be read is drawn again."""
    first = theme().assets[CARD]
    (site / STORED_CARD).write_bytes(content)

    assert theme().assets[CARD] == first
    assert (site / STORED_CARD).read_bytes() != content


def test_pages_of_subscriptions(settings, monkeypatch, caplog):
    """The API draws no card while a reader waits for a page without it."""
    monkeypatch.setattr(Image, "new", fail)
    render = reader_page_renderer(settings)

    html = render("notifications/message.html", MESSAGE, "en")

    assert "subscribe" in html

    assert caplog.records == []


@pytest.mark.parametrize("accent", ["#3538a3", "#cc0000"])
def test_accent(accent):
    """The stripe at the top has the accent colour."""
    assert opened(drawn("Northwind", accent=accent)).getpixel((600, 5)) == tuple(
        bytes.fromhex(accent[1:])
    )


@pytest.mark.parametrize(
    "name",
    ["N", "Żółta Łódź", "Документація", "Đường truyền", "W" * 80, "Long name " * 8],
)
def test_text_stays_within_the_margins(name):
    """A name and a tagline of any valid length fit on the card."""
    left, top, right, bottom = inked(drawn(name, "w" * 160))

    # Letters may exceed the margin a little.
    assert left >= MARGIN - 8
    assert right <= WIDTH - MARGIN + 8
    assert top > 0
    assert bottom < HEIGHT - card.STRIPE - 1


def test_from_right_to_left():
    """On a right-to-left site, lines begin at the right margin."""
    left, _, right, _ = inked(drawn("Northwind", is_mirrored=True))

    assert right > WIDTH - MARGIN - 16
    assert left > MARGIN + 16


def test_characters_without_a_font(monkeypatch):
    """
    A card has no boxes for letters: without a font for the name it is not drawn, and a
    tagline is left out.
    """
    monkeypatch.setattr(card, "SYSTEM_FONTS", ("none-of-this-name.ttf",))

    assert drawn("サービス") is None
    assert drawn("Northwind", "サービス") == drawn("Northwind")


def test_font_of_the_system():
    """
    Characters that the site's font lacks are drawn with one system font that has all.
    """
    name = "ჩრდილოეთი"
    try:
        ImageFont.truetype("DejaVuSans-Bold.ttf", 20)
    except OSError:
        pytest.skip("DejaVu Sans is not installed")

    assert drawn(name)
    assert drawn(f"{name}サ") is None


def test_scripts_that_need_shaping(monkeypatch):
    """Arabic is shaped and ordered, or there is no card."""
    monkeypatch.setattr(features, "check", lambda name: False)

    assert drawn("متجر الشمال") is None
    assert drawn("Northwind")
