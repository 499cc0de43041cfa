"""Components and shortcodes of generators, converted to the Markdown of this site."""

from collections import Counter

import pytest

from sitegen.sources.notations.dialects import to_markdown
from sitegen.sources.tree import read_tree
from tests.processor import at_most

TABS = '=== "A"\n\n    a\n\n=== "B"\n\n    - b'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '<Tabs>\n  <TabItem value="a" label="A">\n\n    a\n\n  </TabItem>\n'
            '  <TabItem label="B">\n  - b\n  </TabItem>\n</Tabs>',
            TABS,
        ),
        ('<Tabs>\n<TabItem label="A">a</TabItem>\n</Tabs>', '=== "A"\n\n    a'),
        (
            '{{< tabs "x" >}}\n{{< tab "A" >}}\na\n{{< /tab >}}\n'
            '{{% tab header="B" %}}\n- b\n{{% /tab %}}\n{{< /tabs >}}',
            TABS,
        ),
        ("# [A](#tab/a)\n\na\n\n# [B](#tab/b)\n\n- b\n\n---\n", TABS),
        ('<Aside type="tip" title="T">\na\n</Aside>', "> [!TIP]\n> **T**\n>\n> a"),
        (":::tip[T]\na\n:::", "> [!TIP]\n> **T**\n>\n> a"),
        ('{{< alert color="danger" >}}\na\n{{< /alert >}}', "> [!CAUTION]\n> a"),
        ("{{% notice warning %}}\na\n{{% /notice %}}", "> [!WARNING]\n> a"),
        ('<section class="note">\n\na\n\n</section>', "> [!NOTE]\n> a"),
        ("{{< hint danger >}}\na\n{{< /hint >}}", "> [!CAUTION]\n> a"),
        ("{{< hint >}}a{{< /hint >}}", "> [!TIP]\n> a"),
        (
            '{{% notice style="warning" title="T" %}}a\n\nb{{% /notice %}} c',
            "> [!WARNING]\n> **T**\n>\n> a\n>\n> b\n\nc",
        ),
        (
            '{{< admonition tip "T" true >}}\na\n{{< /admonition >}}',
            "> [!TIP]\n> **T**\n>\n> a",
        ),
        (
            "| a |\n|---|\n| b |\n{{< c >}}\n| d | {{< e >}} |",
            "| a |\n|---|\n| b |\n\n{{< c >}}\n| d | {{< e >}} |",
        ),
        (
            '{{</* ref "a" */>}} `{{%/* b */%}}`\n\n```\n{{</* /c */>}}\n```',
            '{{< ref "a" >}} `{{% b %}}`\n\n```\n{{< /c >}}\n```',
        ),
        ('<Card title="T" icon="x">\n\ta\n</Card>', "**T**\n\na"),
        ('<CardGrid>\n<LinkCard title="T" href="/a/" />\n</CardGrid>', "- [T](/a/)"),
        ("<Steps>\n\n1. a\n\n</Steps>", "1. a"),
        ("<FileTree>\n\n- a\n  - b\n\n</FileTree>", "- a\n  - b"),
        (
            '<Details summary="`S` & T">\na\n</Details>',
            "<details>\n<summary>S &amp; T</summary>\n\na\n\n</details>",
        ),
        (
            '<Listing number="1-1" file-name="a.rs" caption="C">\n\nx\n\n</Listing>',
            "**a.rs**\n\nx\n\n*Listing 1-1: C*",
        ),
        (
            '<Listing caption="That `Rc<T>` is shared">\n\nx\n\n</Listing>',
            "x\n\n*That `Rc<T>` is shared*",
        ),
        (
            "<DetailedExplanation>\na\n</DetailedExplanation>",
            "<details>\n<summary>Details</summary>\n\na\n\n</details>",
        ),
        ('<Card\n  title="T"\n  href="/a/"\n/>', "- [T](/a/)"),
        ('<Card\n  title="T"\n\na', '<Card\n  title="T"\n\na'),
        (
            '<YouTube\n  id="x_1"\n  title="T"\n/>',
            "[T](https://www.youtube.com/watch?v=x_1)",
        ),
        ('<div style={{a: "b"}}>*c*</div>', "*c*"),
        (
            "<Tabs\n  values={[\n    {value: 'a', label: 'A'},\n    {value: 'b', label:"
            " <>B <i>x</i></>},\n  ]}>\n<TabItem value='a'>\n\na\n\n</TabItem>\n"
            '<TabItem value="b" default>- b</TabItem>\n</Tabs>',
            TABS.replace('"B"', '"B x"'),
        ),
        (
            '<Tabs>\n<TabItem label="A">a</TabItem>\n</Tabs>\n\n<Tabs>\n<TabItem'
            " label={<><b>Don't</b>, B</>}>b</TabItem>\n</Tabs>",
            '=== "A"\n\n    a\n\n\n\n===! "Don\'t , B"\n\n    b',
        ),
        (
            "1. a\n\n   <Tabs>\n   <TabItem label='A'>\n   b\n   </TabItem>\n"
            "   </Tabs>\n\n   <Note>\n     c\n   </Note>\n2. d",
            '1. a\n\n\n   === "A"\n\n       b\n\n\n   > [!NOTE]\n   > c\n\n2. d',
        ),
        (
            "import p from './p.svg';\n\n<img\n  src={p}\n  alt=\"P\"\n  style={{\n"
            "    a: 'b',\n\n    c: 1}}\n  onClick={() => a(1 > 0)}\n className='x'\n/>",
            '<img src="./p.svg" alt="P" class="x" />',
        ),
        (
            '<div className="a">Text *b*\n**c**</div>\n<section>\n*d*\n</section>',
            "Text *b*\n**c**\n\n<section>\n\n*d*\n\n</section>",
        ),
        ("a{' '}b {/* c */}d `{/* e */}`", "a b d `{/* e */}`"),
        (
            "export const A = ({b}) => (\n  <i>\n\n    {b}\n  </i>\n);\n\nimport B"
            " from 'b'\nexport default 1\n\nText\nimport x",
            "Text\nimport x",
        ),
        (
            '- a\n\n  <Code lang="js" title={"b.js"} code={`\nc();\n\nd`} />',
            '- a\n\n  ```js title="b.js"\n  c();\n\n  d\n  ```',
        ),
        ("<Code code={file} />", "&lt;Code code={file} />"),
        ("<Info>a</Info> and <Tip>b</Tip>", "<Info>a</Info> and <Tip>b</Tip>"),
        ("<Info>a</Info><Tip>b</Tip>", "> [!NOTE]\n> a\n\n> [!TIP]\n> b"),
        (
            '{% columns %}\n{% column width="40%" %}\na\n{% endcolumn %}\n'
            "{% endcolumns %}",
            "a",
        ),
        (
            '{% embed url="https://a.b/?c=%20" %}\n\nd\n\n'
            '{% embed url="https://e.f" %}\ng\n{% endembed %}',
            "[https://a.b/?c=%20](<https://a.b/?c=%20>)\n\nd\n\n"
            "[https://e.f](<https://e.f>)\ng",
        ),
        (
            '{% file src="../a/my%20(1).pdf" %}\nb\n{% endfile %}',
            "[my (1).pdf](<../a/my%20(1).pdf>)\nb",
        ),
        (
            '{% content-ref url="./" %}\n[b.md](b.md)\n{% endcontent-ref %}',
            "[b.md](b.md)",
        ),
        (
            '{% updates %}\n{% update date="2026-01-02" %}\n## A\n{% endupdate %}\n'
            "{% endupdates %}",
            "**2026-01-02**\n\n## A",
        ),
        (
            '{% openapi src="a.yml" path="/b" method="get" %}\nc\n{% endopenapi %}',
            "**`GET /b`**\n\nc",
        ),
        ('<Card title="A" img="/b.png">\nc\n</Card>', "![](/b.png)\n\n**A**\n\nc"),
        ('<Prompt description="A">\nb *c*\n</Prompt>', "**A**\n\nb *c*"),
        (
            "<CodeGroup>\n```js a.js\nb\n```\n</CodeGroup>",
            '===! "a.js"\n\n    ```js a.js\n    b\n    ```',
        ),
        (
            '<ResponseField name="a" type="int" required>\nb\n</ResponseField>',
            "**`a`** · int · required\n\nb",
        ),
        ('<Columns cols={2}>\n<Step title="A">\nb\n</Step>\n</Columns>', "**A**\n\nb"),
        ('<Frame caption="A">\nb\n</Frame>', "b\n\n*A*"),
        ('<Card title="a => b < c" {...rest}>\nd\n</Card>', "**a => b < c**\n\nd"),
        (
            'a <Badge text="New" variant="tip" /><Icon name="x" />',
            "a <small>New</small>",
        ),
        ('<LinkButton href="/a/">b</LinkButton>', "[b](/a/)"),
        ('{{< figure src="a.png" alt="A" title="T" >}}', '![A](a.png "T")'),
        (':::image type="content" source="a.png" alt-text="A":::', "![A](a.png)"),
        ('<iframe src="https://a.b/" title="T"></iframe>', "[T](https://a.b/)"),
        (
            'a\n\n<iframe\n  src="https://a.b/?c=d"\n  title="T"\n></iframe>',
            "a\n\n[T](https://a.b/?c=d)",
        ),
        ('<iframe src="//a.b/c?d">Old.</iframe>', "[https://a.b/c](https://a.b/c?d)"),
        (
            '> a\n>\n> <Listing file-name="b">\n>\n> ```rust\n> <c>\n> ```\n>\n'
            "> </Listing>\nd",
            "> a\n>\n> **b**\n>\n> ```rust\n> <c>\n> ```\n>\nd",
        ),
        ("> <Listing>\n> never ends", "> <Listing>\n> never ends"),
        (
            "```\n> <Card>\n> a\n> </Card>\n```",
            "```\n> <Card>\n> a\n> </Card>\n```",
        ),
        (
            '<iframe src="javascript:a"></iframe>',
            '<iframe src="javascript:a"></iframe>',
        ),
        ('<img src={useBaseUrl("/a.png")} />', '<img src="/a.png" />'),
        ("<Note>\nnever ends", "<Note>\nnever ends"),
        ('<Unknown a="b">\nc\n</Unknown>', '<Unknown a="b">\nc\n</Unknown>'),
        ("```jsx\n<Tabs>\n<TabItem>\n```", "```jsx\n<Tabs>\n<TabItem>\n```"),
    ],
)
def test_components(text, expected):
    """A component is converted to its equivalent; one without any stays if asked to."""
    assert to_markdown(text, is_mdx=True).strip("\n") == expected


