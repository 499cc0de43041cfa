"""All our own words on pages and in scripts come from the texts of a language."""

import json
import re
from dataclasses import astuple, replace
from itertools import product

import pytest
from peewee import Value

from api.http.problem_types import PROBLEM_TYPES
from models.locales import FALLBACK, load_locale
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.documents.rows import DocumentRow
from models.status.incidents.incidents import IncidentRow, IncidentUpdateRow
from models.status.maintenance.windows import MaintenanceRow
from models.status.services.rows import ServiceRow
from sitegen.markdown.rendering import render, render_entry, resolve_links
from sitegen.sources.tree import read_tree
from sitegen.theme.theme import DEFAULT_TEMPLATES
from tests import world
from tests.factories.languages import (
    SIGN,
    TAG,
    WORD,
    Read,
    add_marked_languages,
    lines_of,
    unmarked_words,
    words_of_dates,
)
from tests.factories.projects import KEY
from tests.factories.status import REMOVE_INCIDENT, World
from tests.samples import rich_document
from tests.samples.openapi_document import DESCRIBED

# Names that are the same in every language, and texts from the test's settings.
NAMES = {
    "Masthead",
    "Markdown",
    "Mermaid",
    "OpenAPI",
    "JSON",
    "JSON Feed",
    "RSS",
    "Atom",
    "CSV",
}
NAMES |= {"curl", "Python", "JavaScript"}
NAMES |= {"Acme", "Ships goods.", "Svenska"}
PICTURE = re.compile(r'!\[(.*?)\]\(\S+(?: "(.*?)")?\)')
SCRIPTS = [
    file
    for folder in ("assets", "console/assets")
    for file in sorted((DEFAULT_TEMPLATES / folder).glob("*.js"))
]
# Comments and regular expressions, in which quotes begin no text, and literals.
LITERAL = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r"|(?:(?<=[(,=:!&|?\[])|(?<=[(,=:!&|?\[] ))"
    r"/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n\[])+/[a-z]*"
    r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|`(?:\\.|[^`\\])*`',
    re.DOTALL,
)
# The context of selectors, media queries and class names.
SELECTING = re.compile(
    r"(?:(?:querySelector(?:All)?|matches|closest|matchMedia|all)\("
    r"|className *[=:] *|FRAME = )$"
)
SHOWING = re.compile(
    r"(?:textContent|innerText|ariaLabel|placeholder|title|alt) *[=:] *$"
    r"|(?:append|prepend|replaceWith|replaceChildren|alert|confirm)\($"
)


@pytest.fixture
def settings(settings, tmp_path):
    """A site in the marked language, with everything that pages can have."""
    templates = add_marked_languages(tmp_path / "own", TAG)
    sites = [{"name": "Svenska", "url": "https://example.com", "language": TAG}]
    sites += [{"name": "2.x", "url": "https://example.com/v2", "version": "2.4"}]
    (tmp_path / "sites.json").write_text(json.dumps(sites))
    return replace(
        settings,
        templates=templates,
        language=TAG,
        site_name="Acme",
        site_url="https://example.com",
        tagline="Ships goods.",
        switcher=str(tmp_path / "sites.json"),
        edit_url="https://example.com/edit/{path}",
        feedback_url="https://example.com/new?title={title}&body={url}",
        smtp="smtp://relay.example.com",
        mail_from="Acme <status@example.com>",
    )


def write_everything(api, clock, docs_project, folder):
    """Create documents, services, incidents and maintenance of every kind."""
    world.populate(clock.now, days=2)
    chosen = (ServiceRow.name, ServiceRow.group)
    signed = {name: Value(SIGN).concat(name).concat(SIGN) for name in chosen}
    ServiceRow.update(signed).execute()
    removed = World(api, clock).incident("cdn", title="Mistaken")
    assert api(REMOVE_INCIDENT, {"id": removed}).status_code == 200
    for name, content in rich_document.FILES.items():
        docs_project.add(name, content)
    docs_project.publish("rich", rich_document.TEXT, title="Rich", section="Start")
    docs_project.publish("deep", "Words.\n", title="Deep", section="Start/Further")
    moved = docs_project.publish(
        "limits", "## Rates\n", title="Limits", collection="support"
    )
    docs_project.update(moved, collection="products")
    folder.mkdir()
    (folder / "german.md").write_text("---\ntitle: Deutsch\nlang: de\n---\nWorte.\n")
    options = ImportOptions("guides", clock.now, KEY, tree="german", publish=True)
    import_documents(read_tree(folder).sources, options)


def write_nothing(api, clock, docs_project, folder):
    """Leave the site empty."""


def texts_of_people():
    """Return the texts of people, line by line as on pages."""
    english = load_locale(FALLBACK)
    entries = [row.body for row in IncidentUpdateRow]
    entries += [row.description or "" for row in MaintenanceRow]
    documents = [rich_document.TEXT, "## Rates\n", "Words.\n", "Worte.\n"]
    bodies = [render_entry(text, english) for text in entries]
    # A broken link is text.
    for text, to in product(documents, ["/elsewhere/", None]):
        rendered = render(text)
        resolved = resolve_links(rendered.html, rendered.links, lambda _, to=to: to)
        bodies.append(resolved)
    texts = [text for body in bodies for text in Read(f"<p>{body}</p>").texts]
    for text in documents:
        texts += [name for pair in PICTURE.findall(text) for name in pair]
    for row in ServiceRow:
        texts += [row.name, row.description, row.group, row.hostname]
    for row in DocumentRow:
        texts += [row.title, row.summary, *(row.section or "").split("/")]
    texts += [row.title for kind in (IncidentRow, MaintenanceRow) for row in kind]
    return set(lines_of(texts))


def texts_of_the_api():
    """Return the texts of the OpenAPI document and the problems, which stay English."""
    texts = [text for text in values_in(DESCRIBED) if isinstance(text, str)]
    bodies = [render(text).html for text in map(str, texts)]
    texts += [text for body in bodies for text in Read(f"<p>{body}</p>").texts]
    lines = set(lines_of(map(str, texts)))
    # A single word of it could also be one of ours.
    lines = {line for line in lines if " " in line} | names_of_the_api()
    problems = PROBLEM_TYPES.values()
    return lines | {str(text) for problem in problems for text in astuple(problem)}


def names_of_the_api():
    """Return the names of operations, and the titles of their pages."""
    found = set()
    for path, methods in DESCRIBED["paths"].items():
        _, area, _, *words, verb = path.split("/")
        scope = ["admin"] * (words[0] == "admin")
        title = " ".join(words[len(scope) :]).replace("-", " ").capitalize()
        found |= {title, f"{title} ({area})", verb, "-".join([*scope, verb])}
        found |= {method.upper() for method in methods}
    return found


def values_in(node):
    if isinstance(node, dict | list):
        for inner in node.values() if isinstance(node, dict) else node:
            yield from values_in(inner)
    else:
        yield node


def shown_words(script):
    """Return the literals of a script that readers could see."""
    found = []
    for match in LITERAL.finditer(script):
        literal, before = match[0], script[: match.start()]
        if literal.startswith("/") or SELECTING.search(before):
            continue
        text = re.sub(r"\$\{.*?\}", "", literal[1:-1])
        words = WORD.findall(re.sub(r"\\.", "", text))
        is_sentence = re.search(r"[a-z]{2} [a-z]{2}", text, re.IGNORECASE)
        if is_sentence or (words and SHOWING.search(before)):
            found.append(text)
    return found


@pytest.mark.parametrize("write", [write_everything, write_nothing])
def test_pages(api, clock, docs_project, build_site, output, tmp_path, write):
    """A page has only words of the language, of people and of the API."""
    write(api, clock, docs_project, tmp_path / "tree")
    known = NAMES | words_of_dates() | texts_of_people()
    of_reference = known | texts_of_the_api()

    report = build_site(openapi=DESCRIBED)

    assert report.failed == []
    pages = sorted(output.rglob("*.html"))
    assert len(pages) > 100
    for path in pages:
        at = path.relative_to(output)
        is_reference = at.parts[0] in ("reference", "problems")
        words = unmarked_words(
            path.read_text(), of_reference if is_reference else known
        )
        assert words == [], at


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_scripts(script):
    """A script has only words from the texts of the language."""
    assert shown_words(script.read_text()) == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ('b.textContent = "Copied";', ["Copied"]),
        ("box.append('Try again', b);", ["Try again"]),
        ('create("p", {}, `No results for ${query}`);', ["No results for "]),
        ('create("p", { title: "Close" });', ["Close"]),
        ('all("a[href], summary").map(f); // It\'s a comment', []),
        ('b.textContent = TEXT("docs.copied"); if (event.key === "Enter") {}', []),
    ],
)
def test_words_of_a_script(code, words):
    """Words in a script count if readers see them, or if there are several."""
    assert shown_words(code) == words
