"""Compare building and publishing 1,000 and 10,000 documents with Hugo."""

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
from statistics import mean, median
from typing import NamedTuple

from bench import hugo
from bench.server import Client, full_access_key
from bench.tree import document, document_path, write_document, write_tree
from models.storage.database import database, open_database
from tests.ports import free_port

ROOT = Path(__file__).parents[1]
PUBLICATIONS = 20


def run():
    for count in (1_000, 10_000):
        with tempfile.TemporaryDirectory() as name:
            yield from measure_site(Site(Path(name), count))


def measure_site(site):
    """Build the tree with Masthead and Hugo, then publish single documents."""
    prefix = f"{site.count:,} documents"
    rate = f"{site.count / site.fill():,.0f}"
    yield f"{prefix}: docs import --publish, documents/s", rate, ""
    if site.count > 1_000:
        yield from measure_builds(site, prefix)
    else:
        measure_process(site.build())
    with site.serve() as (client, process):
        latencies = [site.publish(client, number) for number in range(PUBLICATIONS)]
        page, generation, unchanged = map(median, zip(*latencies, strict=True))
        back_to_back = sorted(
            site.update_and_publish(client, PUBLICATIONS + number)
            for number in range(2 * PUBLICATIONS)
        )
        memory = memory_megabytes(process)
    yield f"{prefix}: publish until page is updated, median ms", f"{page:.0f}", ""
    target = "<= 60" if site.count == 1_000 else "<= 120"
    label = f"{prefix}: publish right behind an update until page is updated"
    yield f"{label}, median ms", f"{median(back_to_back):.0f}", target
    p95 = back_to_back[int(len(back_to_back) * 0.95)]
    yield f"{label}, p95 ms", f"{p95:.0f}", "<= 400"
    yield f"{prefix}: publish until generation is live, ms", f"{generation:.0f}", ""
    yield f"{prefix}: build without changes, ms", f"{unchanged:.0f}", ""
    target = "<= 300" if site.count > 1_000 else ""
    yield f"{prefix}: server memory, MB", f"{memory:.0f}", target
    if hugo.program():
        hugo_page = site.hugo_update_milliseconds()
        yield f"{prefix}: Hugo's server, median ms", f"{hugo_page:.0f}", ""
        yield f"{prefix}: ratio to Hugo", f"{page / hugo_page:.2f}", ""


def measure_builds(site, prefix):
    """Run Masthead's three builds between two builds by Hugo."""
    hugo_seconds, hugo_memory = [], 0
    if hugo.program():
        seconds, hugo_memory = site.build_with_hugo()
        hugo_seconds.append(seconds)
    cpu_seconds = child_cpu_seconds()
    cold, memory = measure_process(site.build())
    cpu_seconds = child_cpu_seconds() - cpu_seconds
    second, _ = measure_process(site.build())
    cached, _ = site.build_with_cached_bodies()
    if hugo.program():
        hugo_seconds.append(site.build_with_hugo()[0])
    yield f"{prefix}: cold build, s", f"{cold:.1f}", ""
    yield f"{prefix}: cold build, CPU seconds", f"{cpu_seconds:.1f}", ""
    yield f"{prefix}: build with cached page bodies, s", f"{cached:.1f}", ""
    yield f"{prefix}: second build by a new process, s", f"{second:.2f}", ""
    yield f"{prefix}: peak memory of a cold build, MB", f"{memory:.0f}", ""
    if hugo_seconds:
        average = mean(hugo_seconds)
        yield f"{prefix}: Hugo, mean of two, s", f"{average:.1f}", ""
        yield f"{prefix}: peak memory of Hugo, MB", f"{hugo_memory:.0f}", ""
        yield f"{prefix}: cold build, ratio to Hugo", f"{cold / average:.2f}", "<= 1.3"
        ratio = f"{cached / average:.2f}"
        yield f"{prefix}: with cached page bodies, ratio to Hugo", ratio, "<= 0.6"


class Latencies(NamedTuple):
    """Milliseconds until a page and its generation, and of a build without changes."""

    page_ms: float
    generation_ms: float
    unchanged_build_ms: float


