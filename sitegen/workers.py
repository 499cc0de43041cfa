"""
Processes of their own that render Markdown, so that two cores share a large build.

Not forked: the builder is a thread among others. Not multiprocessing: that would
load all of the application into each. They are asked and answer in lines of JSON.
"""

import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from models.logs import Line
from sitegen.garbage import collect_seldom
from sitegen.markdown import render

log = logging.getLogger("masthead.builds")

ROOT = Path(__file__).parents[1]
STOP_SECONDS = 5

# HTML, headings, links: what a process tells of one text.
Told = tuple[str, list[tuple[int, str, str]], list[str]]


class Workers:
    """As many processes as there are threads that ask at once."""

    def __init__(self) -> None:
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()

    def render(self, texts: Mapping[str, str]) -> dict[str, Told]:
        """
        Return what the texts were rendered to, by their keys.

        A text that cannot be rendered is left out; all are when the process dies.
        """
        worker = self._taken()
        try:
            told = _asked(worker, list(texts.values()))
        except (OSError, ValueError) as error:
            log.warning(Line(build="slow", reason="worker-died", error=error))
            _stop(worker)
            return {}
        self._idle.put(worker)
        pairs = zip(texts, told, strict=True)
        return {key: each for key, each in pairs if each is not None}

    def stop(self) -> None:
        while worker := self._waiting():
            _stop(worker)

    def _taken(self) -> "subprocess.Popen[bytes]":
        return self._waiting() or subprocess.Popen(
            [sys.executable, "-m", "sitegen.workers"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def _waiting(self) -> "subprocess.Popen[bytes] | None":
        try:
            return self._idle.get_nowait()
        except Empty:
            return None


def _asked(worker: "subprocess.Popen[bytes]", texts: list[str]) -> list[Told | None]:
    assert worker.stdin
    assert worker.stdout
    worker.stdin.write(json.dumps(texts).encode() + b"\n")
    worker.stdin.flush()
    told: list[Told | None] = json.loads(worker.stdout.readline())
    return told


def _stop(worker: "subprocess.Popen[bytes]") -> None:
    """Closing what it reads from ends a process; one that hangs is killed."""
    assert worker.stdin
    assert worker.stdout
    try:
        worker.stdin.close()
        worker.wait(STOP_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        worker.kill()
        worker.wait()
    worker.stdout.close()


def serve(asked: IO[bytes], told: IO[bytes]) -> None:
    collect_seldom()
    for line in asked:
        answer = [_rendered(text) for text in json.loads(line)]
        told.write(json.dumps(answer).encode() + b"\n")
        told.flush()


def _rendered(text: str) -> Any:
    try:
        made = render(text)
    except Exception:
        # Whoever asked renders it again, and has the reason then.
        return None
    headings = [(each.level, each.id, each.text) for each in made.headings]
    return made.html, headings, made.links


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)
