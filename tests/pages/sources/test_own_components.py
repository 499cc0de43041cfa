"""The templates of a docs team replace components and shortcodes of the same name."""

from collections import Counter
from multiprocessing import active_children

import pytest

from sitegen.sources.notations import own_components
from sitegen.sources.notations.dialects import to_markdown
from sitegen.sources.notations.own_components import (
    ComponentError,
    PageComponents,
    open_components,
)
from sitegen.sources.tree import read_tree

BOX = "[{{ values[0] }}{{ attributes.title }}|{{ body }}]"
PARTS = "{% macro row(x) %}({{ x }}){% endmacro %}"
TEMPLATES = {
    "Box.html": BOX,
    "box.html": BOX,
    "Card.html": "**{{ attributes.title }}**\n\n{{ body }}\n",
    "details.html": "own {{ body }}",
    "Note.html": ":::tip[{{ attributes.title }}]\n{{ body }}\n:::",
    "Chart.html": "{% from 'parts/row.html' import row %}\n"
    "{% for each in attributes.items %}\n{{ row(each.x) }}\n{% endfor %}\n",
    "parts/row.html": PARTS,
    "Twice.html": "{{ body }}{{ body }}",
    "Empty.html": "{# Nothing. #}",
}


@pytest.fixture(scope="module")
def components(tmp_path_factory):
    folder = tmp_path_factory.mktemp("components")
    write(folder, TEMPLATES)
    with open_components(folder) as opened:
        yield opened


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('a <Box title="T">b</Box> c', "a [T|b] c"),
        ("a <Box\n  title={'T'}\n/> b", "a [T|] b"),
        ("a {{< box T >}}b{{< /box >}} c", "a [T|b] c"),
        ('a {{% box title="T" %}}*b*{{% /box %}} c', "a [T|*b*] c"),
        ("a {{< box `T u` >}} b {{< box x=y />}}", "a [T u|] b [|]"),
        ("a {% box 'T' %}b{% endbox %} c", "a [T|b] c"),
        ('a {% box title="T" %}b{% /box %} {% box T %}', "a [T|b] [T|]"),
        ('{% include box.html title="T" %}', "[T|]"),
        ("{{< box https://a.example/?b=c >}}", "[https://a.example/?b=c|]"),
        ("```{box} T\nb\n```", "[T|b]"),
        (":::{box}\n:title: T\n\nb\n:::", "[T|b]"),
        (":::box[T]\nb\n:::", "[T|b]"),
        (
            '::: Card {title="T"}\n:::note\nb\n:::\n:::\nc',
            "**T**\n> [!NOTE]\n> b\nc",
        ),
        (":::box\n:::note\nb\n:::\nc\n:::", "[|:::note\nb\n:::\nc]"),
        ("<Chart items={[{x: 1}, {x: '<2>'}]} />", "(1)\n(&lt;2&gt;)"),
        ("a<Empty/>b {{< Empty >}}c{{< /Empty >}}", "ab "),
        ("`<Box/>` and <Box> and \\<Box/>", "`<Box/>` and <Box> and \\<Box/>"),
        ("```\n<Box/>\n```", "```\n<Box/>\n```"),
        ("<!-- <Box/> -->\n\nexport const A = <Box/>\n\na", "a"),
    ],
)
def test_notations(components, text, expected):
    """A component is replaced in any notation, with its attributes and its body."""
    converted = to_markdown(text, is_mdx=True, own=PageComponents(components, "a.md"))

    assert "\n".join(filter(None, converted.split("\n"))) == expected.strip("\n")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<Card title='T'>\n    *b*\n\n    c\n</Card>\nd", "**T**\n\n*b*\n\nc\n\nd"),
        ("- a\n\n  <Card title='T'>\n  b\n  </Card>", "- a\n\n\n  **T**\n\n  b"),
        ("1. <Card title='T'>b</Card>\n2. c", "1. **T**\n\n   b\n\n2. c"),
        ("> <Card title='T'>\n> b\n> </Card>", ">\n> **T**\n>\n> b\n>"),
        (
            "<Card title='A'>\n<Card title='B'>\nc\n</Card>\n</Card>",
            "**A**\n\n**B**\n\nc",
        ),
        (
            "<Note title='T'>\n<Card title='A'>b</Card>\n</Note>",
            "> [!TIP]\n> **T**\n>\n> **A**\n>\n> b",
        ),
        ("<Card title='A'>\n<Info>\nb\n</Info>\n</Card>", "**A**\n\n> [!NOTE]\n> b"),
        (
            "<details>b</details>\n\n{{< details >}}b{{< /details >}}",
            "<details>b</details>\n\n\nown b",
        ),
    ],
)
def test_markdown_in_components(components, text, expected):
    """
    What a template makes is Markdown at its place, and so is the body in it.

    Own components come before those that have a counterpart, but not before HTML.
    """
    own, removed = PageComponents(components, "a.md"), Counter()

    converted = to_markdown(text, is_mdx=False, removed=removed, own=own)

    lines = [line.rstrip() for line in converted.strip("\n").split("\n")]
    assert ("\n".join(lines), removed) == (expected, {})


