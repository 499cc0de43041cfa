"""The statements of the manual and the files at the root are true."""

import re
from collections import Counter
from dataclasses import fields
from urllib.parse import urlsplit

from api.http.problem_types import PROBLEM_TYPES
from api.operation import OPERATIONS
from models.fields import SLUG
from models.platform.scopes import ASSERT_ACTORS, ESCALATE, covers
from models.settings import Settings, environment_variable
from sitegen.markdown.rendering import render
from tests.conventions.words import ALL, MANUAL, ROOT
from tests.operations.http.test_openapi import values_of
from tests.samples.openapi_document import DESCRIBED

AREAS = "|".join(sorted({each.area for each in OPERATIONS}))
OPERATION = re.compile(rf"(?:(GET|POST) )?(/(?:{AREAS})/v1/[a-z/-]*[a-z])")
SCOPE = re.compile(rf"(?<![\w:])(?:{AREAS}):[a-z:*-]*[a-z*]")
SETTING = re.compile(r"MASTHEAD_[A-Z0-9_]+")
PLACES = {each["url"] for each in values_of("externalDocs", DESCRIBED)}
PLACES |= {"/reference/", "/problems/"}
PLACES |= {f"/problems/{kind}/" for kind in PROBLEM_TYPES}
README, REFERENCE = (
    (ROOT / name).read_text(encoding="utf-8")
    for name in ("README.md", "manual/operating/settings-and-commands.md")
)


def test_front_matter():
    """
    A page has its title, a one-line summary, and its position; its file name is a slug.
    """
    for page in MANUAL:
        assert set(page.front) == {"title", "description", "position"}
        assert 1 <= len(page.front["title"]) <= 200
        assert 1 <= len(page.front["description"]) <= 300
        assert 0 <= page.front["position"] <= 10_000
        assert re.fullmatch(SLUG, page.path.stem)


def test_names_and_positions_are_unique():
    """A slug is unique in the docs project, and a position in its section."""
    slugs = Counter(words.path.stem for words in MANUAL)
    places = Counter((words.path.parent, words.front["position"]) for words in MANUAL)

    assert max(slugs.values()) == 1
    assert max(places.values()) == 1


def test_links():
    """
    A relative link leads to an existing file and heading; an address of the site to the
    reference or a problem.
    """
    for page in ALL:
        for link in render(page.text).links:
            if link.startswith("/"):
                assert link in PLACES, link
                continue
            parts = urlsplit(link)
            target = page.path.parent / (parts.path or page.path.name)

            assert target.exists(), link
            if parts.fragment:
                headings = render(target.read_text(encoding="utf-8")).headings
                assert parts.fragment in {each.id for each in headings}, link


def test_operations():
    """An operation in the text exists, with its method."""
    known = {each.path: each.method for each in OPERATIONS}
    for page in ALL:
        for method, path in OPERATION.findall(page.text):
            assert path in known, path
            assert method in ("", known[path]), f"{method} {path}"


def test_scopes():
    """A scope in the text matches an operation."""
    known = {each.scope for each in OPERATIONS} | {ASSERT_ACTORS, ESCALATE}
    for page in ALL:
        for scope in SCOPE.findall(page.text):
            assert any(covers(scope, each) for each in known), scope


def test_settings():
    """A setting in the text exists."""
    known = {environment_variable(each.name) for each in fields(Settings)}
    for page in ALL:
        assert set(SETTING.findall(page.text)) <= known


def test_settings_table():
    """
    The README has every setting with its default, in the order of the code.
    """
    table = re.findall(r"^\| `(MASTHEAD_\w+)` \| (.+?) \|", README, re.MULTILINE)

    assert table == [
        (environment_variable(each.name), _shown_default(each.default))
        for each in fields(Settings)
    ]


def test_tables_told_twice():
    """Settings, commands and targets are the same in the README and in the manual."""
    assert _rows(README) == _rows(REFERENCE)


def _rows(text):
    return re.findall(r"^\| `.*", text, re.MULTILINE)


def _shown_default(default):
    if default and isinstance(default, tuple):
        return "the seven reads of status"
    if isinstance(default, float):
        default = f"{default:g}"
    return f"`{default}`" if default not in ("", ()) else "empty"


def test_pictures():
    """
    Each picture of the README exists in both colour schemes, with an alternative text.
    """
    pictures = re.findall(
        r'<picture>\n  <source media="\(prefers-color-scheme: dark\)" srcset="(.+)">\n'
        r'  <img src="(.+)" alt="(.+)">\n</picture>',
        README,
    )

    assert {name for pair in pictures for name in pair[:2]} == {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "manual" / "pictures").glob("*.png")
    }
    for dark, light, text in pictures:
        assert dark == light.replace(".png", "-dark.png")
        assert text
