"""
Import a tree of 2,000 pictures, 100 MB in all, twice; build its pages; send as much
over HTTP. The time and the memory of each process are measured.
"""

import os
import random
import sys
import tempfile
import time
from pathlib import Path

from bench.server import (
    ROOT,
    Client,
    app_server,
    empty_database,
    now,
    peak_megabytes,
)
from models.projects.files.rows import FileRow
from models.projects.projects.projects import ensure_docs_project
from models.settings import NIL_UUID, Settings
from models.storage.database import database
from tests.ports import free_port
from tests.samples.pictures import jpeg

PICTURES, PICTURE_BYTES, PAGE_PICTURES = 2_000, 50_000, 20
# Files that are sent over HTTP, of a size that takes half a second to send from afar.
SENT_FILES, SENT_BYTES = 200, 500_000
API_MEGABYTES, BUILDER_MEGABYTES = "<= 150", "<= 250"


def run():
    with empty_database() as (path, key), tempfile.TemporaryDirectory() as folder:
        project = ensure_docs_project(now(), slug="docs", owner_id=NIL_UUID)
        settings = Settings(database=path, output=f"{folder}/output", processes=1)
        tree = Path(folder) / "tree"
        _write_tree(tree)
        database.close()
        importing = "docs", "import", str(tree), "--collection", "guides", "--publish"
        label = f"import of {PICTURES:,} pictures, 100 MB: seconds"
        yield from _command(settings, label, "<= 30", API_MEGABYTES, *importing)
        _make_unreadable(tree)
        label = "second import, which cannot read any picture: seconds"
        yield from _command(settings, label, "", API_MEGABYTES, *importing)
        label = "build of their pages: seconds"
        yield from _command(settings, label, "", BUILDER_MEGABYTES, "build")
        count = FileRow.select().count()
        yield "pictures stored", str(count), str(PICTURES)
        database.close()
        yield from _send_files(settings, key, project.id)


def _write_tree(tree):
    rng = random.Random(1)
    (tree / "images").mkdir(parents=True)
    for number in range(PICTURES):
        pixels = rng.randbytes(PICTURE_BYTES).replace(b"\xff", b"\xfe")
        picture = jpeg(640, 480).removesuffix(b"\xff\xd9") + pixels + b"\xff\xd9"
        (tree / f"images/{number}.jpg").write_bytes(picture)
    for first in range(0, PICTURES, PAGE_PICTURES):
        numbers = range(first, first + PAGE_PICTURES)
        texts = (f"Step {each}.\n\n![{each}](images/{each}.jpg)" for each in numbers)
        (tree / f"page-{first}.md").write_text("\n\n".join(texts))


def _make_unreadable(tree):
    """Replace the bytes of each picture, which keeps its size and its time."""
    for picture in (tree / "images").iterdir():
        status = picture.stat()
        picture.write_bytes(bytes(status.st_size))
        os.utime(picture, ns=(status.st_atime_ns, status.st_mtime_ns))


def _command(settings, label, max_seconds, max_megabytes, *words):
    """Yield the duration of a command, and its peak memory."""
    environment = os.environ | {
        "MASTHEAD_DATABASE": settings.database,
        "MASTHEAD_OUTPUT": settings.output,
        "MASTHEAD_LOG_LEVEL": "error",
    }
    command = [sys.executable, str(ROOT / "app.py"), *words]
    started = time.perf_counter()
    output = os.open(os.devnull, os.O_WRONLY)
    streams = [(os.POSIX_SPAWN_DUP2, output, stream) for stream in (1, 2)]
    pid = os.posix_spawn(command[0], command, environment, file_actions=streams)
    _, status, usage = os.wait4(pid, 0)
    os.close(output)
    assert status == 0, words
    yield label, f"{time.perf_counter() - started:.1f}", max_seconds
    yield "its memory, peak, MB", f"{usage.ru_maxrss / 1024:.0f}", max_megabytes


def _send_files(settings, key, project_id):
    port = free_port()
    with app_server(settings, port) as server:
        client, rng = Client(port, key), random.Random(2)
        started = time.perf_counter()
        for number in range(SENT_FILES):
            query = f"projectId={project_id}&name=sent/{number}.txt"
            body = rng.randbytes(SENT_BYTES // 2).hex().encode()
            client.post(f"/projects/v1/files/add?{query}", body)
        seconds = time.perf_counter() - started
        peak = peak_megabytes(server)
    megabytes = SENT_FILES * SENT_BYTES // 1_000_000
    yield f"{megabytes} MB sent by files/add: seconds", f"{seconds:.1f}", ""
    yield "memory of the API, peak, MB", f"{peak:.0f}", API_MEGABYTES
