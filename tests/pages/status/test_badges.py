"""Badges, embeds and text: the state in short form, with its time."""

import json
from xml.etree import ElementTree

import pytest

from models.colours import contrast
from sitegen.status.badges import COLOURS, LABEL_COLOUR
from tests.factories.status import World
from tests.samples.vectors import IDS, VECTORS

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def world(api, clock):
    return World(api, clock)


@pytest.mark.parametrize("colour", [*COLOURS.values(), LABEL_COLOUR])
def test_white_words_are_readable(colour):
    """White text is readable on every colour of a badge (WCAG AA)."""
    assert contrast("#ffffff", colour) >= 4.5


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_badge_says_the_state(vector, world, build_site, output):
    """A badge has the state in words and colour, and its time."""
    world.play(vector)
    build_site()

    svg = ElementTree.fromstring((output / "status/badges/api.svg").read_bytes())

    title = svg.findtext(f"{SVG}title")
    assert vector.state.replace("-", " ").capitalize() in title
    assert title.endswith("UTC" if vector.checked is not None else "never measured")
    fills = [each.get("fill") for each in svg.iter(f"{SVG}rect")]
    assert fills == [LABEL_COLOUR, COLOURS[vector.state]]
    whole = (output / "status/badge.svg").read_text()
    assert COLOURS[vector.overall] in whole


@pytest.mark.parametrize("vector", VECTORS, ids=IDS)
def test_nothing_unknown_is_green(vector, world, build_site, output):
    """Only operational services have its colour, in every format."""
    world.play(vector)
    build_site()

    endpoint = json.loads((output / "status/badges/api.json").read_text())
    embed = (output / "status/embed/api/index.html").read_text()

    assert endpoint["color"] == COLOURS[vector.state][1:]
    assert ("is-operational" in embed) == (vector.state == "operational")
    assert f"is-{vector.state}" in embed


def test_hostile_name(world, build_site, output):
    """A name is escaped in every format."""
    world.service("api", name="<script>\"&'")
    build_site()

    for name in ("badges/api.svg", "embed/api/index.html"):
        assert "<script" not in (output / "status" / name).read_text()
    ElementTree.fromstring((output / "status/badges/api.svg").read_bytes())


def test_endpoint(world, build_site, output):
    """The file has what shields.io requires, and its refresh interval."""
    world.service("api", name="API")
    build_site()

    assert json.loads((output / "status/badges/api.json").read_text()) == {
        "schemaVersion": 1,
        "label": "API",
        "message": "unknown",
        "color": "57606a",
        "labelColor": "32383f",
        "isError": True,
        "cacheSeconds": 60,
    }


def test_embed_has_no_script(world, build_site, output):
    """An embed has no script, and never reloads itself."""
    world.service("api")
    build_site()

    for name in ("status/embed/index.html", "status/embed/api/index.html"):
        page = (output / name).read_text()
        assert "<script" not in page
        assert "http-equiv" not in page


def test_text_of_an_empty_page(build_site, output):
    """Without services, the text says so, as the page does."""
    build_site()

    assert (output / "status.txt").read_text() == (
        "Masthead: Status data unavailable\n"
        "There are no services yet.\n"
        "\n"
        "http://127.0.0.1:8000/status/\n"
    )


def test_text(world, build_site, output):
    """
    For terminals: the overall state, the services, the incidents, and the address.
    """
    world.service("api", name="Public API")
    world.service("mail", name="Mail")
    world.sample("api", "a", "operational", -5)
    world.sample("mail", "a", "operational", -5)
    world.incident("mail", title="Slow mail")
    world.window("api", -60, 60, title="New disks")
    build_site()

    assert (output / "status.txt").read_text() == (
        "Masthead: Degraded performance\n"
        "As of 1 Mar 2026, 11:59 UTC\n"
        "\n"
        "Mail        Degraded\n"
        "Public API  Maintenance\n"
        "\n"
        "Incident: Slow mail (Investigating)\n"
        "Maintenance: New disks\n"
        "\n"
        "http://127.0.0.1:8000/status/\n"
    )


@pytest.mark.parametrize(
    ("name", "length"),
    [
        ("API", 20),
        ("公開ＡＰＩ", 66),
        ("ステータス", 66),
        ("é", 7),
        ("e\u0301", 7),
        ("\u200fדא", 13),
    ],
)
def test_width_of_a_name(world, build_site, output, name, length):
    """Wide characters count as two columns, and combining marks as none."""
    world.service("api", name=name)
    build_site()

    svg = ElementTree.fromstring((output / "status/badges/api.svg").read_bytes())

    text = next(svg.iter(f"{SVG}text"))
    assert int(text.get("textLength")) == length
    assert next(svg.iter(f"{SVG}rect")).get("width") == str(length + 12)
