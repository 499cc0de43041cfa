"""PgBouncer between a command and the server of the database."""

import re
import socket
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.commands.conftest import ROOT
from tests.commands.servers.test_serve import until
from tests.databases.cluster import as_account
from tests.deploy.conftest import needed
from tests.ports import free_port

pytestmark = pytest.mark.postgresql

CONFIGURATION = """
[databases]
* = host={host} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
ignore_startup_parameters = options
pool_mode = {mode}
"""


def is_listening(port):
    with closing(socket.socket()) as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def pooled(address, mode):
    """Yield the address of a database through a pooler in this mode."""
    name, host = re.search(r"/(\w+)\?host=([^&]+)", address).groups()
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        # Another account runs the pooler.
        Path(folder).chmod(0o755)
        file = Path(folder) / "pgbouncer.ini"
        file.write_text(CONFIGURATION.format(host=host, port=port, mode=mode))
        command = as_account(needed("pgbouncer"), "--quiet", file)
        with subprocess.Popen(command, cwd="/", stderr=subprocess.DEVNULL) as pooler:
            try:
                until(lambda: is_listening(port))
                yield f"postgresql://postgres@127.0.0.1:{port}/{name}"
            finally:
                pooler.terminate()


def migrate(environment, mode):
    with pooled(environment["MASTHEAD_DATABASE"], mode) as address:
        return subprocess.run(
            [sys.executable, "app.py", "migrate"],
            cwd=ROOT,
            env=environment | {"MASTHEAD_DATABASE": address},
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.mark.parametrize("mode", ["transaction", "statement"])
def test_pooler_of_transactions(environment, mode):
    """With a transaction pooler nothing starts, and the error is a sentence."""
    ran = migrate(environment, mode)

    assert ran.returncode == 2
    assert re.fullmatch(
        r"masthead: A pooler at postgresql://postgres@127\.0\.0\.1:\d+/\w+ lends a"
        r" session .* set pool_mode = session, or connect to PostgreSQL directly\.\n",
        ran.stderr,
    )


def test_pooler_of_sessions(environment):
    """A session pooler works like no pooler."""
    ran = migrate(environment, "session")

    assert (ran.returncode, ran.stderr) == (0, "")
