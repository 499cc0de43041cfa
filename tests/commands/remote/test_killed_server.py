"""A server that is killed while a tree is imported into it, and started again."""

import pytest

from tests.commands.conftest import bootstrapped
from tests.commands.remote.conftest import Cut, written_key


@pytest.fixture
def key_file(environment, tmp_path):
    return written_key(tmp_path, bootstrapped(environment))


@pytest.mark.both_engines
def test_killed_server(start, relay, import_over_relay):
    """When the server is back, the same run of the import continues."""
    servers, killed = [], []
    process, address, _ = start()
    servers.append(process)
    relay.port = int(address.rpartition(":")[2])

    def kill(verb, number):
        if verb in ("add-file", "apply") and verb not in killed:
            killed.append(verb)
            servers[-1].kill()
            servers[-1].wait()
            servers.append(start(port=relay.port)[0])
            raise Cut

    relay.after = kill

    code, out, _ = import_over_relay()

    assert killed == ["add-file", "apply"]
    assert (code, out) == (
        0,
        "created 2, updated 0, unchanged 0, published 2, pruned 0, files 1,"
        " left out 0, drafts 0\n",
    )
