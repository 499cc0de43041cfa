"""Convert the shortcodes and filters by which generators write links to paths."""

import re

_SHORTCODE = re.compile(
    # Hugo: {{< ref "guide/start.md#first" >}}, {{% relref path="start" lang="en" %}}
    r"\{\{[<%]\s*+(?:rel)?ref\s++(?:path=)?[\"']?(?P<ref>[^\s\"'`{}<>]++)"
    r"[^{}]{0,200}?[%>]\}\}"
    # Jekyll: {% link guide/start.md %}, {{ "/guide/start" | relative_url }}
    r"|\{%-?\s*+link\s++[\"']?(?P<link>[^\s\"'`%{}]++)[\"']?\s*+-?%\}"
    r"|\{\{-?\s*+[\"'](?P<url>[^\"'`{}]++)[\"']\s*+\|\s*+(?:relative|absolute)_url"
    r"\s*+-?\}\}"
    # {{ site.baseurl }}/guide/start
    r"|\{\{-?\s*+site\.(?:base)?url\s*+-?\}\}"
)


def convert_link_shortcodes(line: str) -> str:
    """Replace each shortcode by the path that it means, except in code spans."""
    if "{" not in line:
        return line
    parts, end, backticks = [], 0, 0
    for match in _SHORTCODE.finditer(line):
        before = line[end : match.start()]
        backticks += before.count("`")
        parts += [before, match[0] if backticks % 2 else _path(match)]
        end = match.end()
    return "".join([*parts, line[end:]])


def _path(match: re.Match[str]) -> str:
    if reference := match["ref"]:
        return reference
    path = match["link"] or match["url"]
    return "/" + path.lstrip("/") if path else ""
