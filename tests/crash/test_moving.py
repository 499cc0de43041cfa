"""A move that is killed at any row has moved nothing."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from models.changes import marks
from models.status.importers.imported_rows import ImportedRow
from models.status.incidents.incidents import IncidentRow, IncidentUpdateRow
from models.status.services.rows import ServiceRow

ROOT = Path(__file__).parents[2]
DYING = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from models import audit
from models.storage.database import open_database
from models.status.importers.status_import import import_status_page
from models.status.importers.page_formats import parse_status_page, status_page_files

left = int(sys.argv[2])
put_down = audit.append

def dying(*args, **more):
    global left
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    left -= 1
    put_down(*args, **more)

audit.append = dying
open_database(sys.argv[1])
status = parse_status_page(status_page_files(Path("tests/elsewhere/statuspage")))
report = import_status_page(status, datetime(2026, 3, 1, tzinfo=UTC))
print(sum(map(len, report.added.values())))
"""


@pytest.mark.parametrize("step", [0, 3, 6])
def test_killed_move(store, settings, step):
    """Nothing is stored, not even a mark; the next run moves everything."""
    marked = marks()
    command = [sys.executable, "-c", DYING, settings.database]

    died = subprocess.run([*command, str(step)], cwd=ROOT, capture_output=True)
    rows = (ServiceRow, IncidentRow, IncidentUpdateRow, ImportedRow)
    left = [row.select().count() for row in rows]
    mark = marks()
    again = subprocess.run([*command, "99"], cwd=ROOT, capture_output=True, text=True)

    assert died.returncode == -signal.SIGKILL
    assert (left, mark) == ([0, 0, 0, 0], marked)
    assert again.stdout == "7\n", again.stderr
