"""The memory that the body of a request uses, whatever its content."""

import json
from itertools import islice
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from api.operation import OPERATIONS
from tests.commands.conftest import fetch
from tests.nightly import one_of_each_kind
from tests.peak_memory import MIB, peak_memory, resets_peaks
from tests.samples.bundles import VALID, large_bundle
from tests.samples.large_bodies import hostile_bodies, large_import

MAX_BYTES = 100 * MIB
IMPORT = "/projects/v1/admin/projects/import"
BODIES = [o for o in OPERATIONS if o.method == "POST" and not o.read_upload]

pytestmark = pytest.mark.skipif(
    not resets_peaks(), reason="This system does not forget the peak of a process."
)


@pytest.fixture(scope="module")
def secret(shared_server, shared_key):
    """A key without a practical rate limit."""
    rates = {"rateCapacity": 100_000, "rateRefill": 10_000}
    body = {"name": "Bodies", "scopes": ["*"], **rates}
    answer = fetch(f"{shared_server[1]}/platform/v1/keys/add", shared_key, body)
    return json.loads(answer)["data"]["secret"]


@pytest.fixture
def send(shared_server, secret):
    """Send a body; return the status, and the memory used."""
    process, address = shared_server

    def sent(path, body):
        headers = {"Authorization": f"Bearer {secret}", "Idempotency-Key": "one"}
        request = Request(f"{address}{path}", body, headers)
        request.add_header("Content-Type", "application/json")
        with peak_memory(process.pid) as peak:
            try:
                with urlopen(request, timeout=600) as answer:
                    status = answer.status
                    answer.read()
            except HTTPError as refused:
                status = refused.code
                refused.read()
        return status, peak.bytes

    # The first request also loads modules.
    sent(IMPORT, b"{}")
    return sent


@one_of_each_kind(BODIES)
def test_invalid_body(operation, send, stride):
    """Rejecting a body uses little memory, even the largest that is accepted."""
    step = 4 * stride if operation.lazy_lists else stride
    bodies = hostile_bodies(operation, operation.max_body_bytes)

    for name, make in islice(bodies, 0, None, step):
        status, used = send(operation.path, make())

        assert 400 <= status < 500, name
        assert used < MAX_BYTES, name


@pytest.mark.parametrize(
    "kind",
    [k if k == "texts" else pytest.param(k, marks=pytest.mark.nightly) for k in VALID],
)
def test_import(send, kind):
    """Importing the largest bundle uses little memory, whatever its content."""
    body = large_bundle(kind)

    status, used = send(IMPORT, body)

    assert status == 200
    assert used < MAX_BYTES


def test_document_import(send):
    """Starting the largest import of documents uses little memory, too."""
    status, taken = send("/projects/v1/document-imports/start", large_import())

    assert status == 200
    assert taken < MAX_BYTES
