"""For any text: allowed tags, safe addresses, everything closed, always the same."""

import re
from html import unescape

from hypothesis import given, settings
from hypothesis import strategies as st

from sitegen.markdown.highlighting import SUPPORTED, highlight
from sitegen.markdown.links import TARGET_MARK
from sitegen.markdown.rendering import render, resolve_links
from tests.samples.allowed_html import checked

FRAGMENTS = """# |## |{#a}|{#a-1}|a|a-1|section|é|<script>|</p>|<a onclick=x>|<!--
&lt;|&#1;|&#0;|javascript:|&Tab;|JaVa|&#x6A;|&colon;|data:|//|/\\|https://x|http:
mailto:|<https://x>|<m@x>|<foo:x>|[a |](b)
[|]|](|)|![|[a]: |"|'|<|>|> |- |1. |- [x] |[!NOTE]|`|```|```py|~~|*|**|_|~~~
<b>|</b>|<a href="a">|</a>|<p>|<ul><li>|</ul>|<table><tr><td>|</table>|<pre>|</pre>|<h2>
</h2>|<details>|<summary>|</details>|<div align=center>|</div>|<img src="/a.png">|<br>
$|$$|$a_b$|\\frac{a}{b}|=== "a"
{.dark}|{#a .b}|![a](/b.png){#c}|: a|a
: b|```js {1} title="a"|<a id=a>|<b id="b" title='x|-->|<kbd/>
</li>|<dl><dt>|</dl>|<video src="/files/a">|<hr>
    |\\|\t| |  | |\x00|\x01|\x01\x01|\x0b|\x7f|\ud800|\u2028|\xa0|ß|İ|x.md|#f|/a/
[^a]|[^a]: |[^b]: [^a]|www.a.b|
---|===|-:|:-:|:-|+|!|&|;|=|{|}|$"""
FRAGMENTS = FRAGMENTS.replace("\n", "|").split("|")
IDS_BY_TITLE = {
    "a": "a",
    "A 1": "a-1",
    "a-1-1": "a-1-1",
    "!": "section",
    "x {#a}": "a",
    "x {#a-2}": "a-2",
}
fragments = st.lists(st.sampled_from([*FRAGMENTS, "|", "|", "\n", "\n", "\n\n"]))
texts = st.one_of(
    st.text(),
    fragments.map("".join),
    st.text(alphabet=st.characters(exclude_categories=())),
)


@settings(max_examples=400)
@given(texts)
def test_only_what_is_allowed_gets_out(text):
    """
    Whatever the text: allowed tags and attributes, safe addresses, balanced.
    """
    rendered = render(text)
    without = resolve_links(rendered.html, rendered.links, lambda _: None)
    with_links = resolve_links(rendered.html, rendered.links, lambda _: '/files/"><b>')

    for html in (without, with_links):
        checker = checked(html)
        assert TARGET_MARK not in html
        assert "\x00" not in html
        assert sorted(checker.ids) == sorted(each.id for each in rendered.headings)
        html.encode()
    assert with_links.count("/files/&quot;") >= len(rendered.links)


@given(texts)
def test_render_is_stable(text):
    """
    The same text gives the same HTML, headings and links.
    """
    assert render(text) == render(text)


@given(st.lists(st.sampled_from(sorted(IDS_BY_TITLE))))
def test_an_id_that_a_heading_asks_for_is_given(titles):
    """Ids are unique, and no suffix takes an id that a heading sets."""
    headings = render("\n".join(f"## {title}" for title in titles)).headings

    ids = [heading.id for heading in headings]
    assert len(set(ids)) == len(ids) == len(titles)
    for body in {IDS_BY_TITLE[title] for title in titles}:
        first = next(i for i, title in enumerate(titles) if IDS_BY_TITLE[title] == body)
        fixed = [i for i, title in enumerate(titles) if title == f"x {{#{body}}}"]
        assert ids[fixed[0] if fixed else first] == body


@given(st.sampled_from(sorted(SUPPORTED)), texts)
def test_colours_change_no_code(language, code):
    """
    Without its spans the coloured code is the code.
    """
    code = code.replace("\r", "").removeprefix("\ufeff") + "\n"

    assert unescape(re.sub(r"</?span[^>]*>", "", highlight(code, language))) == code
