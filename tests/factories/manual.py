"""Some pages of the manual, as documents of the docs project."""

from pathlib import Path

from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.fields import Actor
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID
from sitegen.sources.tree import read_tree

MANUAL = Path(__file__).parents[2] / "manual"


def import_basics(now):
    """Import and publish the first pages."""
    ensure_docs_project(now, slug="docs", owner_id=NIL_UUID)
    actor = Actor("account", NIL_UUID)
    options = ImportOptions("guides", now, actor, tree="manual", publish=True)
    import_documents(read_tree(MANUAL / "basics").sources, options)
