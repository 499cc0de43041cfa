"""The site of 1,000 and of 10,000 documents, beside Hugo on the same tree."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median

from bench import hugo
from bench.server import Client, key_for_all
from bench.tree import document, place, write_document, write_tree
from models.storage.database import database, open_database
from tests.ports import free_port

ROOT = Path(__file__).parents[1]
TURNS = 20


def run():
    for count in (1_000, 10_000):
        with tempfile.TemporaryDirectory() as name:
            yield from measured(Site(Path(name), count))


def measured(site):
    """One tree: built by both, in turns; then published and saved one by one."""
    site.fill()
    of = f"{site.count:,} documents"
    if site.count > 1_000:
        yield from built(site, of)
    else:
        timed(site.build())
    with site.served() as (client, process):
        published = [site.publish(client, turn) for turn in range(TURNS)]
        times = zip(*published, strict=True)
        page, live, nothing = (median(each) for each in times)
        memory = memory_of(process)
    target = "<= 50" if site.count == 1_000 else "<= 150"
    yield f"{of}: from publish to its page, median ms", f"{page:.0f}", target
    yield f"{of}: from publish to a live generation, ms", f"{live:.0f}", ""
    yield f"{of}: a build that finds nothing changed, ms", f"{nothing:.0f}", "< 300"
    yield f"{of}: memory of the server, MB", f"{memory:.0f}", ""
    if hugo.hugo():
        saved = site.watched()
        yield f"{of}: Hugo's watcher, median ms", f"{saved:.0f}", ""
        yield f"{of}: share of Hugo's", f"{page / saved:.2f}", "<= 0.25"


def built(site, of):
    """Cold, from kept bodies, and once more: each of ours beside one of Hugo's."""
    peer, peer_memory = site.hugo() if hugo.hugo() else (None, 0)
    spent = processor_seconds()
    cold, memory = timed(site.build())
    spent = processor_seconds() - spent
    again, _ = timed(site.build())
    kept, _ = site.from_kept()
    peers = [peer, site.hugo()[0]] if peer else []
    yield f"{of}: cold build, s", f"{cold:.1f}", ""
    yield f"{of}: cold build, processor seconds", f"{spent:.1f}", ""
    yield f"{of}: from kept bodies, s", f"{kept:.1f}", ""
    yield f"{of}: second build by a new process, s", f"{again:.2f}", "< 0.3"
    yield f"{of}: most memory of a cold build, MB", f"{memory:.0f}", "< 250"
    if peers:
        yield f"{of}: Hugo, mean of two, s", f"{sum(peers) / 2:.1f}", ""
        yield f"{of}: most memory of Hugo, MB", f"{peer_memory:.0f}", ""
        yield f"{of}: cold build in Hugo's", f"{cold / (sum(peers) / 2):.2f}", "<= 1.3"
        yield f"{of}: from kept bodies", f"{kept / (sum(peers) / 2):.2f}", "<= 0.7"


class Site:
    """A tree in a folder, with a database of ours and a site of Hugo's beside it."""

    def __init__(self, folder, count, address=None):
        self.folder, self.count = folder, count
        self.output = folder / "output"
        self.database = address or str(folder / "bench.db")
        self.environment = dict(os.environ) | {
            "MASTHEAD_DATABASE": self.database,
            "MASTHEAD_OUTPUT": str(self.output),
            "MASTHEAD_LOG_LEVEL": "warning",
        }

    def fill(self):
        tree = self.folder / "content"
        write_tree(tree, self.count)
        hugo.prepare(self.folder)
        words = [str(tree), "--collection", "guides", "--publish"]
        subprocess.run(
            self.app("docs", "import", *words),
            env=self.environment,
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def app(self, *words):
        return [sys.executable, "app.py", *words]

    def build(self):
        return subprocess.Popen(
            self.app("build"),
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    def from_kept(self):
        """Build into nothing what has been rendered before."""
        shutil.rmtree(self.output)
        return timed(self.build())

    def hugo(self):
        """Return the seconds and the memory of a build by Hugo into nothing."""
        shutil.rmtree(self.folder / "public", ignore_errors=True)
        command = hugo.command(self.folder)
        return timed(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))

    @contextmanager
    def served(self):
        """Serve the site; yield a client and the process, once all is built."""
        port = free_port()
        open_database(self.database)
        secret = key_for_all()
        process = subprocess.Popen(
            self.app("serve", "--port", str(port)),
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            process.stdout.readline()
            client = Client(port, secret)
            self._settle()
            yield client, process
        finally:
            database.close()
            process.terminate()
            process.wait(20)

    def publish(self, client, turn):
        """
        Return the milliseconds to the new page, and to the generation of it.

        And those of the build after the draft was saved, which shows nothing new.
        """
        number = turn * 37 % self.count
        of_source = "SELECT id, slug FROM document WHERE source_path = ?"
        id, slug = self._kept(of_source, place(number))
        _, text = document(number, self.count, turn + 1)
        client.post("/projects/v1/documents/update", told(id=id, content=text))
        saved = time.perf_counter()
        self._settle()
        nothing = (time.perf_counter() - saved) * 1000
        time.sleep(0.2)
        page = self.output / "guides" / slug / "index.html"
        before = page.stat().st_ino
        client.post("/projects/v1/documents/publish", told(id=id))
        started = time.perf_counter()
        until(lambda: page.stat().st_ino != before)
        shown = time.perf_counter()
        self._settle()
        live = time.perf_counter()
        return (shown - started) * 1000, (live - started) * 1000, nothing

    def watched(self):
        """Return the median of the milliseconds Hugo's watcher needs for one file."""
        times = []
        with hugo.watching(self.folder, free_port()):
            time.sleep(2)
            for turn in range(TURNS):
                number = turn * 37 % self.count
                stem = place(number).removesuffix(".md")
                page = self.folder / "public" / stem / "index.html"
                before = page.read_bytes()
                write_document(self.folder / "content", number, self.count, turn + 1)
                started = time.perf_counter()
                until(lambda page=page, before=before: page.read_bytes() != before)
                times.append((time.perf_counter() - started) * 1000)
                time.sleep(1)
        return median(times)

    def _settle(self):
        """Wait until the site shows all that was written."""
        (marked,) = self._kept("SELECT MAX(marked) FROM area")
        live = self.output / "build.json"
        until(
            lambda: (
                live.exists() and json.loads(live.read_bytes())["generation"] >= marked
            )
        )

    def _kept(self, sql, *values):
        return database.execute_sql(sql, values).fetchone()


def told(**members):
    return json.dumps(members).encode()


def until(holds, seconds=120):
    end = time.perf_counter() + seconds
    while not holds():
        if time.perf_counter() > end:
            raise RuntimeError(f"It did not come about within {seconds} seconds.")
        time.sleep(0.0005)


def timed(process):
    """Return the seconds a process took, and the most memory it and its own held."""
    started, most = time.perf_counter(), 0
    while process.poll() is None:
        most = max(most, memory_of(process))
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"{process.args}: {process.stdout.read()}")
    return seconds, most


def processor_seconds():
    """Return what the processes that have ended took, and those they waited for."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def memory_of(process):
    """
    Return the megabytes that a process and its children hold now.

    What they share counts once: each is told by its share.
    """
    pages = 0
    for folder in (Path(f"/proc/{pid}") for pid in family(process.pid)):
        # It may end while it is looked at.
        with suppress(OSError):
            lines = (folder / "smaps_rollup").read_text().splitlines()
            pages += sum(int(e.split()[1]) for e in lines if e.startswith("Pss:"))
    return pages / 1024


def family(pid):
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from family(int(child))
