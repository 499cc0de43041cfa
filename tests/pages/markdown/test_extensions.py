"""Formulas, tabs, definition lists, attributes, and the options of code blocks."""

import json

import pytest

from models.locales import load_locale
from sitegen.markdown import rendering
from sitegen.markdown.code_blocks import CodeOptions, parse_info
from sitegen.markdown.math import MAX_LENGTH, MAX_LEVELS, to_mathml
from sitegen.markdown.texts import insert_texts
from tests.pages.html import Reader
from tests.pages.markdown.english import render
from tests.pages.markdown.test_markdown import html_of

MI = "<mi>{}</mi>"


def test_formulas():
    """A formula becomes MathML, inline or as a block."""
    assert html_of("a $x_1 < y$ b") == (
        "<p>a <math><msub><mi>x</mi><mn>1</mn></msub><mo>&lt;</mo><mi>y</mi></math>"
        " b</p>\n"
    )
    block = '<math display="block"><mi>x</mi></math>'
    assert html_of("$$\nx\n$$") == f'<div class="math" tabindex="0">{block}</div>\n'
    assert html_of("```math\nx\n```") == html_of("$$ x $$")
    assert html_of("a $$x$$ b") == f"<p>a {block} b</p>\n"
    assert html_of("a $`x`$ b") == html_of("a $x$ b")


@pytest.mark.parametrize(
    "text",
    [
        *("$5 and $10", "$HOME or $PATH", "a$b$", "$a $b", "\\$a$", "US$ 5$", "$$"),
        *(
            "$ a $",
            "$HOME/$USER",
            "${a}/${b}",
            "in $HOME/bin. It is in `$PATH` and `a`",
        ),
    ],
)
def test_dollars_that_are_no_formula(text):
    """Prices and shell variables are text."""
    assert "<math" not in html_of(text)


def test_formulas_are_bounded():
    """
    A formula that is invalid, too long or too deep for the converter is shown as code.
    """
    sound = "{" * MAX_LEVELS + "a" + "}" * MAX_LEVELS
    assert "<math" in to_mathml(sound, is_display=False)
    for latex in (
        "{" + sound + "}",
        r"\sqrt " * (MAX_LEVELS + 1) + "a",
        "a" * (MAX_LENGTH + 1),
        r"\newcommand{\a}{b}\a",
        r"\unknown",
        "<b>&",
    ):
        assert to_mathml(latex, is_display=True).startswith("<code")


def test_formulas_have_no_styles():
    """A formula has nothing that the page's security policy would block."""
    mathml = to_mathml(
        r"\color{red}\begin{align}a&=b\\c&=d\end{align}", is_display=True
    )

    assert "style=" not in mathml.replace("displaystyle=", "")
    assert "(1)" not in mathml


def test_tabs():
    """
    Tabs are radio buttons, each before its label and content; the first is checked.
    """
    text = '=== "A & b"\n\n    *a*\n\n    ```\n    x\n    ```\n\n=== "C"\n    c\n\nd'
    html = html_of(text + '\n\n=== "E"\n\n    e')

    reader = Reader(html)
    radios = [each for each in reader.all("input") if each["type"] == "radio"]
    assert [each["name"] for each in radios] == ["tabs.1", "tabs.1", "tabs.2"]
    assert ["checked" in each for each in radios] == [True, False, True]
    assert [each["for"] for each in reader.all("label")] == [e["id"] for e in radios]
    assert "<label" in html
    assert '>A &amp; b</label>\n<div class="tab">\n<p><em>a</em></p>' in html
    assert '>C</label>\n<div class="tab">\n<p>c</p>\n</div>\n</div>\n<p>d</p>' in html


def test_tabs_in_a_list():
    """
    Tabs can be in a list item and contain lists and tabs.
    """
    html = html_of('- a\n\n  === "B"\n\n      - c\n\n      === "D"\n\n          d\n- e')

    assert html.count('<div class="tabs"') == 2
    assert "<li>c</li>" in html
    assert html.endswith("</div>\n</li>\n<li><p>e</p>\n</li>\n</ul>\n")


@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_terms_of_one_definition(gap):
    """Each line before a definition is a term, also with an empty line between."""
    html = html_of(f"First\n*Second*\nThird{gap}:   Words.\n\nText.")

    assert "<dt>First</dt>\n<dt><em>Second</em></dt>\n<dt>Third</dt>\n<dd>" in html
    assert html.endswith("</dl>\n<p>Text.</p>\n")


@pytest.mark.parametrize("text", ["A\n# B\n: C", "A\n\nB\n\nC", "A\n> B\n: C"])
def test_lines_that_are_no_terms(text):
    """Only the lines of a paragraph right before a definition are terms."""
    assert "<dt>A" not in html_of(text)


def test_abbreviations():
    """Each use of an abbreviation has its meaning; the definitions are not shown."""
    html = html_of('A CPU, `CPU`, *CPU/GPU* and CPUs.\n\n*[CPU]: Central "unit"\n*[x]:')

    abbr = '<abbr title="Central &quot;unit&quot;">CPU</abbr>'
    assert html == (
        f"<p>A {abbr}, <code>CPU</code>, <em>{abbr}/GPU</em> and CPUs.</p>\n"
        "<p>*[x]:</p>\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "これは**「太字」**です。**『も』**も",
            "これは<strong>「太字」</strong>です。<strong>『も』</strong>も",
        ),
        ("请**注意（重要）**的", "请<strong>注意（重要）</strong>的"),
        ("한국어**(강조)**는", "한국어<strong>(강조)</strong>는"),
        ("a**(b)**c 2 * 3 * 4 二 * 三", "a**(b)**c 2 * 3 * 4 二 * 三"),
    ],
)
def test_emphasis_beside_wide_punctuation(text, expected):
    """Scripts without spaces between words need none around emphasis."""
    assert html_of(text) == f"<p>{expected}</p>\n"