@pytest.mark.parametrize("part", ["<Box>", "<Box>a</Box>", "{{< box >}}", "<Box/>"])
def test_many_components(components, part):
    """However many and deep they are, a page is read or left out."""
    own = PageComponents(components, "a.md")

    converted = to_markdown(part * 2_000, is_mdx=False, own=own)

    assert converted


LOOP = "{% for a in range(99999) %}" * 9 + "{% endfor %}" * 9


@pytest.mark.parametrize(
    ("template", "sentence"),
    [
        ("a\n{{ b }", "Card.html, line 2: unexpected '}'."),
        ("{% slot %}", "Card.html, line 1: Encountered unknown tag 'slot'."),
        (
            "{{ atributes.title }}",
            "Card.html: it uses 'atributes', but there are only attributes, values,"
            " body.",
        ),
        ("{{ 9**(9**9) }}", "Card.html: it takes more than 2 seconds or 512 MB."),
        (LOOP, "Card.html for a.md: it takes more than 2 seconds or 512 MB."),
        ("{{ 'a' * 10**9 }}", "Card.html for a.md: it takes more than 512 MB."),
        (
            "{% for a in range(20000) %}abcdef{% endfor %}",
            "Card.html for a.md: it makes more than 100,000 characters.",
        ),
        ("\n{{ 1 / values|length }}", "Card.html, line 2 for a.md: division by zero."),
        ("{% include 'Card.html' %}", "Card.html, line 1 for a.md: maximum recursion"),
        (
            "{% include '../Card.html' %}",
            "Card.html, line 1 for a.md: there is no template '../Card.html' in the"
            " folder.",
        ),
        (
            "{{ body.__class__.__mro__ }}",
            "Card.html, line 1 for a.md: access to attribute '__class__'",
        ),
    ],
)
def test_template_that_cannot_be_used(tmp_path, template, sentence):
    """The import is refused as a whole, and the sentence names the file."""
    folder, tree = tmp_path / "components", tmp_path / "tree"
    before = active_children()
    write(
        folder.parent, {"components/Card.html": template, "tree/a.md": "<Card>b</Card>"}
    )

    with pytest.raises(ComponentError) as error, open_components(folder) as opened:
        read_tree(tree, own_components=opened)

    assert str(error.value).startswith(f"{folder}/{sentence}")
    assert active_children() == before


def test_folder_that_cannot_be_used(tmp_path):
    """Nothing outside of the folder is read, and no file that is not text."""
    sentences = {}
    for name in ("link", "loop", "bytes", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "outside.html").write_text("a")
    (tmp_path / "link/Card.html").symlink_to(tmp_path / "outside.html")
    (tmp_path / "loop/Card.html").symlink_to("Card.html")
    (tmp_path / "bytes/Card.html").write_bytes(b"\xff")

    for name in ("link", "loop", "bytes", "empty", "none"):
        with (
            pytest.raises(ComponentError) as error,
            open_components(tmp_path / name),
        ):
            pass
        sentences[name] = str(error.value).replace(f"{tmp_path}/", "")

    assert sentences == {
        "link": "link/Card.html: The symbolic link points outside the folder.",
        "loop": "loop/Card.html: The file cannot be read: its symbolic links form a"
        " loop.",
        "bytes": "bytes/Card.html: The file is not UTF-8.",
        "empty": "empty has no templates, such as Card.html.",
        "none": "there is no folder none.",
    }


def test_folder_with_too_many_templates(tmp_path, monkeypatch):
    """A folder of something else is not read to its end."""
    monkeypatch.setattr(own_components, "MAX_TEMPLATES", 1)
    write(tmp_path, {"a.html": "", "b.html": "", "c.html": ""})

    with pytest.raises(ComponentError, match="more than 1 files"):
        with open_components(tmp_path):
            pass


def test_page_with_too_much_of_components(components, tmp_path):
    """It is left out, and the others are imported."""
    twice = f"<Twice>{'b' * 40_000}</Twice>\n"
    write(tmp_path, {"a.md": twice * 10, "b.md": twice * 6})

    tree = read_tree(tmp_path, own_components=components)

    assert [source.path for source in tree.sources] == ["b.md"]
    assert [(note.path, note.reason) for note in tree.skipped] == [
        ("a.md", "Its components make more than 500000 characters.")
    ]
