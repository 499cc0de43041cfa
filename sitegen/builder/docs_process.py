"""Run the process that builds documents, and start it again when it dies."""

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread, Timer
from typing import Any

from models.logs import LogLine
from models.runtime.faults import Fault
from models.runtime.forked_process import ForkedProcess
from models.settings import Settings
from sitegen.builder.docs_result import PROGRESS, DocsResult
from sitegen.builder.work_split import ROOT, dump_settings
from sitegen.output.staging import StagedFolder

log = logging.getLogger("masthead.builds")

PROGRAM = [sys.executable, "-m", "sitegen.builder.docs_builder"]
# The pause after a failure doubles with each, so that a document that ends the process
# does not keep it busy.
FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 0.5, 60.0
# A process that reports nothing for so long hangs, and is killed. It reports more often
# while it builds, but waits for a worker process that hangs for RESPONSE_SECONDS.
HANG_SECONDS = 180.0
# A process that was killed once is started again, and nobody needs to know.
TOLERATED_DEATHS = 2
# How often the process is looked at while nothing is requested.
LOOK_SECONDS = 1.0

Process = subprocess.Popen[bytes] | ForkedProcess


def _start_program() -> Process:
    return subprocess.Popen(  # noqa: S603  (our own program)
        PROGRAM,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Ctrl-C goes to this process, which ends that one.
        start_new_session=True,
    )


class DocsProcess:
    """
    A process that builds documents when requested, one build at a time.

    `on_response` is called in a thread when there is a result, and after each failure
    once another build may be requested. A build may have several results. `note_start`
    gets the id of the process whenever it has started. `forked` is a process that
    `fork_docs_builder` has started; after its end, and without it, a new program is
    started.
    """

    def __init__(
        self,
        settings: Settings,
        problems: Mapping[str, Any],
        openapi: Mapping[str, Any],
        on_response: Callable[[], None],
        *,
        forked: ForkedProcess | None = None,
        note_start: Callable[[int], None] = lambda _: None,
        note_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._job: dict[str, Any] = {
            "settings": dump_settings(settings),
            "problems": problems,
            "openapi": openapi,
        }
        self._on_response = on_response
        self._note_start, self._note_end = note_start, note_end
        self._forked = forked
        self._process: Process | None = None
        self._requests = SimpleQueue[dict[str, Any] | None]()
        self._results = SimpleQueue[DocsResult]()
        self._failures = 0
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="docs-process", daemon=True)
        self._has_responded = False
        # Whether the running process remembers its last build.
        self._has_built = False
        self.is_busy = False
        self.fault: Fault | None = None

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End the process, which leaves the site as it is wherever it is."""
        self._stopping.set()
        self._requests.put(None)
        if self._process is not None:
            self._process.kill()
        self._thread.join()
        self._end_process()
        StagedFolder(self._job["settings"]["output"]).remove_staged()

    @property
    def has_responded(self) -> bool:
        """Tell whether a build has ended, well or not, and its result was taken."""
        return self._has_responded and self._results.empty()

    def request(self, request: dict[str, Any]) -> None:
        """Have a build started; raise ValueError while one is under way."""
        if self.is_busy:
            raise ValueError("The documents are being built.")
        self.is_busy = True
        self._requests.put(request)

    def take_result(self) -> DocsResult | None:
        """
        Return the next result of the last build, None while there is none.

        Until all are taken, no other build can be requested, which would remove their
        files.
        """
        try:
            result = self._results.get_nowait()
        except Empty:
            return None
        if result.is_last:
            self.is_busy = False
        return result

    def _run(self) -> None:
        # It takes a second to start, and the first request follows soon.
        with suppress(OSError):
            self._start_process()
        while (request := self._next_request()) is not None:
            self._respond(request)

    def _next_request(self) -> dict[str, Any] | None:
        """Wait for a request; start the process again if it dies meanwhile."""
        while True:
            try:
                return self._requests.get(timeout=LOOK_SECONDS)
            except Empty:
                code = self._process.poll() if self._process is not None else None
                if code is not None:
                    self._restart_idle(code)

    def _restart_idle(self, code: int) -> None:
        self._note_death(f"It ended with {code}.")
        if self._failures <= TOLERATED_DEATHS:
            with suppress(OSError):
                self._start_process()

    def _respond(self, request: dict[str, Any]) -> None:
        try:
            response = self._call(request)
        except (OSError, ValueError) as error:
            self._note_death(error)
        else:
            self._note_response(response)
        if self._failures:
            pause = FIRST_PAUSE_SECONDS * 2 ** min(self._failures - 1, 16)
            self._stopping.wait(min(pause, MAX_PAUSE_SECONDS))
            self.is_busy = False
        self._has_responded = True
        if not self._stopping.is_set():
            self._on_response()

    def _call(self, request: dict[str, Any]) -> dict[str, Any]:
        """Raise OSError or ValueError if the process dies."""
        if self._process is None:
            self._start_process()
        process = self._process
        assert process
        assert process.stdout
        if not self._has_built:
            request = request | {"isLastInPlace": False}
        self._send(process, request)
        while True:
            with _killed_if_it_hangs(process):
                response: dict[str, Any] = json.loads(process.stdout.readline())
            if response == PROGRESS:
                continue
            if "result" not in response:
                return response
            result = DocsResult.from_json(response["result"])
            if result.is_last:
                self._has_built = True
                return response | {"result": result}
            self._results.put(result)
            self._on_response()

    def _start_process(self) -> None:
        if self._stopping.is_set():
            raise OSError("The server is stopping.")
        self._process, self._forked = self._forked or _start_program(), None
        self._note_start(self._process.pid)
        self._has_built = False
        with suppress(BrokenPipeError):
            self._send(self._process, self._job)

    def _send(self, process: Process, line: dict[str, Any]) -> None:
        assert process.stdin
        with _killed_if_it_hangs(process):
            process.stdin.write(json.dumps(line).encode() + b"\n")
            process.stdin.flush()

    def _end_process(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        self._note_end()
        for pipe in (process.stdin, process.stdout):
            assert pipe
            # What it was sent may not have been read.
            with suppress(OSError):
                pipe.close()

    def _note_response(self, response: dict[str, Any]) -> None:
        if "result" in response:
            self._failures, self.fault = 0, None
            self._results.put(response["result"])
            return
        self._failures += 1
        detail = f"The documents could not be built: {response['reason']}"
        self._report(response["state"], detail)

    def _note_death(self, error: Exception | str) -> None:
        if self._stopping.is_set():
            return
        self._failures += 1
        self._end_process()
        log.warning(LogLine(process="docs", event="died", error=error))
        if self._failures > TOLERATED_DEATHS:
            self._report(
                "build-failed",
                "The process that builds documents has died or hung"
                f" {self._failures} times in a row. The documents stay as they are.",
            )

    def _report(self, state: str, detail: str) -> None:
        self.fault = Fault(state, detail)
        log.error(LogLine(build="failed", state=state, reason=detail))


@contextmanager
def _killed_if_it_hangs(process: Process) -> Iterator[None]:
    """Kill the process if it does not do in time what is awaited inside."""

    def kill() -> None:
        log.warning(LogLine(process="docs", event="hung", seconds=HANG_SECONDS))
        process.kill()

    timer = Timer(HANG_SECONDS, kill)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
