"""How many threads the requests of one API key have."""

import http.client
from contextlib import closing
from threading import Condition, Thread

import pytest

from api.http.messages import REFUSAL
from api.http.server import limits
from api.http.server.caller_queue import CallerQueue
from tests.operations.http.test_load import wait_until
from tests.ports import served


class Gate:
    """An application whose requests wait until the gate is opened."""

    def __init__(self):
        self.running = self.most = 0
        self.is_open = False
        self.changed = Condition()

    def __call__(self, environ, start):
        refusal = environ.get(REFUSAL)
        body = refusal.kind.encode() if refusal else b"through"
        if environ["PATH_INFO"] == "/gate" and refusal is None:
            self._wait()
        start("200 OK", [("Content-Length", str(len(body)))])
        return [body]

    def _wait(self):
        with self.changed:
            self.running += 1
            self.most = max(self.most, self.running)
            self.changed.notify_all()
            self.changed.wait_for(lambda: self.is_open, 30)
            self.running -= 1

    def wait_for(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: self.running == count, 10)

    def open(self):
        with self.changed:
            self.is_open = True
            self.changed.notify_all()


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def get(gate):
    with served(gate, threads=8) as port:

        def sent(path, key):
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            with closing(client):
                client.request("GET", path, headers=headers)
                return client.getresponse().read().decode()

        yield sent


@pytest.fixture
def crowd(gate, get):
    """Send sixteen requests of a key that wait at the gate; collect the answers."""
    answers, threads = [], []

    def sent(key):
        for _ in range(16):
            ask = Thread(target=lambda: answers.append(get("/gate", key)))
            threads.append(ask)
            ask.start()
        return answers

    yield sent
    gate.open()
    for thread in threads:
        thread.join()


@pytest.fixture
def costly(monkeypatch):
    """Take each request for a costly one."""
    monkeypatch.setattr(limits, "COSTLY_PROCESSOR_SECONDS", -1)


@pytest.mark.parametrize(
    "spelling", ["Bearer  key", "bearer key", " Bearer key ", "BEARER \t key"]
)
def test_spellings_of_one_key(spelling):
    """However a client spells the header, it has the threads of one key."""
    queue = CallerQueue(threads=8)

    queue.learn("Bearer key", "lineage")

    assert queue.caller_of(spelling) == "lineage"
    assert queue.caller_of("Bearer other") != queue.caller_of("Bearer another")


@pytest.mark.usefixtures("costly")
def test_costly_key_in_company(gate, get, crowd):
    """
    A quarter of the threads serve one key of costly requests while others ask too;
    those get an answer at once, and the rest of its requests get theirs in time.
    """
    get("/", "greedy")
    get("/", "other")

    answers = crowd("greedy")
    gate.wait_for(2)
    others = [get("/", key) for key in ("other", None, "another", "other")]

    assert others == ["through"] * 4
    assert (gate.most, answers) == (2, [])
    gate.open()
    wait_until(lambda: len(answers) == 16)
    assert answers == ["through"] * 16


def test_cheap_key_in_company(gate, get, crowd):
    """A key of cheap requests, as a gateway has, has all threads but one."""
    get("/", "gateway")
    get("/", "other")

    crowd("gateway")

    gate.wait_for(7)
    assert get("/", "other") == "through"


@pytest.mark.usefixtures("costly")
def test_key_alone(gate, get, crowd):
    """While nobody else asks a key has all threads but one, which is for the next."""
    get("/", "greedy")
    crowd("greedy")
    gate.wait_for(7)

    assert get("/", "other") == "through"
    assert gate.most == 7


@pytest.mark.usefixtures("costly")
def test_key_that_waits_too_long(gate, get, crowd, monkeypatch):
    """What cannot be served in time is told to come again, with the rate's kind."""
    monkeypatch.setattr(limits, "QUEUE_SECONDS", 0.1)
    get("/", "greedy")
    get("/", "other")

    answers = crowd("greedy")
    wait_until(lambda: len(answers) == 14)

    assert answers == ["rate-limited"] * 14
    assert gate.running == 2


def test_secrets_of_one_lineage():
    """A key and its replacement are one caller, from the first answer on."""
    queue = CallerQueue(8)
    assert queue.caller_of("Bearer old") != queue.caller_of("Bearer new")

    for secret in ("old", "new"):
        queue.learn(f"Bearer {secret}", "lineage")

    assert queue.caller_of("Bearer old") == queue.caller_of("Bearer new") == "lineage"
    assert queue.caller_of(None) is None


def test_caller_that_becomes_known():
    """The name that a caller had before its first answer is no company for it."""
    queue = CallerQueue(8)
    unknown = queue.caller_of("Bearer key")
    queue.admit(unknown, None)
    queue.finish(unknown, is_costly=True)

    queue.learn("Bearer key", "lineage")
    queue.admit("lineage", None)
    queue.finish("lineage", is_costly=True)

    assert [queue.admit("lineage", None) for _ in range(8)] == [True] * 7 + [False]
