"""An interrupted move has stored nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import ROOT
from tests.commands.databases.test_move_faults import is_nothing
from tests.interrupts import heed_interrupts

# Dies, or waits to be interrupted, after this number of copied rows.
DYING = """
import os, signal, sys
import app
from models.storage.engines.sqlite_bulk import SqliteBulkRows
from models.storage.engines.postgresql_bulk import PostgresqlBulkRows

left = int(os.environ.pop("LEFT"))

def dying(rows):
    global left
    for row in rows:
        if left == 0:
            os.kill(os.getpid(), getattr(signal, os.environ.pop("SIGNAL")))
        left -= 1
        yield row

def die_on_insert(engine):
    insert_rows = engine.insert_rows
    engine.insert_rows = lambda self, table, rows: insert_rows(self, table, dying(rows))

for engine in (SqliteBulkRows, PostgresqlBulkRows):
    die_on_insert(engine)
sys.exit(app.main())
"""


def died(file, to, left, signal="SIGKILL"):
    result = {"MASTHEAD_DATABASE": str(file), "LEFT": str(left), "SIGNAL": signal}
    words = [sys.executable, "-c", DYING, "move", str(to)]
    return subprocess.run(
        words,
        cwd=ROOT,
        env=os.environ | result,
        capture_output=True,
        preexec_fn=heed_interrupts,
    )


@pytest.mark.parametrize("left", [0, 12])
def test_killed(left, file, to, command):
    """A killed move has stored nothing, and the next one moves everything."""
    assert died(file, to, left).returncode == -signal.SIGKILL

    if to.startswith("postgresql"):
        assert is_nothing(to)
    assert not Path(to).exists()
    assert command("move", to)[0] == 0
    assert died(file, to, 99).returncode == 2
    assert not list(Path(to).parent.glob("*.draft"))


def test_interrupted(file, to):
    """Ctrl-C leaves nothing stored, and prints no traceback."""
    ran = died(file, to, 12, "SIGINT")

    assert ran.returncode == 130
    assert ran.stderr == b"masthead: Interrupted.\n"
    assert is_nothing(to)
