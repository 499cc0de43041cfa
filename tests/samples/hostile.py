"""Texts by people who mean harm: every spelling of a script that we can think of."""

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
# What the page itself calls its parts, and what its scripts look for.
IDS = "\n".join(
    f"## {name}\n\n## b {{#{name}}}\n"
    for name in ("page.main", "page.contents", "main", "note.1", "search", "document")
)


def addresses():
    """Every scheme in every spelling, with what browsers drop before it."""
    for scheme, spelling, before in product(SCHEMES, SPELLINGS, BEFORE):
        yield before + spelling(scheme) + CODE


def links():
    """Every address in one form, and the first of each spelling in all."""
    for number, address in enumerate(addresses()):
        forms = FORMS if number % len(BEFORE) == 0 else FORMS[number % len(FORMS) :][:1]
        yield from (form.format(address) for form in forms)
