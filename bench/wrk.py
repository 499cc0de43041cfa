"""
Send requests with wrk, which takes half of the CPU time of a client in Python.

It shares the cores with the server, and so limits what it measures.
"""

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

# Each thread of wrk sends the next of the requests in turn, as they are.
SCRIPT = """
local requests, next = {{ {requests} }}, 0
function request()
  next = next % #requests + 1
  return requests[next]
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format("%d %d %d %d\\n", summary.requests, summary.duration,
    latency:percentile(99), errors.status + errors.read + errors.write
    + errors.timeout + errors.connect))
end
"""


class LoadResult(NamedTuple):
    requests: int
    seconds: float
    p99_ms: float

    @property
    def rate(self):
        return self.requests / self.seconds


def is_installed():
    return shutil.which("wrk") is not None


def send_load(port, requests, connections, seconds):
    """Send the requests in turn over so many connections; all must succeed."""
    with TemporaryDirectory() as folder:
        script = Path(folder) / "requests.lua"
        literals = ",".join(map(_lua_string, requests))
        script.write_text(SCRIPT.format(requests=literals))
        command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", str(script)]
        command.append(f"http://127.0.0.1:{port}/")
        output = subprocess.run(command, check=True, capture_output=True, text=True)
    *numbers, errors = map(int, output.stdout.splitlines()[-1].split())
    if errors:
        raise RuntimeError(f"{errors} of the requests failed:\n{output.stdout}")
    count, microseconds, p99 = numbers
    return LoadResult(count, microseconds / 1_000_000, p99 / 1000)


def _lua_string(request):
    """Return the bytes as a literal of Lua: every byte that is not plain by number."""
    text = request.decode("latin-1")
    return '"' + re.sub(r"[^ !#-\[\]-~]", lambda m: f"\\{ord(m[0]):03}", text) + '"'
