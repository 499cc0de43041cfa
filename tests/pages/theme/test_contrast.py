"""The colours are distinguishable for everyone, in both schemes."""

import re
from pathlib import Path

import pytest

from models.colours import DARK_BACKGROUND, LIGHT_BACKGROUND

STYLE = Path(__file__).parents[3] / "templates/assets/style.css"
TOKEN = re.compile(r"--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)")
STATES = ("operational", "maintenance", "degraded", "partial-outage", "major-outage")
SIGNS = (*STATES, "unknown")
BACKGROUNDS = ("paper", "wash")
ACCENT_BACKGROUNDS = {"light": LIGHT_BACKGROUND, "dark": DARK_BACKGROUND}


def tokens(scheme):
    found = TOKEN.findall(STYLE.read_text())
    return {
        name: tuple(bytes.fromhex((light, dark)[scheme == "dark"]))
        for name, light, dark in found
    }


def mixed(colour, paper, share):
    pairs = zip(colour, paper, strict=True)
    return tuple(a * share + b * (1 - share) for a, b in pairs)


def luminance(colour):
    parts = [part / 255 for part in colour]
    linear = [
        p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts
    ]
    return sum(p * w for p, w in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("background", BACKGROUNDS)
@pytest.mark.parametrize("text", ["ink", "soft", "accent"])
def test_text(scheme, background, text):
    """Text has a contrast of 4.5 on every background."""
    colours = tokens(scheme)

    assert contrast(colours[text], colours[background]) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", SIGNS)
def test_tinted_backgrounds(scheme, state):
    """
    Text has a contrast of 4.5 on a banner, and an admonition's title on its own tint.
    """
    colours = tokens(scheme)
    banner = mixed(colours[state], colours["paper"], 0.09)
    tint = mixed(colours[state], colours["paper"], 0.06)

    assert contrast(colours["ink"], banner) >= 4.5
    assert contrast(colours["soft"], banner) >= 4.5
    assert contrast(colours["accent"], banner) >= 4.5
    assert contrast(colours[state], tint) >= 4.5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", SIGNS)
def test_signs_and_edges(scheme, state):
    """A sign, a bar and the edge of a control have a contrast of 3."""
    colours = tokens(scheme)
    banner = mixed(colours[state], colours["paper"], 0.09)

    assert contrast(colours[state], colours["paper"]) >= 3
    assert contrast(colours[state], banner) >= 3
    assert contrast(colours["edge"], colours["paper"]) >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_grounds_for_any_accent(scheme):
    """An accent is computed for the worst background, so it is readable on all."""
    colours = tokens(scheme)
    hardest = tuple(bytes.fromhex(ACCENT_BACKGROUNDS[scheme][1:]))
    grounds = [mixed(colours[state], colours["paper"], 0.09) for state in SIGNS]
    grounds += [colours[name] for name in BACKGROUNDS]

    for ground in grounds:
        lighter = luminance(ground) > luminance(hardest) - 0.001
        darker = luminance(ground) < luminance(hardest) + 0.001
        assert lighter if scheme == "light" else darker
