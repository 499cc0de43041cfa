"""The Markdown dialects of generators, converted to that of this site."""

from contextlib import suppress

import pytest

from models.front_matter import MAX_CHARACTERS, UnreadableFile, split_front_matter
from sitegen.sources.notations.dialects import to_markdown
from sitegen.sources.unsupported_syntax import remove_local_images
from tests.nightly import every_nth
from tests.processor import at_most


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (":::note\nA\n:::\nB", "> [!NOTE]\n> A\n\nB"),
        ("::: warning Mind it\nA\n:::", "> [!WARNING]\n> **Mind it**\n>\n> A\n"),
        (":::danger[T]{.x}\nA\n:::", "> [!CAUTION]\n> **T**\n>\n> A\n"),
        ("::::note\n:::tip\nA\n:::\n::::", "> [!NOTE]\n>\n> > [!TIP]\n> > A\n>\n"),
        (":::note\nA\n\n- b", "> [!NOTE]\n> A\n>\n> - b"),
        (":::cards\nA\n:::", ":::cards\nA\n:::"),
        ("!!! note\n    A\n\n    B\nC", "> [!NOTE]\n> A\n>\n> B\n\nC"),
        ('??? tip "T"\n    A', "> [!TIP]\n> **T**\n>\n> A"),
        ("!!! note\n    A\n\n!!! note\n    B", "> [!NOTE]\n> A\n\n> [!NOTE]\n> B"),
        ("1. A\n\n    !!! tip\n        B", "1. A\n\n    > [!TIP]\n    > B"),
        ('=== "A"\n\n    B\nC', '=== "A"\n\n    B\n\nC'),
        ('=== "A"\n    !!! note\n        B', '=== "A"\n\n    > [!NOTE]\n    > B'),
        ("!!!tip\n    A\n!!!wow\n    B", "> [!TIP]\n> A\n\n!!!wow\n    B"),
        (
            '!!! "T"\n    A\n\n??? "U"\n    B',
            "> [!NOTE]\n> **T**\n>\n> A\n\n> [!NOTE]\n> **U**\n>\n> B",
        ),
        (
            "!!! warning inline end\n\tA\n\n\t- b\n\n\t\tc",
            "> [!WARNING]\n> A\n>\n> - b\n>\n>     c",
        ),
        ("- A\n\n\t??? tip\n\t\tB\n- C", "- A\n\n    > [!TIP]\n    > B\n\n- C"),
        ('=== "A"\n\t```\n\tb\n\t```', '=== "A"\n\n    ```\n    b\n    ```'),
        ("/// warning | T\nA\n///\nB", "> [!WARNING]\n> **T**\n>\n> A\n\nB"),
        (
            "//// details | T\n/// note\nA\n///\n////",
            "<details>\n<summary>T</summary>\n\n> [!NOTE]\n> A\n\n\n</details>\n",
        ),
        ("/// tab | T\nA\n///", '=== "T"\n\n    A\n'),
        (
            ":::: v-pre\n::: warning Avoid `<b>`\nA {{ b }}\n:::\n::::",
            "\n> [!WARNING]\n> **Avoid `<b>`**\n>\n> A {{ b }}\n\n",
        ),
        (
            "::: details\nA\n:::",
            "<details>\n<summary>Details</summary>\n\nA\n\n</details>\n",
        ),
        (
            "A ==b c== d == e, ^^f^^ and 1 ^^ 2",
            "A <mark>b c</mark> d == e, <ins>f</ins> and 1 ^^ 2",
        ),
        (
            'Press ++ctrl+arrow-up+"Fn"++ in C++, g++',
            "Press <kbd>Ctrl</kbd>+<kbd>Arrow Up</kbd>+<kbd>Fn</kbd> in C++, g++",
        ),
        (
            "![a](b.png#only-dark) ![c](d.png#gh-light-mode-only){ width=9 }",
            "![a](b.png){.dark} ![c](d.png){.light  width=9 }",
        ),
        ("`==a==` ``++b++``", "`==a==` ``++b++``"),
        ("A\n{ .x #y }\n\n| b |\n|---|\n{: .z}", 'A\n<a id="y"></a>\n\n| b |\n|---|'),
        (
            "- **A**{ .x } `b`{.y} { .z }\n| c { #d } | e |",
            '- **A** `b`\n| c<a id="d"></a> | e |',
        ),
        (
            "## A { #b }\n\n[c](d){ .e }\n\nF {#g}\n---\n{not} {a: b}",
            "## A {#b}\n\n[c](d){ .e }\n\nF {#g}\n---\n{not} {a: b}",
        ),
        (
            '<figure markdown="span">\n  ![a](b)\n</figure>',
            "<figure>\n\n![a](b)\n\n</figure>\n",
        ),
        (
            "- A\n\n  <details markdown>\n  <summary>B</summary>\n  *c*\n  </details>",
            "- A\n\n  <details>\n\n  <summary>B</summary>\n  *c*\n\n  </details>\n",
        ),
        ("A `#!py x = 1` `#!/bin/sh` `#!b`", "A `x = 1` `#!/bin/sh` `#!b`"),
        ("A\n\n    #!py\n    b\n\n    c\nD", "A\n\n```py\nb\n\nc\n```\nD"),
        ("- A\n\n        #!sh\n        b", "- A\n\n    ```sh\n    b\n    ```"),
        (
            "```\n#!js\na\n```\n```\n#!/bin/sh\n```\n```py\n#!js\n```",
            "```js\na\n```\n```\n#!/bin/sh\n```\n```py\n#!js\n```",
        ),
        ("A\n    #!py", "A\n    #!py"),
        (
            "<script setup>\nimport a from 'b'\n\nc < d\n</script>\nA `<script>`",
            "\nA `<script>`",
        ),
        ("A\n\n<style scoped>\n.b {}\n</style>\n\n<script>", "A\n\n\n\n<script>"),
        ("> [!faq] Why?\n> A", "> [!NOTE]\n> **Why?**\n>\n> A"),
        ("> [!DANGER|big]+\n> A", "> [!CAUTION]\n> A"),
        (
            "> > [!tip]- T\n> > A\n> B",
            "> > [!TIP]\n> > <details>\n> > <summary>T</summary>\n> >\n> > A\n> >\n"
            "> > </details>\n> B",
        ),
        ("> [!NOTE]\n> A\n\n[!b] C", "> [!NOTE]\n> A\n\n[!b] C"),
        (
            "::: code-group\n```sh [a]\nb\n```\n\n```js {1}\nc\n```\n:::\nD",
            '\n\n===! "a"\n\n    ```sh [a]\n    b\n    ```\n\n\n'
            '=== "js"\n\n    ```js {1}\n'
            "    c\n    ```\n\nD",
        ),
        (
            '{% hint style="danger" %}\nA\n{% endhint %}\n{% if b %}',
            "> [!CAUTION]\n> A\n\n{% if b %}",
        ),
        (
            '{% tabs %}\n{% tab title="A" %}\nb\n{% endtab %}\n{% endtabs %}',
            '\n=== "A"\n\n    b\n\n',
        ),
        ("{: .note }\nA\nB\n\nC", "> [!NOTE]\n> A\n> B\n\nC"),
        ("A\n\nB\n{: .warning }\nC", "A\n\n> [!WARNING]\n> B\nC"),
        ("{: .tip-title }\n> A\n>\n> B", "> [!TIP]\n> **A**\n>\n>\n> B"),
        ("> A\n> B\n{: .tip-title }", "> [!TIP]\n> **A**\n>\n> B"),
        # The author's site styles such a note; here it gets its title.
        ("{: .new-title }\n> A\n> B\n\nC", "> **A**\n>\n> B\n\nC"),
        ("{: .new-title }\n> **A**\n> B", "> **A**\n> B"),
        ("{: .new-title }\n> ```\n> A\n> ```", "> ```\n> A\n> ```"),
        ("{: .new-title }\nA\n\n> B", "A\n\n> B"),
        ("{: .subtitle }\n> A", "> A"),
        ("```\n{: .new-title }\n> A\n```", "```\n{: .new-title }\n> A\n```"),
        (
            "{% highlight rb linenos %}\n# {: .note }\n{% endhighlight %}",
            "```rb\n# {: .note }\n```",
        ),
        (
            "{% highlight md %}\n```js\na\n```\n{% endhighlight %}\n{% link b.md %}",
            "````md\n```js\na\n```\n````\n/b.md",
        ),
        (
            '<div class="b" markdown="1">\n*a*\n</div>\n```\nb\n```',
            "\n*a*\n\n```\nb\n```",
        ),
        ("<div>\n*a*\n</div>\n", "<div>\n*a*\n</div>\n"),
        ("<div>\na\n</div>\n```\nb\n```", "<div>\na\n</div>\n\n```\nb\n```"),
        ("## Contents\n{: .no_toc }\n\n1. TOC\n{:toc}\n\n## A", "\n## A"),
        ("A\n\n[TOC]\n\nB", "A\n\nB"),
        ("## On this page\n\n[[toc]]\nB", "B"),
        ("```\n[TOC]\n```", "```\n[TOC]\n```"),
        ('<span class="b">\n*a*\n</span>', "\n*a*\n"),
        ("```\n<span>\n```", "```\n<span>\n```"),
        ("{% raw %}a{% endraw %}", "a"),
        (":octicons-x-16: A", " A"),
        (
            "```\n!!! note\n:::tip\n<!-- a -->\n```",
            "```\n!!! note\n:::tip\n<!-- a -->\n```",
        ),
        # A comment ends the block before it.
        ("A\n<!-- b\nc -->\nD", "A\n<!-- -->\nD"),
        ("- A\n\n<!-- b -->\n\n- C", "- A\n\n<!-- -->\n\n- C"),
        ("A\n\n<!-- b -->\n\nC", "A\n\n\n\nC"),
        ("A\n<!-- b -->\nimport C from 'd'\n\nE", "A\n<!-- -->\n\nE"),
        ("A <!-- b --> C {/* d\ne */}F", "A  C F"),
        ("{::comment}\nA\n{:/}\nB {::comment}c{:/comment}", "\nB "),
        ("{% comment %}A{% endcomment %}B {{< comment >}}C{{< /comment >}}", "B "),
        ("A {# b #} C %%d%% E\n\n%% F\nG %%\nH", "A  C  E\n\n\nH"),
        ("A 7 %% 3 B 5 %% 2", "A 7 %% 3 B 5 %% 2"),
        ("`<!-- a -->` ``{# ` #}``", "`<!-- a -->` ``{# ` #}``"),
        ("A ` b <!-- c -->\n\nD ` e", "A ` b \n\nD ` e"),
        ("A `b\n<!-- c` D", "A `b\n<!-- c` D"),
        ("A\n\n    <!-- code -->", "A\n\n    <!-- code -->"),
        ("## A {/* #b-c */}\n## D <!-- #e -->", "## A {#b-c}\n## D {#e}"),
        ("<!-- never ends", "<!-- never ends"),
        ("{# never ends <!-- a -->", "{# never ends "),
        ("import A from 'a'\n\nB", "\nB"),
        ("A\nimport B from 'b'", "A\nimport B from 'b'"),
        ("import the data", "import the data"),
        ("## A {: #b .c }", "## A {#b}"),
        ("# A [b]\n{: #c .d }\n\nB", "# A [b] {#c}\n\nB"),
        ("A\n{: .b #c.d }\n\nB", 'A\n<a id="c.d"></a>\n\nB'),
        ("| A |\n{: #b }", '| A |\n\n<a id="b"></a>'),
        ("[[a]]\n## B", '<a id="a"></a>\n## B'),
        ("## [[a-b]]C", "## C {#a-b}"),
        ("[[a,Title]]\nB", '<a id="a"></a>\nB'),
        # A wiki link, and text that is none of these.
        ("[[Page]]\n\nB", "[[Page]]\n\nB"),
        ("[[Two words]]\nB", "[[Two words]]\nB"),
        ("A [[b]] c\nD", "A [[b]] c\nD"),
        ("```\n[[a]]\n{: #b }\n```", "```\n[[a]]\n{: #b }\n```"),
        ("A\n{: .lead }", "A"),
        # Each with nothing else on its line.
        ("![A](a.png#only-dark)", "![A](a.png){.dark}"),
        ("==A b==", "<mark>A b</mark>"),
        ("^^A b^^", "<ins>A b</ins>"),
        ("| A |\n|---|\n| B |\n/// c\nD\n", "| A |\n|---|\n| B |\n\n/// c\nD\n"),
    ],
)
def test_words_of_generators(text, expected):
    """
    Constructs with an equivalent in our Markdown are converted; code is unchanged.
    """
    assert to_markdown(text, is_mdx=False) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{{< relref "b.md" >}}', "b.md"),
        ("{{% ref b.md#c %}}", "b.md#c"),
        ("{{< ref path='/b' lang='en' >}}", "/b"),
        ('{{< relref "/b/c.md#d" "html" >}}', "/b/c.md#d"),
        ("{% link b/c.md %}#d", "/b/c.md#d"),
        ("{%- link _b/c.md -%}", "/_b/c.md"),
        ("{{ site.baseurl }}{% link b.md %}", "/b.md"),
        ("{{site.url}}{{site.baseurl}}/b/", "/b/"),
        ("{{ '/b/' | relative_url }}", "/b/"),
        ('{{ "b/" | absolute_url }}', "/b/"),
        ("{{ site.title }}", "{{ site.title }}"),
        ("{{ page.url | relative_url }}", "{{ page.url | relative_url }}"),
    ],
)
def test_link_by_shortcode(text, expected):
    """A link shortcode becomes its path; in a code span it stays."""
    converted = to_markdown(f"`{text}` [a]({text}) `[a]({text})`\n", is_mdx=False)

    assert converted == f"`{text}` [a]({expected}) `[a]({text})`\n"


