"""Measure the CPU time that commands take, and a server until it has nothing to do."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.docs import child_cpu_seconds
from bench.server import ROOT
from tests.ports import free_port

# A server is ended so long after it is ready, when the first build has ended, too.
IDLE_SECONDS = 4.0
COMMANDS = {
    "build into an empty folder": ("build",),
    "build --full": ("build", "--full"),
    "build without changes": ("build",),
    "keys list": ("keys", "list"),
    "backup": ("backup", "copy.db"),
    "docs import of one page": ("docs", "import", "tree", "--collection", "guides"),
}


def run():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tree").mkdir()
        (folder / "tree/page.md").write_text("# A page\n\nIts text.\n")
        # It makes the database.
        command(folder, "keys", "bootstrap", "--email", "bench@example.com")
        for title, words in COMMANDS.items():
            yield f"{title}, CPU seconds", f"{command(folder, *words):.2f}", ""
        shutil.rmtree(folder / "output")
        port = free_port()
        for title in ("server on an empty folder", "the next server"):
            yield f"{title}, CPU seconds", f"{serve(folder, port):.2f}", ""


def command(folder, *words):
    """Return the CPU seconds of a command."""
    before = child_cpu_seconds()
    with start(folder, *words) as process:
        process.communicate()
    assert process.returncode == 0, words
    return child_cpu_seconds() - before


def serve(folder, port):
    """Return the CPU seconds of a server's processes, from its start to its end."""
    before = child_cpu_seconds()
    with start(folder, "serve", "--port", str(port)) as process:
        # A site without services has hints after this line.
        assert "listening" in process.stdout.readline()
        time.sleep(IDLE_SECONDS)
        process.terminate()
    return child_cpu_seconds() - before


def start(folder, *words):
    settings = {
        "MASTHEAD_DATABASE": str(folder / "bench.db"),
        "MASTHEAD_OUTPUT": str(folder / "output"),
        "MASTHEAD_LOG_LEVEL": "warning",
    }
    return subprocess.Popen(
        [sys.executable, str(ROOT / "app.py"), *words],
        cwd=folder,
        env=os.environ | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
