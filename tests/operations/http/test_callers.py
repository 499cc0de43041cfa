"""The threads that the requests of one caller may use: a key, a session, a network."""

import http.client
from contextlib import closing
from dataclasses import replace
from threading import Condition, Thread
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from api.http.application import CREDENTIAL_OF, create_app
from api.http.clients import bearer_credential
from api.http.middleware import REQUEST
from api.http.request import REFUSAL, Request
from api.http.server import limits
from api.http.server.caller_queue import CallerQueue, network_of
from sitegen.theme.console_theme import ConsoleTheme
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
        # Each key is valid, and a separate caller.
        environ[REQUEST] = request = Request(environ)
        request.caller = bearer_credential(request)
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

        def sent(path, key, **headers):
            headers |= {"Authorization": f"Bearer {key}"} if key else {}
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            with closing(client):
                client.request("GET", path, headers=headers)
                return client.getresponse().read().decode()

        yield sent


@pytest.fixture
def crowd(gate, get):
    """Send sixteen requests of a key that wait at the gate; collect the responses."""
    answers, threads = [], []

    def sent(key, **headers):
        for _ in range(16):
            api = Thread(target=lambda: answers.append(get("/gate", key, **headers)))
            threads.append(api)
            api.start()
        return answers

    yield sent
    gate.open()
    for thread in threads:
        thread.join()


def become_known(get, *keys):
    """Have each key verified, and recorded as one of costly requests if they are."""
    for key in keys * 3:
        get("/", key)


@pytest.fixture
def costly(monkeypatch):
    """Treat every request as costly."""
    monkeypatch.setattr(limits, "COSTLY_PROCESSOR_SECONDS", -1)


@pytest.mark.parametrize(
    "spelling", ["Bearer  key", "bearer key", " Bearer key ", "BEARER \t key"]
)
def test_spellings_of_one_key(spelling):
    """All spellings of the header identify the same key."""
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/"}

    request = Request(environ | {"HTTP_AUTHORIZATION": spelling})

    assert bearer_credential(request) == "key"


@pytest.mark.usefixtures("costly")
def test_costly_key_in_company(gate, get, crowd):
    """
    Costly requests of one key get a quarter of the threads while there are other
    callers; these are answered at once, and the key's other requests in time.
    """
    become_known(get, "greedy", "other")

    answers = crowd("greedy")
    gate.wait_for(2)
    others = [get("/", key) for key in ("other", None, "another", "other")]

    assert others == ["through"] * 4
    assert (gate.most, answers) == (2, [])
    gate.open()
    wait_until(lambda: len(answers) == 16)
    assert answers == ["through"] * 16


def test_cheap_key_in_company(gate, get, crowd):
    """A key with cheap requests, like a gateway's, may use all threads but one."""
    become_known(get, "gateway", "other")

    crowd("gateway")

    gate.wait_for(7)
    assert get("/", "other") == "through"


@pytest.mark.usefixtures("costly")
def test_key_alone(gate, get, crowd):
    """
    A single key may use all threads but one, which is reserved for the next caller.
    """
    become_known(get, "greedy")
    crowd("greedy")
    gate.wait_for(7)

    assert get("/", "other") == "through"
    assert gate.most == 7


@pytest.mark.usefixtures("costly")
def test_key_that_waits_too_long(gate, get, crowd, monkeypatch):
    """A request that cannot be served in time is rejected with 429, as a rate limit."""
    monkeypatch.setattr(limits, "QUEUE_SECONDS", 0.1)
    become_known(get, "greedy", "other")

    answers = crowd("greedy")
    wait_until(lambda: len(answers) == 14)

    assert answers == ["rate-limited"] * 14
    assert gate.running == 2


@pytest.mark.usefixtures("costly")
def test_network_in_company(gate, get, crowd):
    """Callers without a key share the threads of their network."""
    here, near = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "192.0.2.99"}
    get("/", None, **here)
    get("/", "known")

    answers = crowd(None, **here)
    gate.wait_for(2)
    crowd(None, **near)
    others = [
        get("/", "known", **here),
        get("/", None, **{"X-Forwarded-For": "198.51.100.1"}),
    ]

    assert others == ["through"] * 2
    assert (gate.most, answers) == (2, [])


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("192.0.2.1", "192.0.2.255", True),
        ("192.0.2.1", "192.0.3.1", False),
        ("2001:db8:0:1ff::1", "2001:db8:0:100::1", True),
        ("2001:db8:0:1ff::1", "2001:db8:0:200::1", False),
    ],
)
def test_networks(one, other, is_same):
    """A network is a /24, or a /56 of IPv6."""
    assert (network_of(one) == network_of(other)) == is_same


