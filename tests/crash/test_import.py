"""An import that is killed at any document has imported nothing."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from models.changes import marks
from models.projects.documents.rows import DocumentRow
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID

ROOT = Path(__file__).parents[2]
DYING = """
import os, signal, sys
from datetime import UTC, datetime
from models.storage.database import open_database
from models.projects.document_imports.document_import import import_documents
from models.projects.document_imports.options import ImportOptions
from models.projects.document_imports.sources import document_source
from models.projects.fields import Actor
from models.settings import NIL_UUID

def dying(sources):
    for number, source in enumerate(sources):
        if number == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        yield source

open_database(sys.argv[1])
sources = [
    document_source(path=f"{n}.md", slug=f"n-{n}", section=None, position=0,
                    title=str(n), summary="", content="Words.")
    for n in range(9)
]
actor = Actor("account", NIL_UUID)
wanted = ImportOptions("guides", datetime.now(UTC), actor, tree="tree", publish=True)
report = import_documents(sources, wanted, dying)
print(len(report.created), len(report.published))
"""


@pytest.mark.parametrize("step", [0, 1, 4, 8])
def test_killed_import(store, settings, clock, step):
    """Nothing is stored, not even a mark; the next import imports everything."""
    ensure_docs_project(clock.now, slug="docs", owner_id=NIL_UUID)
    marked = marks()["docs"]
    command = [sys.executable, "-c", DYING, settings.database]

    died = subprocess.run([*command, str(step)], cwd=ROOT, capture_output=True)
    left, mark = DocumentRow.select().count(), marks()["docs"]
    again = subprocess.run([*command, "99"], cwd=ROOT, capture_output=True, text=True)

    assert died.returncode == -signal.SIGKILL
    assert (left, mark) == (0, marked)
    assert again.stdout == "9 9\n", again.stderr
