"""A server's builder that builds when it is told to, and what its site should be."""

import pytest

from tests.pages.builder.local_docs import ManualBuilder
from tests.pages.builder.test_build import files_in
from tests.pages.builder.test_builder import ADMIN


@pytest.fixture
def manual(store, settings, clock, ask, shelf):
    """A builder that builds when told to; its site has documents and a service."""
    ask(f"{ADMIN}/services/add", {"slug": "api", "name": "API"})
    documents = [shelf.publish(f"page-{number}") for number in range(4)]
    builder = ManualBuilder(settings, clock)
    builder.shelf, builder.documents = shelf, documents

    def rewrite(number, text):
        shelf.update(documents[number], content=text)
        shelf.release(documents[number])

    builder.rewrite = rewrite
    return builder


@pytest.fixture
def equals_fresh(build_site, output, tmp_path):
    """Tell whether the site is the one that a build into an empty folder makes."""

    def compared():
        build_site(output=tmp_path / "fresh")
        return files_in(output) == files_in(tmp_path / "fresh")

    return compared
