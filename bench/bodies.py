"""
Measure the peak memory that the body of a request uses, of any operation.

For each size and each operation that accepts it, the server gets bodies of the worst
known shapes, valid and invalid, and resets its peak memory before each. Operations that
accept less than the smallest size get their maximum.

OPERATION=bulk-create measures only operations with this in their path, SIZES=1,8,64
sets the sizes in MiB.
"""

import http.client
import os

from api.operation import OPERATIONS, declare_operations
from bench.kills import instance
from bench.server import app_server
from models.storage.database import database
from tests.peak_memory import MIB, peak_memory
from tests.ports import free_port
from tests.samples.bundles import VALID, large_bundle
from tests.samples.large_bodies import hostile_bodies, large_import

COLUMNS = "Size of the body", "Operation", "Worst body", "MiB above idle", "Target"
SIZES = [int(each) for each in os.environ.get("SIZES", "1,8,64").split(",")]
# Of each size, so many operations are shown.
SHOWN = 3
MAX_MEBIBYTES = 100
# Importing a body of 64 MiB takes minutes.
TIMEOUT_SECONDS = 3600
IMPORT = "/projects/v1/admin/projects/import"
START = "/projects/v1/document-imports/start"


def run():
    declare_operations()
    with instance() as masthead:
        database.close()
        port = free_port()
        with app_server(masthead.settings, port) as server:
            for size in SIZES:
                yield from worst(server.pid, port, masthead.key, size)


def worst(pid, port, key, mebibytes):
    """Yield a row for each of the operations that use the most memory for this size."""
    found = []
    for operation in OPERATIONS:
        is_chosen = os.environ.get("OPERATION", "") in operation.path
        if operation.method == "GET" or operation.read_upload or not is_chosen:
            continue
        size = min(mebibytes * MIB, operation.max_body_bytes)
        if size == mebibytes * MIB or mebibytes == SIZES[0]:
            used = [
                (taken_by(pid, port, key, operation.path, make()), name)
                for name, make in bodies(operation, size)
            ]
            found.append((*max(used), operation.path))
    for used, name, path in sorted(found, reverse=True)[:SHOWN]:
        limit = f"<= {MAX_MEBIBYTES}"
        yield f"{mebibytes} MiB", path, name, f"{used / MIB:.0f}", limit


def bodies(operation, size):
    yield from hostile_bodies(operation, size)
    if operation.path == IMPORT:
        for kind in VALID:
            yield f"valid: {kind}", lambda kind=kind: large_bundle(kind, size)
    if operation.path == START and size >= len(large_import()):
        yield "valid: 10,000 documents", large_import


def taken_by(pid, port, key, path, body):
    client = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    with peak_memory(pid) as peak:
        client.request("POST", path, body, headers | {"Idempotency-Key": "one"})
        client.getresponse().read()
    client.close()
    return peak.bytes