def test_component_in_component():
    """Nested components stay nested, whatever their indentation."""
    text = (
        '<Tabs>\n\t<TabItem label="A">\n\t\t<Aside>\n\t\t\ta\n\t\t</Aside>\n'
        "\n\t\t```sh\n\t\tls\n\t\t```\n\t</TabItem>\n</Tabs>\nb"
    )

    assert to_markdown(text, is_mdx=True).strip("\n") == (
        '=== "A"\n\n    > [!NOTE]\n    > a\n\n    ```sh\n    ls\n    ```\n\n\nb'
    )


def test_component_without_counterpart_is_named(tmp_path):
    """The remark has the line of the component in the file."""
    (tmp_path / "a.md").write_text(
        "---\ntitle: T\n---\n\n<Chart a='b' />\n\n{{< map >}}\n"
    )

    tree = read_tree(tmp_path)

    assert [note.reason for note in tree.notes] == [
        "Tags of unknown components were removed, and what is between them stays:"
        " <Chart> (line 5), {{< map (line 7)."
    ]
    assert tree.sources[0].content.strip() == ""


def test_component_without_counterpart_that_is_shown(tmp_path):
    """The tags stay in the text on request, and the report says so."""
    (tmp_path / "a.md").write_text("<Chart a='b' />\n\n{{< map >}} {% if x %}\n")

    tree = read_tree(tmp_path, removes_unknown=False)

    assert tree.sources[0].content == "<Chart a='b' />\n\n{{< map >}} {% if x %}\n"
    assert [note.reason for note in tree.notes] == [
        "HTML and components are shown as text: <Chart> (line 1).",
        "Shortcodes and directives are shown as text: {{< map (line 3), {% if"
        " (line 3).",
    ]


