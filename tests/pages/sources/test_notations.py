"""What readers would see of another generator's markup is in the report."""

import pytest

from sitegen.sources.unsupported_syntax import remove_local_images
from tests.processor import at_most

LEFT = [
    ("{{% panel %}}", "Shortcodes and directives", "{{% panel"),
    ("{% embed x %}", "Shortcodes and directives", "{% embed"),
    (".. versionadded:: 2.0", "Shortcodes and directives", ".. versionadded::"),
    ("See {doc}`intro`.", "Shortcodes and directives", "{doc}"),
    ("<<< @/code/a.ts{2}", "Shortcodes and directives", "<<< @/"),
    ("@[code](a.js)", "Shortcodes and directives", "@"),
    ("{* ../code/main.py hl[2] *}", "Shortcodes and directives", "{* ../code/main.py"),
    ("!!!danger", "Admonitions and blocks", "!!!danger"),
    ("/// tab | Linux", "Admonitions and blocks", "/// tab"),
    ("> [!bug]- Folded", "Admonitions and blocks", "[!bug]"),
    ("Read [[Other page#Part|this]].", "Wikilinks", "[[Other page#Part|this]]"),
    ("![[a.png|300]]", "Wikilinks", "![[a.png|300]]"),
    ("A %%hidden%% word", "Comments", "%%hidden%%"),
    ("Press ++ctrl+alt+del++.", "Keys and marks", "++ctrl+alt+del++"),
    ("It is ==important== now", "Keys and marks", "==important=="),
    ("An ^^insertion^^", "Keys and marks", "^^insertion^^"),
    ("Text { .annotate }", "Attributes", "{ .annotate }"),
    ("(my-label)=", "Attributes", "(my-label)="),
    ("Ship it :rocket:", "Icons and emoji", ":rocket:"),
    ("A paragraph ^a1b2c3", "Ids of blocks", "^a1b2c3"),
    ("import Tabs from '@theme/Tabs'", "Modules", "import Tabs from"),
    ("[[TOC]]", "Wikilinks", "[[TOC]]"),
    ("[TOC]", "Tables of contents", "[TOC]"),
    ("A <chart:bar id='x'> here", "HTML and components", "<chart:bar>"),
]
PLAIN = [
    *("a == b and c ==d", "100 %% of 5 %", "10:30:45 and std::io::Read", "x ^2"),
    *("`{{< code >}}`", "C++ and g++", "GET /users/{id}/keys", "a/// b"),
    *("[link][ref]", "- [ ] task", "f(x)=y", "export the data", "We import it from A."),
    *("{not a thing}", "==", "5 ++ 6", ":)", "a: b: c", "[^1]", "..", "*[a] b*"),
    "See <https://a.example/b> or <mailto:me@a.example>.",
    *("# A {#id}", "## B {.c}", "[a](https://a.example){.c}", "`a`"),
    "![a](https://a.example/b.png){.c}",
]


@pytest.mark.parametrize(("text", "kind", "name"), LEFT)
def test_notation_that_is_left(text, kind, name):
    """The remark has its kind, and the line in the file."""
    source = f"# Title\n\n{text}\n"

    _, remarks = remove_local_images(source, source=source)

    assert f"{kind} are shown as text: {name} (line 3)." in remarks


@pytest.mark.parametrize("text", PLAIN)
def test_words(text):
    """Words and code that look alike are no notation."""
    assert remove_local_images(f"{text}\n", source=text)[1] == []


def test_directive_in_a_fence():
    """A fence of MyST is shown as code, which is not what it means."""
    text = "```{figure} a.png\nCaption\n```\n"

    assert remove_local_images(text, source=text)[1] == [
        "Directives are shown as text: {figure}."
    ]


@pytest.mark.parametrize(
    "part", ["!!!", "[[a", "++a+", "==a", "%%", "{.", ":a", "{* ", "{{", "*[", "^^a"]
)
def test_hostile_text(part):
    """Any repetition is searched in linear time."""
    text = part * (100_000 // len(part))

    with at_most(6):
        remove_local_images(text, source=text)
