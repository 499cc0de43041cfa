"""Old links to headings of documents, as builds preserve them."""

import pytest


@pytest.fixture
def page(output):
    return lambda slug: (output / f"guides/{slug}/index.html").read_text()


@pytest.fixture
def renamed(docs_project):
    """A document with a heading that was renamed twice, and one that was removed."""
    limits = docs_project.publish("limits", "# A\n\n## Rates\n\n## Gone\n\n## End\n")
    docs_project.release(
        docs_project.update(limits, content="# A\n\n## Quotas\n\n## End\n")
    )
    docs_project.release(
        docs_project.update(limits, content="# A\n\n## Quotas\n\n## The end\n")
    )
    docs_project.update(limits, content="# A\n\n## Draft\n")
    return limits


def test_old_id_stays_at_its_heading(renamed, build_site, page):
    """A renamed heading keeps its old id as a target, which is no tab stop."""
    build_site()

    html = page("limits")
    assert '<h2 id="the-end"><span id="end"></span>The end' in html
    assert 'id="draft"' not in html
    assert 'id="gone"' not in html


def test_old_link_is_no_broken_link(renamed, docs_project, build_site):
    """A link to a former heading works; one to a removed heading is broken."""
    docs_project.publish("keys", "[a](limits.md#end) [b](limits.md#gone)\n")

    report = build_site()

    assert report.warnings == ["guides/keys: no heading is at limits.md#gone"]


def test_author_fixes_an_id(docs_project, build_site, page):
    """A heading that gets its old id by hand has it exactly once."""
    limits = docs_project.publish("limits", "## Rates\n")
    docs_project.release(docs_project.update(limits, content="## Quotas {#rates}\n"))

    build_site()

    assert '<h2 id="rates"><span id="quotas"></span>Quotas' in page("limits")
    assert page("limits").count('id="rates"') == 1


def test_taken_back(docs_project, build_site, page):
    """After a rollback, the newer names of the headings still work."""
    limits = docs_project.publish("limits", "## Rates\n")
    docs_project.release(docs_project.update(limits, content="## Quotas\n"))
    build_site()
    docs_project.release(limits, version=1)

    build_site()

    assert '<h2 id="rates"><span id="quotas"></span>Rates' in page("limits")


def test_any_way_leads_to_the_same(renamed, build_site, page, tmp_path):
    """An incremental build gives the same files as a full one."""
    build_site()
    build_site(output=tmp_path / "fresh", full=True)

    fresh = (tmp_path / "fresh/guides/limits/index.html").read_text()
    assert fresh == page("limits")


def test_spelling_of_github(docs_project, build_site, page):
    """Links in GitHub's spelling find their headings, and the title."""
    docs_project.publish("limits", "## A & B\n\n## 2.2 Lines\n", title="The limits")
    text = "[a](limits.md#a--b) [b](limits.md#22-lines) [c](limits.md#the-limits)\n"
    docs_project.publish("keys", text)

    report = build_site()

    assert report.warnings == []
    assert '<h2 id="a-b"><span id="a--b"></span>A' in page("limits")
    assert '<h1 id="the-limits">' in page("limits")