@pytest.mark.parametrize(
    ("text", "expected", "removed"),
    [
        ("<Chart>a *b*</Chart>", "a *b*", {"<Chart": 1}),
        ("a <Chart c={1}>b</Chart> c<Chart/>", "a b c", {"<Chart": 2}),
        ("<Chart\n  a={() => b > c}\n  d='>'\n/>", "", {"<Chart": 1}),
        (
            "<Box>\n    a\n\n    <Card title='T'>\n    b\n    </Card>\n</Box>\nc",
            "a\n\n**T**\n\nb\n\n\nc",
            {"<Box": 1},
        ),
        ("> <Box>\n> a\n> </Box>", ">\n> a\n>", {"<Box": 1}),
        ("| a |\n|---|\n| <Box>b</Box> |", "| a |\n|---|\n| b |", {"<Box": 1}),
        ("1. a\n\n   <Box/>\n\n   b", "1. a\n\n   \n\n   b", {"<Box": 1}),
        ("<my-box a>b</my-box> <A.B/>", "b ", {"<my-box": 1, "<A.B": 1}),
        (
            "a {{< map 1 >}} {{% b c=d %}}e{{% /b %}}",
            "a  e",
            {"{{< map": 1, "{{% b": 1},
        ),
        ("{{< box >}}\n    a\n{{< /box >}}", "a", {"{{< box": 1}),
        ('{{< a b="{c: {}}" />}}d', "d", {"{{< a": 1}),
        (
            "{% widget url='a' %}\n\n{%- if b -%}c{% else %}d{% endif %}{% e /%}",
            "cd",
            {"{% widget": 1, "{%- if": 1, "{% else": 1, "{% e": 1},
        ),
        ("{{< /box >}}a", "a", {"{{< /box": 1}),
        (
            "<label>a <select><option x>b</option></select></label> <button c d",
            "a b <button c d",
            {"<label": 1, "<select": 1, "<option": 1},
        ),
    ],
)
def test_unknown_component(text, expected, removed):
    """Its tags are removed and counted, and what is between them is Markdown."""
    counts = Counter()

    converted = to_markdown(text, is_mdx=False, removed=counts)

    assert (converted.strip("\n"), counts) == (expected, removed)


