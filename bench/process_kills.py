"""
Kill each process of a server at random times, under load and during publications.

The others continue, and a killed process must run again within two seconds. A process
of the API is also killed while it holds a lock of the database's file, or of the memory
that the processes share. When the parent is killed, the others must end.
"""

import os
import signal
import socket
import time
from collections import Counter, defaultdict
from contextlib import contextmanager, suppress
from pathlib import Path

from bench.loaded_server import LoadedServer
from models.storage.database import database, open_database

PROCESSES = 2
# The default of MASTHEAD_THREADS; a process that serves has more.
API_THREADS = 8
# In this order again and again, so that each has its share.
VICTIMS = (
    "API",
    "builder",
    "API with the write lock",
    "documents",
    "API with a shared lock",
    "builder during a publication",
    "API",
    "documents",
    "builder",
    "parent",
)
MAX_PAUSE_SECONDS = 1.5
# The maximum wait for a moment, such as that at which a process has a lock.
MOMENT_SECONDS = 3.0
GIVE_UP_SECONDS = 120.0
# The first byte of SQLite's locks in the -shm file is the writer lock.
WRITE_LOCK = "120"
LEASE = ".masthead.publishing"


def killed_processes(masthead, victims, rng):
    """
    Kill these processes of a server; return counts of what contradicts it.

    Also return, under "by process", the kills of each kind, and under "longest" the
    seconds until such a process was there again.
    """
    database.close()
    target = Path(masthead.path).parent / "published"
    scene = Scene(masthead, target)
    with scene.ending(), scene.server.under_load():
        scene.start()
        for victim in victims:
            time.sleep(rng.uniform(0.1, MAX_PAUSE_SECONDS))
            scene.kill(victim, rng)
        time.sleep(1)
    open_database(masthead.path)
    total = Counter(kills=len(victims))
    total += masthead.count_failures(scene.server.writes, scene.server.responses)
    total["files"] += masthead.count_different_files()
    total["requests refused"] += len(scene.server.errors)
    return dict(total) | {"by process": scene.kills, "longest": scene.longest}


class Scene:
    """A server of several processes, which publishes to a folder, and its victims."""

    def __init__(self, masthead, target):
        self.target, self.shm = target, Path(f"{masthead.path}-shm")
        target.mkdir()
        settings = {"MASTHEAD_PROCESSES": str(PROCESSES), "MASTHEAD_PUBLISH": target}
        self.server = LoadedServer(masthead, 0, **settings)
        self.kills, self.longest = Counter(), defaultdict(float)
        self.process = None

    def start(self):
        self.process = self.server.start()
        until(lambda: self.is_complete)

    @contextmanager
    def ending(self):
        """End the server afterwards: as it should, or after an error at once."""
        try:
            yield
            self.process.terminate()
            assert self.process.wait(GIVE_UP_SECONDS) == 0
        finally:
            if self.process is not None:
                self.process.kill()
                self.process.wait()
                self.process.stdout.close()

    def kill(self, victim, rng):
        if victim == "parent":
            self.kill_parent()
            return
        kind = victim.partition(" ")[0]
        pid = rng.choice(self.pids(kind))
        if victim.endswith("lock"):
            victim = self.stop_with_lock(pid, victim)
        elif victim.endswith("publication"):
            wait_for(lambda: self.is_publishing)
        started = time.monotonic()
        descendants = children(pid)
        os.kill(pid, signal.SIGKILL)
        until(lambda: not is_running(pid))
        until(lambda: not any(map(is_running, descendants)))
        until(lambda: self.is_complete)
        self.note(victim, f"{kind} runs again", time.monotonic() - started)

    def kill_parent(self):
        orphans = self.children()
        started = time.monotonic()
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        until(lambda: not any(map(is_running, orphans)))
        until(lambda: not is_listening(self.server.port))
        seconds = time.monotonic() - started
        self.note("parent", "all processes have ended with their parent", seconds)
        self.start()

    def note(self, victim, what, seconds):
        self.kills[victim] += 1
        self.longest[what] = max(self.longest[what], seconds)

    def stop_with_lock(self, pid, victim):
        """Stop the process while it has the lock, if it has; return what it is."""
        deadline = time.monotonic() + MOMENT_SECONDS
        while time.monotonic() < deadline:
            os.kill(pid, signal.SIGSTOP)
            if self.has_lock(pid, victim):
                return victim
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.0005)
        return "API"

    def has_lock(self, pid, victim):
        inode = str(self.shm.stat().st_ino)
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if fields[1:2] != ["POSIX"] or fields[4] != str(pid):
                continue
            is_database = fields[5].rpartition(":")[2] == inode
            if "write" in victim and is_database and fields[6] == WRITE_LOCK:
                return True
            if "shared" in victim and not is_database and fields[3] == "WRITE":
                return True
        return False

    @property
    def is_publishing(self):
        with suppress(OSError):
            return b'"owner": ""' not in (self.target / LEASE).read_bytes()
        return False

    @property
    def is_complete(self):
        """Return whether all processes run, and those of the API have their threads."""
        api = self.pids("API")
        return (
            len(api) == PROCESSES
            and bool(self.pids("builder"))
            and bool(self.pids("documents"))
            and all(thread_count(pid) > API_THREADS for pid in api)
        )

    def pids(self, kind):
        """Return the processes of a kind, by the names that the server gives them."""
        prefix = {"API": "mh-api", "builder": "mh-builder", "documents": "mh-docs"}[
            kind
        ]
        return [pid for pid in self.children() if name_of(pid).startswith(prefix)]

    def children(self):
        return children(self.process.pid)


def name_of(pid):
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text()
    return ""


def children(pid):
    with suppress(OSError):
        tasks = Path(f"/proc/{pid}/task").iterdir()
        texts = [(task / "children").read_text() for task in tasks]
        return [int(child) for text in texts for child in text.split()]
    return []


def thread_count(pid):
    # A process may end while it is looked at.
    with suppress(OSError):
        return len(os.listdir(f"/proc/{pid}/task"))
    return 0


def is_running(pid):
    with suppress(OSError):
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        return state != "Z"
    return False


def is_listening(port):
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def until(condition):
    if not wait_for(condition, GIVE_UP_SECONDS):
        raise RuntimeError("The processes are not as they should be.")


def wait_for(condition, seconds=MOMENT_SECONDS):
    deadline = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.002)
    return found
