"""Syntax highlighting: bounded, with classes only, and readable in both schemes."""

import re

import pytest

from sitegen.markdown.highlighting import (
    LANGUAGE_BY_ALIAS,
    MAX_CHUNK_LENGTH,
    highlight,
    stylesheet,
)
from tests.processor import at_most

GROUNDS = ("#f4f4f1", "#1b1e27")
COLOURS = re.compile(r"(?<!-)color: light-dark\((#[0-9A-Fa-f]{6}), (#[0-9A-Fa-f]{6})\)")
RULE = re.compile(r"([^{}]+) \{ ([^{}]*) \}")
HOSTILE = [
    "a ",
    "a\n",
    " \n",
    '"',
    '"\\',
    "(",
    "<",
    "a.",
    "0x",
    "<<E\n",
    "%",
    "{{",
    "-",
]


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_every_colour_can_be_read():
    """Each colour of both styles has a contrast of 4.5 to its background (WCAG AA)."""
    rules = RULE.findall(stylesheet())

    for scheme, ground in enumerate(GROUNDS):
        colours = [COLOURS.search(style)[1 + scheme] for _, style in rules]
        assert min(contrast(colour, ground) for colour in colours) >= 4.5
    assert len(rules) >= 10
    grounds = "background: light-dark({}, {});".format(*GROUNDS)
    assert [style for _, style in rules if "background" in style] == [rules[0][1]]
    assert rules[0][1].startswith(grounds)


def test_styles_stay_within_code():
    """All rules apply to code only."""
    for selectors, _ in RULE.findall(stylesheet()):
        assert re.fullmatch(r"\.code( :is\([.\w, ]+\))?", selectors.strip())


def test_known_language():
    """A known language gets spans with classes, by any of its names, in any case."""
    html = highlight("def f():\n", "PY3")

    assert html.startswith('<span class="k">def</span>')
    assert "style=" not in html


@pytest.mark.parametrize(
    "language", ["", "openmetrics", "<script>", "x" * 40, "csharp"]
)
def test_other_language(language):
    """An unknown language, or one with slow patterns, is shown plain."""
    assert highlight("<a> & b\n", language) == "&lt;a&gt; &amp; b\n"


def test_a_cut_falls_between_lines():
    """
    Long code is highlighted in pieces between lines; an overlong line stays plain.
    """
    long_line = "x = 1 #" + "x" * MAX_CHUNK_LENGTH + "\n"
    html = highlight("x = 1\n" * 1000 + long_line + "x = 1\n", "python")

    assert html.count('<span class="mi">1</span>') == 1001
    assert long_line in html


@pytest.mark.parametrize("name", sorted(set(LANGUAGE_BY_ALIAS.values())))
def test_hostile_code_is_bounded(name):
    """No language takes long for code that is made to be slow."""
    with at_most(0.3 * len(HOSTILE)):
        for part in HOSTILE:
            highlight((part * MAX_CHUNK_LENGTH)[:MAX_CHUNK_LENGTH], name)


def test_only_what_looks_different_is_marked():
    """Tokens without a style have no span; adjacent equal ones share a span."""
    assert highlight("a = 'b' + c  # d", "python") == (
        'a <span class="o">=</span> <span class="s1">\'b\'</span>'
        ' <span class="o">+</span> c  <span class="c1"># d</span>'
    )


def test_every_class_has_a_look():
    """Every class has a style, because an unstyled one would be useless."""
    code = "@app.get('/a')\nclass A(b):\n    x: int = f'{y!r}' if None else 0x1f\n"
    classes = set(re.findall(r'class="(\w+)"', highlight(code, "python")))

    assert len(classes) >= 6
    for each in classes:
        assert re.search(rf"\.{each}\b", stylesheet())