def test_modules_of_mdx():
    """In MDX a module runs to the next blank line."""
    text = "export const a = {\n  b: 1,\n}\n\n# A\n\nexport to a file"

    assert to_markdown(text, is_mdx=True) == "\n# A\n"
    assert to_markdown(text, is_mdx=False) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("![a](b.png) c", "a c"),
        ('![a](/b.png "t")', "a"),
        ("[![a](b.png)](c.md)", "[a](c.md)"),
        ("![a][b]\n\n[b]: c.png", "a\n\n[b]: c.png"),
        ("![a](https://b/c.png)", "![a](https://b/c.png)"),
        ("![a](http://b/c.png)", "a"),
        ("`![a](b.png)` ![a](b.png)", "`![a](b.png)` a"),
        ("```\n![a](b.png)\n```", "```\n![a](b.png)\n```"),
    ],
)
def test_local_images(text, expected):
    """An image that is a file is replaced by its text; one in code is not."""
    assert remove_local_images(text)[0] == expected


REPEATED = [
    *(":::note\n", "::: [", ":", "!!! note\n", "!!! a ", '=== "', "<!--\n", "<!-- -->"),
    *("{# ", "%%a ", "{::comment}", "{% comment %}", "/// note\n", "!!!", "- !!! a\n"),
    *("#!a\n", "    #!a\n", "```\n#!a\n", "<script>\n", "`#!a ", "> [!a]- b\n"),
    *("==a", "^^a", "++a+", "![a](b#only-dark)", "{ .a }", "a { .b", "`` ` "),
    *("--8<--\n", "<<< a\n", "*[a]: b\n", "<h1>", "<h1>\n# a\n"),
    *("{:", "# a {#", "{{<ref ", "{% link ", "import '", "export \n", "\n\n", "> "),
    *("[[", "[[a,", "[[a]]\n", "{: #a }\n", "# [[a]]", "{{ '", "{{<ref a "),
    *("{% highlight a %}\n", "{% highlight a %}\n```\n{% endhighlight %}\n"),
    *("```\n~~~\n", "![", "![a](b.png)", "[a]: b\n", "`", "{{", "<a", "# ", " "),
]
REPEATED += [f"{each}{' ' * 20_000}" for each in ("# a {#", "!!! a", "import ", "{{<")]