@pytest.mark.parametrize(
    "text",
    [
        "`<Chart/>` ``{{< map >}}`` `{% if %}`",
        "| `{{< hint >}}a{{< /hint >}}` | `{% hint %}` |",
        "```\n<Chart/>\n{{< map >}}\n```",
        "a\n\n    <Chart/>\n    {% if %}",
        "- a\n\n      {{< map >}}",
        "ssh <User>@<Host> and Map<String> and List<List<T>>",
        "\\<Chart/> and <svg>a</svg> and <Video src='a'></Video>",
        "<Chart> is never closed, and this closes nothing: </Box>",
        "{{ page.title }} and {not a tag} and {%d} and 5 %}",
        '<Chart a="',
    ],
)
def test_text_like_a_component(text):
    """Code, elements of HTML, escapes and placeholders stay as they are."""
    counts = Counter()

    assert to_markdown(text, is_mdx=False, removed=counts) == text
    assert not counts


def test_raw_text_of_liquid():
    """What an author of Jekyll shows is text, whatever it looks like."""
    text = "{% raw %}{% hint %} {{ a }} {{< b >}}{% endraw %} {% c %}"
    counts = Counter()

    converted = to_markdown(text, is_mdx=False, removed=counts)

    assert converted == "{% hint %} {{ a }} {{< b >}} "
    assert counts == {"{% c": 1}


SHOWN = "{{</* map */>}} {{%/* b */%}} {{% b %}} {% raw %}{% if %}{% endraw %}\n"


def test_shortcode_that_an_author_shows(tmp_path):
    """An escaped shortcode is no remark."""
    (tmp_path / "a.md").write_text(SHOWN)

    tree = read_tree(tmp_path)

    assert [note.reason for note in tree.notes] == [
        "Tags of unknown components were removed, and what is between them stays:"
        " {{% b (line 1)."
    ]
    assert tree.sources[0].content == "{{< map >}} {{% b %}}  {% if %}\n"


def test_shortcode_that_an_author_shows_beside_one_that_stays(tmp_path):
    """An escaped shortcode may be that which readers should not see."""
    (tmp_path / "a.md").write_text(SHOWN)

    tree = read_tree(tmp_path, removes_unknown=False)

    assert [note.reason for note in tree.notes] == [
        "Shortcodes and directives are shown as text: {{% b (line 1)."
    ]


def test_line_is_that_of_the_occurrence(tmp_path):
    """The line is that of the component, not of code or of a converted component."""
    (tmp_path / "a.md").write_text(
        "`<Chart>`\n\n```jsx\n<Chart a='b' />\n{{< map >}}\n```\n\n"
        "<Card title='A'>\n\nOne.\n\n</Card>\n\n"
        "> A <Card> in a quote\n> and <Chart> here.\n\n"
        "{{< map >}} {{< map 2 >}}\n\n<Chart>\n"
    )

    tree = read_tree(tmp_path)

    assert [note.reason for note in tree.notes] == [
        "Tags of unknown components were removed, and what is between them stays:"
        " {{< map (2 times, line 17).",
        "HTML and components are shown as text: <Card> (line 14), <Chart> (line 15).",
    ]


REPEATED = [
    *("<Tabs>\n", "</Tabs>\n", '<Card title="', "<Card>\n</Card>\n", "<Badge "),
    *("{{< tab ", "<Tabs>\n<TabItem>\n", ":::image ", "{{< figure ", "<a b={"),
    *("# [a](#tab/b)\n", "{% highlight a %}\n", "{: .note }\n", "a\n{: .note }\n"),
    *("<Card>a</Card>\n", "<iframe\n", "> <Card>\n", "> <Card>\n> </Card>\n"),
    *("<Code code={`", "<Tabs values={[", "<A b={<c>", "<Tab {...", "<A b='"),
    *("export a = (\n", "{{< notice >}}", "{{</* ", "- <Note>\n", "  - <Note>\n"),
    *("{: .a-title }\n", "> a\n{: .a-title }\n", "{: .a-title }\n> a\n"),
    *("<A>", "<A></B>", "<A/>", "{% a", '{{< a "', "{{< a >}}\n", "{% a %}"),
    *("{% raw %}", "{% raw %}{%", "{% raw %}{% endraw %}", "    <A/>\n", "<A>\n"),
]


@pytest.mark.parametrize("part", REPEATED)
def test_hostile_components(part):
    """Any repetition is read within seconds."""
    text = (part * (100_000 // len(part) + 1))[:100_000]

    with at_most(6):
        to_markdown(text, is_mdx=True, removed=Counter())
