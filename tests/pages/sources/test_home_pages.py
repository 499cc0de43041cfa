"""Home pages that are written in front matter become pages that can be read."""

import pytest

from sitegen.sources.source_file import read_file
from sitegen.sources.tree import read_tree

VITEPRESS = """
layout: home
hero:
  name: Widget
  text: A tool for 2 people
  tagline: |
    Small,
    and fast
  image: {src: /logo (1).svg, alt: "The [logo]"}
  actions:
    - {theme: brand, text: Get started, link: /guide/start}
    - {theme: alt, text: "Code [new]", link: https://code.example}
features:
  - {icon: 🚀, title: Fast, details: It takes no time.}
  - icon: {src: /small.svg}
    title: Small
    details: It fits.
    link: /guide/size
    linkText: How small
  - {icon: "<svg/>", title: Open, link: /guide/open}
  - {details: Only words.}
"""
STARLIGHT = """
title: Widget
template: splash
hero:
  title: Widget for all
  image: {light: ./day.png, dark: ./night.png, alt: W}
  actions: [{text: Start, link: /start/, icon: right-arrow}]
"""
VUEPRESS = """
home: true
heroText: Widget
heroImage: /logo.png
tagline: Small
actionText: Begin →
actionLink: /guide/
features: [{title: Fast, details: It is.}]
footer: Licensed
"""


@pytest.fixture
def body_of(tmp_path):
    """Return the body of a page with this front matter and text."""

    def reading(front_matter, text=""):
        (tmp_path / "index.md").write_text(f"---\n{front_matter.strip()}\n---\n{text}")
        return read_file(tmp_path, tmp_path / "index.md").body

    return reading


def test_vitepress(body_of):
    """
    Name, text, tagline, picture, actions and features follow each other, then the text.
    """
    assert body_of(VITEPRESS, "## More\n").split("\n\n") == [
        "# Widget",
        "A tool for 2 people",
        "Small, and fast",
        r"![The \[logo\]](/logo%20%281%29.svg)",
        r"[Get started](/guide/start) · [Code \[new\]](https://code.example)",
        "- 🚀 **Fast**\\\n  It takes no time.\n"
        "- ![](/small.svg){width=32} **Small**\\\n  It fits.\\\n"
        "  [How small](/guide/size)\n"
        "- **[Open](/guide/open)**\n"
        "- Only words.",
        "## More\n",
    ]


def test_starlight(body_of):
    """A page with a title keeps it; each colour scheme has its picture."""
    assert body_of(STARLIGHT).split("\n\n") == [
        "**Widget for all**",
        "![W](./day.png){.light} ![W](./night.png){.dark}",
        "[Start](/start/)",
    ]


def test_vuepress(body_of):
    """The names of VuePress's fields give the same page, with its last line."""
    actions = "actions: [{text: Begin, link: /a}, {text: More, link: /b}]"

    assert body_of(VUEPRESS, "Words.").split("\n\n") == [
        "# Widget",
        "Small",
        "![Widget](/logo.png)",
        "[Begin →](/guide/)",
        "- **Fast**\\\n  It is.",
        "Words.",
        "Licensed",
    ]
    assert body_of(f"home: true\n{actions}") == "[Begin](/a) · [More](/b)"


@pytest.mark.parametrize(
    "front_matter",
    [
        "title: A",
        "layout: home",
        "hero: big",
        "home: /start\ntagline: x",
        "hero: {actions: x, image: [1], name: {a: b}}\nfeatures: [x, {title: {}}, 1]",
    ],
)
def test_other_front_matter(body_of, front_matter):
    """Other pages stay as they are, and fields of other types count for nothing."""
    assert body_of(front_matter, "Words.") == "Words."


def test_import(tmp_path):
    """The name is the title, the description the summary, and pictures are imported."""
    (tmp_path / "index.md").write_text(f"---\n{VITEPRESS}description: In short\n---\n")
    for name in ("logo (1).svg", "small.svg"):
        svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'
        (tmp_path / name).write_text(svg)

    tree = read_tree(tmp_path)

    [page] = tree.sources
    assert (page.title, page.summary) == ("Widget", "In short")
    assert page.content.startswith("A tool for 2 people\n")
    assert len(tree.files) == 2
    assert tree.notes == []
