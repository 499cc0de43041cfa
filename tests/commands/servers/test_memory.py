"""The free memory that a process keeps."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import ROOT

# glibc's arenas, but for the first, lie in blocks of this size at multiples of it.
ARENA_BYTES = 64 * 1024 * 1024
FREED = """
from api.commands.terminal import limit_free_memory
limit_free_memory()
# Freeing a large text makes glibc take the next ones from its arenas.
text = "x" * 20_000_000
del text
texts, kept = [], []
for number in range(400):
    texts.append("x" * (400_000 + number))
    kept.append("y" * (1000 + number))
del texts
lines = open("/proc/self/status").read().splitlines()
print(next(line for line in lines if line.startswith("VmRSS")).split()[1])
"""


def has_glibc():
    return sys.platform == "linux" and Path("/lib64/ld-linux-x86-64.so.2").exists()


pytestmark = pytest.mark.skipif(not has_glibc(), reason="This is about glibc.")


def test_freed_texts_are_returned_to_the_system():
    """Of 160 MB of freed texts between small blocks, most is returned to the system."""
    command = [sys.executable, "-c", FREED]
    result = subprocess.run(
        command, cwd=ROOT, capture_output=True, check=True, text=True
    )

    assert int(result.stdout) < 80_000


def test_server_shares_two_arenas(start):
    """The threads of a server share two heaps, because each heap keeps free memory."""
    process, _, _ = start()

    maps = Path(f"/proc/{process.pid}/maps").read_text().splitlines()
    starts = [int(line.partition("-")[0], 16) for line in maps if line.endswith(" 0 ")]
    arenas = [start for start in starts if start % ARENA_BYTES == 0]

    assert len(arenas) <= 1