class Site:
    """A document tree in a folder, with a Masthead database and a Hugo site."""

    def __init__(self, folder, count, address=None):
        self.folder, self.count = folder, count
        self.output = folder / "output"
        self.database = address or str(folder / "bench.db")
        self.environment = dict(os.environ) | {
            "MASTHEAD_DATABASE": self.database,
            "MASTHEAD_OUTPUT": str(self.output),
            "MASTHEAD_LOG_LEVEL": "warning",
        }

    def fill(self, hostile_files=()):
        """Import and publish the tree; return the seconds that this takes."""
        tree = self.folder / "content"
        write_tree(tree, self.count)
        for name, text in dict(hostile_files).items():
            (tree / name).write_text(text)
        hugo.prepare(self.folder)
        arguments = [str(tree), "--collection", "guides", "--publish"]
        started = time.perf_counter()
        subprocess.run(
            self.app("docs", "import", *arguments),
            env=self.environment,
            cwd=ROOT,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return time.perf_counter() - started

    def app(self, *arguments):
        return [sys.executable, "app.py", *arguments]

    def build(self):
        return subprocess.Popen(
            self.app("build"),
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )

    def build_with_cached_bodies(self):
        """Build into an empty folder with the page bodies of an earlier build."""
        shutil.rmtree(self.output)
        return measure_process(self.build())

    def build_with_hugo(self):
        """Build into an empty folder with Hugo; return seconds and megabytes."""
        shutil.rmtree(self.folder / "public", ignore_errors=True)
        command = hugo.command(self.folder)
        return measure_process(
            subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        )

    @contextmanager
    def serve(self):
        """Serve the site; yield a client and the process once the site is built."""
        port = free_port()
        open_database(self.database)
        secret = full_access_key()
        try:
            with self.start(port) as process:
                process.stdout.readline()
                client = Client(port, secret)
                self._wait_for_live_generation()
                yield client, process
        finally:
            database.close()

    @contextmanager
    def start(self, port):
        """Start a server, which may not answer yet, and end it."""
        process = subprocess.Popen(
            self.app("serve", "--port", str(port)),
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.terminate()
            process.wait(20)

    def publish(self, client, publication):
        """
        Update and publish a document; return its Latencies.

        The update leaves the site as it is, so the build after it changes nothing.
        """
        id, page = self._update(client, publication)
        updated = time.perf_counter()
        self._wait_for_live_generation()
        unchanged_build = time.perf_counter() - updated
        time.sleep(0.2)
        page_ms, generation_ms = self._publish(client, id, page)
        return Latencies(page_ms, generation_ms, unchanged_build * 1000)

    def update_and_publish(self, client, publication):
        """Update and publish a document at once; return the page's milliseconds."""
        time.sleep(0.2)
        page_ms, _ = self._publish(client, *self._update(client, publication))
        return page_ms

    def _update(self, client, publication):
        """Save a new text of a document; return its id and the path of its page."""
        number = publication * 37 % self.count
        query = "SELECT id, path FROM document WHERE source_path = ?"
        id, path = self._fetch_row(query, document_path(number))
        _, text = document(number, self.count, publication + 1)
        update = json.dumps({"id": id, "content": text}).encode()
        client.post("/projects/v1/documents/update", update)
        return id, self.output / "guides" / path / "index.html"

    def _publish(self, client, id, page):
        """Return the milliseconds until the page and until the live generation."""
        previous_inode = page.stat().st_ino
        client.post("/projects/v1/documents/publish", json.dumps({"id": id}).encode())
        started = time.perf_counter()
        wait_until(lambda: page.stat().st_ino != previous_inode)
        page_written = time.perf_counter()
        self._wait_for_live_generation()
        live = time.perf_counter()
        return (page_written - started) * 1000, (live - started) * 1000

    def hugo_update_milliseconds(self):
        """Return the median milliseconds in which Hugo's server updates one page."""
        times = []
        with hugo.watching(self.folder, free_port()):
            time.sleep(2)
            for update in range(PUBLICATIONS):
                number = update * 37 % self.count
                stem = document_path(number).removesuffix(".md")
                page = self.folder / "public" / stem / "index.html"
                before = page.read_bytes()
                write_document(self.folder / "content", number, self.count, update + 1)
                started = time.perf_counter()
                wait_until(lambda page=page, before=before: page.read_bytes() != before)
                times.append((time.perf_counter() - started) * 1000)
                time.sleep(1)
        return median(times)

    def _wait_for_live_generation(self):
        """Wait until the live generation includes every write."""
        (generation,) = self._fetch_row("SELECT MAX(marked) FROM area")
        report = self.output / "build.json"

        def is_live():
            return (
                report.exists()
                and json.loads(report.read_bytes())["generation"] >= generation
            )

        wait_until(is_live)

    def _fetch_row(self, sql, *values):
        return database.execute_sql(sql, values).fetchone()


def wait_until(condition, seconds=120):
    end = time.perf_counter() + seconds
    while not condition():
        if time.perf_counter() > end:
            raise RuntimeError(f"The condition was not met within {seconds} seconds.")
        time.sleep(0.0005)


def measure_process(process):
    """Wait for the process; return its seconds and the peak megabytes of its tree."""
    started, peak = time.perf_counter(), 0
    while process.poll() is None:
        peak = max(peak, memory_megabytes(process))
        time.sleep(0.05)
    seconds = time.perf_counter() - started
    if process.returncode:
        raise RuntimeError(f"{process.args}: {process.stdout.read()}")
    return seconds, peak


def child_cpu_seconds():
    """Return the CPU seconds of the child processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def memory_megabytes(process):
    """
    Return the current memory of a process and its descendants in megabytes.

    It is their proportional set size (PSS), which counts shared memory once.
    """
    kilobytes = 0
    for folder in (Path(f"/proc/{pid}") for pid in process_tree(process.pid)):
        # The process may end at any time.
        with suppress(OSError):
            lines = (folder / "smaps_rollup").read_text().splitlines()
            kilobytes += sum(
                int(line.split()[1]) for line in lines if line.startswith("Pss:")
            )
    return kilobytes / 1024


def process_tree(pid):
    yield pid
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                yield from process_tree(int(child))