@pytest.mark.parametrize(
    "part", every_nth(REPEATED, 3), ids=lambda part: repr(part[:12])
)
@pytest.mark.parametrize("is_mdx", [False, True])
def test_hostile_text(part, is_mdx):
    """Any repetition is read within seconds."""
    text = (part * (100_000 // len(part) + 1))[:100_000]

    with at_most(6):
        remove_local_images(to_markdown(text, is_mdx=is_mdx))


BOMB = "a: &a [x, x]\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n"
    for n in range(20)
)
MERGES = "a: &a {x: 1}\n" + "".join(
    f"{chr(98 + n)}: &{chr(98 + n)}\n  <<: [*{chr(97 + n)}, *{chr(97 + n)}]\n"
    for n in range(20)
)


@pytest.mark.parametrize(
    "front",
    [
        *(BOMB, MERGES, "a: {" * 2000, "- " * 5000, "? " * 5000, "a: " + "9" * 5000),
        *("a: !!python/name:os.system", "a: !x b", "a: 'b", "\ta: b", "a: *a"),
        'title: "half \\uD83D"',
        *('title: "\\UFFFFFFFF"', "size: 0x" + "f" * 4000, "1" * 4000 + ": a"),
        *("date: !!timestamp x", "draft: !!bool x", 'weight: !!int ""', "a: !!float +"),
        "weight: 9" + ":1" * 500 + ".0",
    ],
    ids=lambda front: repr(front[:12]),
)
def test_hostile_yaml(front):
    """
    Aliases of lists, depth, tags and endless YAML are rejected at once with a sentence.
    """
    with at_most(2), pytest.raises(UnreadableFile, match="not valid YAML"):
        split_front_matter(f"---\n{front}\n---\nWords.")


def test_alias_in_yaml():
    """A value can be that of another field, as the labels of versions often are."""
    fields, _ = split_front_matter(
        "---\nversion: &v 1.10\ntitle: *v\ntags: [*v, new]\n---\nWords."
    )

    assert fields == {"version": 1.1, "title": "1.10", "tags": [1.1, "new"]}


@pytest.mark.parametrize("value", ["[1]", "{b: 1}", "x" * 201])
def test_alias_of_much_in_yaml(value):
    """An alias of more than a short text is rejected, since it can multiply."""
    with pytest.raises(UnreadableFile, match="not valid YAML"):
        split_front_matter(f"---\na: &all {value}\ntitle: *all\n---\nWords.")


@pytest.mark.parametrize(
    "front",
    [
        *("a = ", "a = 1\na = 2", "a = " + "[" * 5000, "a = [0x" + "f" * 4000 + "]"),
        *("a." * 15_000 + "a = 1", "b = 1\n['a'. " + "a ." * 10_000 + "a]"),
    ],
    ids=lambda front: repr(front[:12]),
)
def test_hostile_toml(front):
    """Hostile TOML is rejected like YAML, and a key with many parts at once."""
    with at_most(0.3), pytest.raises(UnreadableFile, match="not valid TOML"):
        split_front_matter(f"+++\n{front}\n+++\nWords.")


def test_long_front_matter():
    """Overlong front matter is not read at all."""
    with pytest.raises(UnreadableFile, match="has more than 32000 characters"):
        split_front_matter(f"---\na: {'x' * MAX_CHARACTERS}\n---\nWords.")


def test_front_matter_at_its_longest():
    """Front matter at the limit is read in seconds, whatever it contains."""
    with at_most(20):
        for part in ("a: b\n", "[", "- ", "a\n", "'", "&a ", "{a: ", "1:", "#\n", "? "):
            text = (part * MAX_CHARACTERS)[: MAX_CHARACTERS - 1]
            with suppress(UnreadableFile):
                split_front_matter(f"---\n{text}\n---\nWords.")