def test_labels_of_tabs_have_no_markup():
    """A label is text, and a mark begins another group."""
    html = html_of('=== "`a` & **b**"\n    c\n===! "d"\n    e')

    assert ">a &amp; b</label>" in html
    assert html.count('<div class="tabs"') == 2


def test_definition_lists():
    """
    A term, and its definition after a colon.
    """
    assert html_of("*A*\n: b\n: c") == (
        "<dl>\n<dt><em>A</em></dt>\n<dd>b</dd>\n<dd>c</dd>\n</dl>\n"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "![a](/b.png){.dark .x width=30}",
            '<img class="only-dark" src="/to//b.png" alt="a" width="30" ',
        ),
        ("![a](/b.png){ #c }", '<span id="c"></span><img '),
        ("[a](https://b){: #c .button } d", '<span id="c"></span><a class="external"'),
        ("[a](https://b){target=_blank}", ">a</a></p>"),
        ("[a](https://b){c}", ">a</a>{c}</p>"),
        ("# a {.b}", '<h1 id="a">a</h1>'),
        ("# a {: .b #c }", '<h1 id="c">a</h1>'),
        ("# a {b}", '<h1 id="a-b">a {b}</h1>'),
    ],
)
def test_attributes(text, expected):
    """
    Known classes, sizes and ids are set, and no attribute is left in the text.
    """
    assert expected in html_of(text)


def test_id_of_attributes_is_an_anchor():
    """
    An id in braces can be linked to, once.
    """
    rendered = render("[a](https://b){#c} ![d](/e.png){#c}\n\n# C")

    assert [each.id for each in rendered.headings] == ["c-1", "c"]


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ("js", CodeOptions("js")),
        ("rust,ignore", CodeOptions("rust")),
        (
            'js title="a b.js" {1,3-4}',
            CodeOptions("js", "a b.js", {"highlighted": {1, 3, 4}}),
        ),
        ("js showLineNumbers", CodeOptions("js", first_number=1)),
        ("js showLineNumbers=false", CodeOptions("js")),
        (
            'py hl_lines="2 4-5" linenums="7"',
            CodeOptions("py", "", {"highlighted": {2, 4, 5}}, 7),
        ),
        ('{ .yaml .annotate title="a" }', CodeOptions("yaml", "a")),
        (
            'go {linenos=table,hl_lines=[8,"15-16"],linenostart=199}',
            CodeOptions("go", "", {"highlighted": {8, 15, 16}}, 199),
        ),
        (
            "js {2} ins={4} del={5-6} mark={8}",
            CodeOptions(
                "js", "", {"highlighted": {2, 8}, "added": {4}, "removed": {5, 6}}
            ),
        ),
        (
            "js{1} focus={2} warning={3} error={4}",
            CodeOptions(
                "js",
                "",
                {"highlighted": {1}, "focused": {2}, "warning": {3}, "error": {4}},
            ),
        ),
        ("js title='a'", CodeOptions("js", "a")),
        ('title="a"', CodeOptions("", "a")),
        ("", CodeOptions()),
    ],
)
def test_options_of_code(info, expected):
    """
    The notations of mdBook, Docusaurus, Material, Starlight and Hugo.
    """
    assert parse_info(info) == expected


def test_lines_of_code():
    """Each line is an element, highlighted and numbered, and comments span lines."""
    html = html_of("```js {2} linenums=8\n/* a\nb */\n```")

    assert (
        '<span class="line" data-line="8"><span class="cm">/* a</span>\n</span>'
        '<span class="line highlighted" data-line="9"><span class="cm">b */</span>\n'
        "</span></code>"
    ) in html


def test_diagrams_say_what_they_are():
    """
    A diagram that only a script could draw is shown as code, labelled as a diagram.
    """
    html = html_of("```mermaid\ngraph TD\n```")

    assert '<p class="code-title">Mermaid diagram</p><pre tabindex="0">' in html


def test_extensions_beside_html():
    """The sanitiser keeps the elements of the extensions."""
    for text in ("$x$", '=== "A"\n\n    a', "```js {1} linenums=1 title=a\nb\n```"):
        before, after = html_of(text), html_of(f"{text}\n\n<br>")

        assert after.replace('=""', "").startswith(before.strip())


def test_texts_in_other_languages(tmp_path):
    """Our text in a document is in the language of the page."""
    own = {"docs.admonition-note": "Hinweis", "docs.table": "Tabelle"}
    (tmp_path / "locales").mkdir()
    (tmp_path / "locales" / "de.json").write_text(json.dumps(own))
    rendered = rendering.render("> [!NOTE]\n> A\n\n| B |\n|---|\n| C |\n")

    html = insert_texts(rendered.html, load_locale("de", str(tmp_path)))

    assert '<p class="admonition-title">Hinweis</p>' in html
    assert 'aria-label="Tabelle"' in html
    assert "\x03" not in html
