"""Pictures and files of documents, as a build publishes and shows them."""

import json

import pytest

from tests.samples import pictures


@pytest.fixture
def body(output):
    """Return the prose of a built document."""

    def read(slug, collection="guides"):
        html = (output / collection / slug / "index.html").read_text()
        return html.partition('<div class="prose">')[2].partition("<footer>")[0]

    return read


@pytest.mark.both_engines
def test_picture(docs_project, build_site, body, output):
    """
    A picture is published under its digest, and shown with its size and a full view.
    """
    file = docs_project.add("images/setup.png", pictures.png(640, 480))
    docs_project.publish("setup", "![The form](images/setup.png)\n")

    report = build_site()

    href = f"/files/{file['sha256']}/setup.png"
    assert (
        body("setup")
        .strip()
        .startswith(
            f'<p><a href="{href}"><img src="{href}" alt="The form" width="640"'
            ' height="480" decoding="async"></a></p>'
        )
    )
    assert (output / href[1:]).read_bytes() == pictures.png(640, 480)
    assert report.warnings == []


def test_newer_file_shows_at_the_next_publication(
    docs_project, build_site, body, output
):
    """A new file is shown only after publishing, even of the same version."""
    old = docs_project.add("a.png", pictures.png(1, 1))
    document = docs_project.publish("setup", "![A](a.png)\n")
    build_site()
    new = docs_project.add("a.png", pictures.png(2, 2))

    assert not build_site().written
    assert old["sha256"] in body("setup")
    docs_project.release(document)
    report = build_site()

    assert new["sha256"] in body("setup")
    assert report.removed == [f"files/{old['sha256']}/a.png"]
    assert not (output / "files" / old["sha256"]).exists()


def test_older_version_shows_its_own_file(docs_project, build_site, body):
    """An older version shows its own file, whatever the file's later changes."""
    old = docs_project.add("a.png", pictures.png(1, 1))
    document = docs_project.publish("setup", "![A](a.png)\n")
    docs_project.add("a.png", pictures.png(2, 2))
    docs_project.update(document, content="![A](a.png) and more\n")
    docs_project.release(document)

    docs_project.release(document, version=1)
    build_site()

    assert old["sha256"] in body("setup")


def test_picture_that_does_not_exist(docs_project, build_site, body):
    """A missing picture is replaced by its text, with a warning."""
    docs_project.publish("setup", "![The <form>](images/setup.png)\n")

    report = build_site()

    assert "<p>The &lt;form&gt;</p>" in body("setup")
    assert report.warnings == ["guides/setup: nothing is at images/setup.png"]


def test_file_that_is_added_later(docs_project, build_site, body):
    """A file that is added later is shown only after a publication."""
    document = docs_project.publish("setup", "![A](a.png)\n")
    build_site()
    docs_project.add("a.png", pictures.png())

    build_site()
    assert "<img" not in body("setup")
    docs_project.release(document)
    build_site()

    assert "<img" in body("setup")


def test_link_to_a_file(docs_project, build_site, body, output):
    """A link leads to the file, with its fragment."""
    file = docs_project.add("data/limits.csv", b"a,b\n")
    docs_project.publish("limits", "[The limits](/data/limits.csv#row=2)\n")

    build_site()

    href = f"/files/{file['sha256']}/limits.csv"
    assert f'<a href="{href}#row=2">The limits</a>' in body("limits")
    assert (output / href[1:]).read_bytes() == b"a,b\n"


def test_equal_files_are_published_once(docs_project, build_site, output):
    """Two documents that show the same bytes share the published file."""
    for name in ("one/a.png", "two/a.png"):
        file = docs_project.add(name, pictures.png())
    docs_project.publish("first", "![A](one/a.png)\n")
    docs_project.publish("second", "![A](two/a.png)\n")

    build_site()

    assert [path.name for path in (output / "files").iterdir()] == [file["sha256"]]


def test_only_the_first_picture_loads_at_once(docs_project, build_site, body):
    """All pictures except the first load when they come into view."""
    docs_project.add("a.png", pictures.png())
    docs_project.publish(
        "setup", "![A](a.png)\n\n![B](a.png)\n\n![C](https://x.org/c.png)\n"
    )

    build_site()

    lazy = [part.count('loading="lazy"') for part in body("setup").split("<img")[1:]]
    assert lazy == [0, 1, 1]


def test_caption(docs_project, build_site, body):
    """The title of a stand-alone picture is its caption, not a tooltip."""
    docs_project.add("a.png", pictures.png())
    docs_project.publish(
        "setup", '![A](a.png "The <form>")\n\nSee ![B](a.png "Small").\n'
    )

    build_site()

    figure, _, rest = body("setup").partition("</figure>")
    assert figure.strip().startswith("<figure><a ")
    assert figure.endswith("</a><figcaption>The &lt;form&gt;</figcaption>")
    assert "title=" not in figure
    assert 'title="Small"' in rest


@pytest.mark.parametrize("text", ["![](a.png)", "[![A](a.png)](https://example.org/)"])
def test_picture_without_a_link(docs_project, build_site, body, text):
    """A picture without alternative text, or in a link, is not linked itself."""
    file = docs_project.add("a.png", pictures.png())
    docs_project.publish("setup", f"{text}\n")

    build_site()

    assert f'<a href="/files/{file["sha256"]}' not in body("setup")
    assert f'<img src="/files/{file["sha256"]}' in body("setup")


def test_headers_and_manifest(docs_project, build_site, output):
    """Files are immutable, listed with their types, and execute nothing."""
    file = docs_project.add("a.svg", pictures.svg())
    docs_project.publish("setup", "![A](a.svg)\n")

    build_site()

    path = f"files/{file['sha256']}/a.svg"
    entry = json.loads((output / "manifest.json").read_text())["files"][path]
    assert entry["sha256"] == file["sha256"]
    assert entry["type"] == "image/svg+xml; charset=utf-8"
    assert entry["cache"] == "immutable"
    rules = (output / "_headers").read_text().partition("/files/*\n")[2]
    assert " sandbox;" in rules.partition("\n/")[0]
    assert "immutable" in rules.partition("\n/")[0]