def test_secrets_of_one_lineage():
    """A key and its replacement are one caller, from the first response on."""
    queue = CallerQueue(8)

    for secret in ("old", "new"):
        queue.learn(secret, "lineage")

    for secret in ("old", "new"):
        assert queue.caller_of(secret) == "lineage"


def test_caller_that_becomes_known():
    """Requests before a key is first verified do not count as another caller's."""
    queue = CallerQueue(8)
    unknown = queue.caller_of("key")
    queue.admit(unknown, None)
    queue.finish(unknown, is_costly=True)

    queue.learn("key", "lineage")
    queue.admit("lineage", None)
    queue.finish("lineage", is_costly=True)

    assert [queue.admit("lineage", None) for _ in range(8)] == [True] * 7 + [False]


class GatedConsole(Gate):
    """The console, whose pages wait at the gate before they are rendered."""

    def __init__(self, app):
        super().__init__()
        self.app, self.extensions = app, app.extensions

    def __call__(self, environ, start):
        if environ["QUERY_STRING"] == "wait":
            self._wait()
        return self.app(environ, start)


@pytest.fixture
def console(store, settings, clock):
    """Serve the console; visitors can sign in and request a page."""
    app = create_app(settings, clock=clock, console_theme=ConsoleTheme(settings))
    gate = GatedConsole(app)
    with served(gate, threads=8) as port:

        def request(method, path, body=None, **headers):
            client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            with closing(client):
                client.request(method, f"/console/{path}", body, headers)
                response = client.getresponse()
                response.read()
                return response

        def sign_in(key, person=""):
            form = urlencode({"key": key, "email": person})
            media_type = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = request("POST", "sign-in/", form, **media_type)
            cookie = answer.headers["Set-Cookie"].partition(";")[0]
            # Known from the first answer on, and as costly after a further one.
            for _ in range(3):
                assert request("GET", "session/", Cookie=cookie).status == 200
            return cookie

        def look(cookie):
            return request("GET", "session/?wait", Cookie=cookie).status

        yield SimpleNamespace(gate=gate, sign_in=sign_in, look=look)


@pytest.mark.usefixtures("costly")
def test_sessions_in_company(console, issue):
    """The sessions of a key share the threads of one caller; people have their own."""
    shared = issue("*", "platform:actors:assert")
    one, other = console.sign_in(shared), console.sign_in(shared)
    ada = console.sign_in(shared, "ada@example.com")

    statuses, threads = [], []
    for cookie in [one, other] * 8:
        looking = Thread(target=lambda c=cookie: statuses.append(console.look(c)))
        threads.append(looking)
        looking.start()
    console.gate.wait_for(2)
    for _ in range(8):
        looking = Thread(target=lambda: statuses.append(console.look(ada)))
        threads.append(looking)
        looking.start()
    console.gate.wait_for(4)
    console.gate.open()
    for thread in threads:
        thread.join()

    assert (console.gate.most, statuses) == (4, [200] * 24)


@pytest.mark.parametrize(
    ("path", "identifies"),
    [
        ("/status/v1/services/list", ["key"]),
        ("/console/work/", ["session"]),
        # As neither is verified, inventing some must not give a client more threads.
        ("/status/", []),
        ("/subscribe", []),
        ("/metrics", []),
        ("/nowhere/", []),
    ],
)
def test_credential_that_is_not_checked(store, settings, clock, path, identifies):
    """A key identifies a caller only where it is verified, and so does a session."""
    app = create_app(settings, clock=clock, console_theme=ConsoleTheme(settings))
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": path, "REMOTE_ADDR": "127.0.0.1"}
    key = {"HTTP_AUTHORIZATION": "Bearer key"}
    session = {"HTTP_COOKIE": f"__Host-masthead={'s' * 43}"}

    def credential_of(sent):
        return app.extensions[CREDENTIAL_OF](Request(environ | sent))

    assert (credential_of(key) is not None) == ("key" in identifies)
    assert (credential_of(session) is not None) == ("session" in identifies)


@pytest.mark.parametrize("peer", ["10.0.0.5", "10.0.0.6"])
def test_person_of_a_proxy(store, settings, clock, peer):
    """The client that our proxy names is a caller; a name sent by others is ignored."""
    settings = replace(
        settings,
        console_trusted_header="X-Person",
        console_key_file="key",
        console_trusted_proxies=("10.0.0.5/32",),
    )
    app = create_app(settings, clock=clock, console_theme=ConsoleTheme(settings))
    environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/console/", "REMOTE_ADDR": peer}

    found = [
        app.extensions[CREDENTIAL_OF](Request(environ | {"HTTP_X_PERSON": person}))
        for person in ("ada@example.com", "grace@example.com")
    ]

    assert (found[0] is not None) == (found[0] != found[1]) == (peer == "10.0.0.5")
