"""Hostile texts: every spelling of a script that we know of."""

from itertools import product
from urllib.parse import quote

CODE = "window.harmed=1"
SCHEMES = (
    "javascript:",
    "vbscript:",
    "data:text/html,",
    "livescript:",
    "blob:",
    "file:",
)
BEFORE = ("", " ", "\t", "\x01", "\x1f", "\x7f", "\ufeff", "\u200b", "\u202e", "&#14;")
# Markdown has a meaning for what stands around an address.
SPELLINGS = (
    str,
    str.upper,
    str.title,
    str.swapcase,
    quote,
    lambda text: text.replace(":", "%3A").replace("a", "%61"),
    lambda text: "".join(f"&#{ord(each)};" for each in text),
    lambda text: "".join(f"&#x{ord(each):06X};" for each in text),
    lambda text: "".join(f"&#{ord(each):09d}" for each in text),
    lambda text: text.replace(":", "&colon;").replace("a", "&#97;"),
    lambda text: text.replace("s", "s&Tab;").replace("r", "r&NewLine;"),
    lambda text: text.replace("s", "\ts").replace("r", "\rr"),
    lambda text: text.replace("a", "\x00a").replace("i", "i\x0b"),
    lambda text: text.replace("a", "\\a").replace(":", "\\:"),
    lambda text: text.replace("s", "\u017f").replace("i", "\u0131"),
    lambda text: "".join(chr(ord(each) + 0xFEE0) for each in text),
    lambda text: text.replace(":", "\uff1a"),
    lambda text: text.replace(":", "://x%0a"),
)
FORMS = (
    "[a]({})",
    "[a](<{}>)",
    '[a]({} "b")',
    "![a]({})",
    "![a](<{}>)",
    "[![a]({0})]({0})",
    "<{}>",
    "{}",
    "[a][b]\n\n[b]: {}",
    "[a]\n\n[a]: <{}>",
    "[^a]\n\n[^a]: [a]({})",
    "|a|\n|-|\n|[a]({})|",
    "# [a]({})",
    "- [ ] [a]({})",
    "> [!NOTE]\n> [a]({})",
)
HTML = (
    f"<script>{CODE}</script>",
    f"<img src=x onerror={CODE}>",
    f"<svg/onload={CODE}>",
    f"<svg><script>{CODE}</script></svg>",
    f'<iframe srcdoc="<script>parent.{CODE}</script>"></iframe>',
    f'<math><mtext></mtext><a href="javascript:{CODE}">a</a></math>',
    f"<details open ontoggle={CODE}>",
    f"<style>@import 'data:text/css,*{{}}';</style><body onload={CODE}>",
    f"</div></main><script>{CODE}</script>",
    f"<!--<img src='--><img src=x onerror={CODE}//'>",
    f"<![CDATA[<script>{CODE}</script>]]>",
    f"]]><script>{CODE}</script>",
    f"<?php ?><script>{CODE}</script>",
    f"<base href=//elsewhere.test/><form action=javascript:{CODE}><input autofocus>",
    f"<meta http-equiv=refresh content='0;url=javascript:{CODE}'>",
    f"<noscript><p title='</noscript><img src=x onerror={CODE}>'>",
    f"`` ` ``<img src=x onerror={CODE}>",
    f"```<img/src=x/onerror={CODE}>\nx\n```\n",
    f'```"><img/src=x/onerror={CODE}>\nx\n```\n',
    f'[a](/b "\\"><img src=x onerror={CODE}>")',
    f"[a](/b '\\' onmouseover={CODE} x=\\'')",
    f'![" onerror={CODE} x="](/b.png)',
    f'# " onclick={CODE} x="\n',
    f'# a {{#a" onclick={CODE} x="}}\n',
    f'|a|\n|:-" onclick={CODE}|\n|b|\n',
    f'[^"onclick={CODE}]\n\n[^"onclick={CODE}]: a\n',
    f"&lt;script&gt;{CODE}&lt;/script&gt; &#60;script&#62;{CODE}&#60;/script&#62;",
    f"\x01<a\x01 onclick={CODE}\x010\x01 href=javascript:{CODE}\x01>a\x01\x01",
    f"\u202e>tpircs/<{CODE}>tpircs<\u202c \uff1cscript\uff1e{CODE}\uff1c/script\uff1e",
    f"https://a.test/\"onclick='{CODE}' https://a.test/'onclick={CODE}",
    f"\u003cscript\u003e{CODE}\u2028</script\u2029>",
)
# What has got past sanitisers: elements in the wrong namespace, text that is markup to
# another parser, half tags, and attributes that load or run something.
PAST_SANITISERS = (
    f"<math><mtext><table><mglyph><style><img src=x onerror={CODE}></table></math>",
    f'<svg></p><style><a id="</style><img src=1 onerror={CODE}>">',
    f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={CODE}>",
    f"<noscript><style></noscript><img src=x onerror={CODE}></style>",
    f'<p><noscript><p title="</noscript><img src=x onerror={CODE}>"></noscript></p>',
    f"<math><annotation-xml encoding=text/html><img src onerror={CODE}></math>",
    f"<svg><foreignObject><b><img src onerror={CODE}></b></foreignObject></svg>",
    f"<svg><desc><details ontoggle={CODE} open><summary>a</summary></desc></svg>",
    f"<b><svg><b><style><a title='</style><img src onerror={CODE}>'></a></b></svg></b>",
    f"<details><xmp><p title='</xmp><img src onerror={CODE}>'></xmp></details>",
    f"<p><textarea><img title='</textarea><svg onload={CODE}>'></textarea></p>",
    f"<ul><li><title><a title='</title><img src onerror={CODE}>'></title></ul>",
    f"<table><template><td><img src onerror={CODE}></td></template></table>",
    f"<table><svg><td><style></table><img src onerror={CODE}></style>",
    f"<p><plaintext><img src onerror={CODE}>",
    f"<select><option><p><img src onerror={CODE}></option></select>",
    f'<p title="\n\n<img src onerror={CODE}>\n\n">',
    f'<b title="</b><script>{CODE}</script>">a</b>',
    f"<b title='\"><img src=x onerror={CODE}>'>a</b>",
    f'<img alt="`><script>{CODE}</script>" src=/a.png>',
    f"<img src=/a.png srcset='x onerror={CODE}' onerror={CODE}>",
    f"<img src='data:image/svg+xml,<svg onload={CODE}>'><img src=javascript:{CODE}>",
    f'<img src="https://a.test/a.png" style="background:url(javascript:{CODE})">',
    f"<a href=javascript:{CODE}>a</a><a href='java\nscript:{CODE}'>a</a>",
    f"<a href='&#106;&#x61;vascript&colon;{CODE}'>a</a>",
    f"<a href='&#1;javascript:{CODE}'>a</a><a href='\x0bjavascript:{CODE}'>a</a>",
    f"<a href='data:text/html,<script>{CODE}</script>'>a</a><a href=//a.test>a</a>",
    f"<a href=/x ping=https://a.test/ target=_blank onclick={CODE} rel=opener>a</a>",
    f"<a xlink:href=javascript:{CODE} href=x>a</a><a formaction=data:{CODE}>a</a>",
    f"<a href=x HREF=javascript:{CODE}>a</a><a href=x href=javascript:{CODE}>a</a>",
    f"<p><button formaction=javascript:{CODE}>a</button></p>",
    f"<video src=/files/a onerror={CODE}><source onerror={CODE} src=x></video>",
    f"<video poster=javascript:{CODE} src=javascript:{CODE}></video>",
    f"<video src='/files/../status/embed/' autoplay><track src=javascript:{CODE}>",
    f"<table background=javascript:{CODE}><td background=javascript:{CODE}>a</table>",
    f"<details open ontoggle={CODE}><summary onclick={CODE}>a</summary></details>",
    f"<kbd/onclick={CODE}>a</kbd/><br/onclick={CODE}/><hr\x0conclick={CODE}>",
    f"<b onclick={CODE}//\n>a</b><i\x00onclick={CODE}>a</i><u\u2028onclick={CODE}>a",
    "<div>&#1;0 title=a&#1;b&#1;&#1;</div><b title='&#1;0&#1;'>a</b>",
    "<b id=page.main>a</b><a name=note.1></a><p id='a b' class=skip>a</p>",
    "<img id=document name=cookie src=/a.png><a id=documentElement name=body></a>",
    f"<!--><img src onerror={CODE}>--><!---><img src onerror={CODE}>-->",
    f"<!-- --!><img src onerror={CODE}> --><?<img src onerror={CODE}>?>",
    f"<!-- `--><img src onerror={CODE}>` --><![CDATA[<img src onerror={CODE}>]]>",
    f"<pre>\n<img src onerror={CODE}>\n</pre><pre><code></pre><script>{CODE}</script>",
    f"<p>a <b>b <p>c</b> <a href=/x>d <table><td><a href=/y onclick={CODE}>e</table>",
    f"<table><p><a href=x><tr><td><a href=javascript:{CODE}>a</table>",
    f"[<b>a](/b) <a href=/c>[d</a>](/e) <i title='](/f)'>![<b onclick={CODE}>](/g.png)",
    f"*<b>a* <i>b*</b> c*</i> **<a href=javascript:{CODE}>a**</a>",
)
# Formulas, attributes in braces, titles of code and of tabs.
EXTENSIONS = (
    f"$\\text{{<img src onerror={CODE}>}}$ $$\\href{{javascript:{CODE}}}{{a}}$$",
    f"$$\n\\mathrm{{</mtext><script>{CODE}</script>}}\n$$",
    f"$\\color{{red;background:url(javascript:{CODE})}}a$ $\\style{{x}}{{y}}$",
    f"![a](/b.png){{onerror={CODE} style=x #page.main .skip}}",
    f"[a](/b){{onclick={CODE} href=javascript:{CODE} target=_blank}}",
    f"## a {{onclick={CODE} #b}}",
    f'```js title="</p><img src onerror={CODE}>" {{1}}\n</span><b on={CODE}>\n```',
    f"```x{{.y onclick={CODE}}} linenums=1 hl_lines=1\n<img src onerror={CODE}>\n```",
    f'=== "<img src onerror={CODE}>"\n\n    <b onclick={CODE}>a\n\n=== ""a"\n\n    b',
    f"a <i>\n: <b onclick={CODE}>b\n: c</dl>\n",
    f"```math\n\\text{{<script>{CODE}</script>}}\n```\n<b>a</b> $a<b$",
)
# What the page itself calls its parts, and what its scripts look for.
IDS = "\n".join(
    f"## {name}\n\n## b {{#{name}}}\n"
    for name in ("page.main", "page.contents", "main", "note.1", "search", "document")
)


def addresses():
    """
    Return every scheme in every spelling, with characters that browsers ignore before
    it.
    """
    for scheme, spelling, before in product(SCHEMES, SPELLINGS, BEFORE):
        yield before + spelling(scheme) + CODE


def links():
    """Every address in one form, and the first of each spelling in all."""
    for number, address in enumerate(addresses()):
        forms = FORMS if number % len(BEFORE) == 0 else FORMS[number % len(FORMS) :][:1]
        yield from (form.format(address) for form in forms)
