"""Schemas that several threads use for the first time at the same moment."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
# Threads switch as often as possible, in a process that has not used a schema yet.
PROGRAM = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from pydantic import ValidationError
from api.operation import OPERATIONS, declare_operations

THREADS = 4

def use(operation, barrier):
    barrier.wait()
    for validate in validators(operation):
        try:
            validate({})
        except ValidationError:
            pass
    if not operation.is_download:
        assert operation.response_adapter.pydantic_complete

def validators(operation):
    if operation.request:
        yield operation.request.model_validate
    if not operation.is_download:
        yield operation.response_adapter.validate_python

sys.setswitchinterval(1e-6)
declare_operations()
failed = []
with ThreadPoolExecutor(THREADS) as threads:
    for operation in OPERATIONS:
        barrier = Barrier(THREADS)
        uses = [threads.submit(use, operation, barrier) for _ in range(THREADS)]
        errors = filter(None, [future.exception() for future in uses])
        failed += [f"{operation.name}: {error!r}" for error in errors]
print(json.dumps(failed))
"""


def test_first_use_by_several_threads():
    """The schemas of an operation are complete for all threads, whichever is first."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, check=True
    )

    assert json.loads(ran.stdout) == []
