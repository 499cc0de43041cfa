"""Report the builder's state to the processes that serve the API."""

import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from threading import Event, Thread
from typing import Any

from models.errors import StorageBusy
from models.logs import LogLine
from models.runtime.build_progress import BuildProgress, ReportedProgress
from models.runtime.faults import Fault
from models.runtime.process_table import ProcessTable
from models.storage.engines.engine import is_postgresql

log = logging.getLogger("masthead.builds")

REPORT_SECONDS = 0.5
# The builder reports while it builds, so one that has not for so long does not work.
MAX_SILENCE_SECONDS = 30.0
# Many pages may have failed, and a report has a limited size.
MAX_FAULTS, MAX_DETAIL = 50, 500


class BuilderReporter:
    """A thread of the builder's process, which reports while this is entered."""

    def __init__(
        self,
        table: ProcessTable,
        name: str,
        *,
        build_progress: BuildProgress,
        publish_progress: BuildProgress,
        list_faults: Callable[[], list[Fault]],
        is_output_current: Callable[[], bool],
    ) -> None:
        self._table = table
        self._name = name
        self._build_progress = build_progress
        self._publish_progress = publish_progress
        self._list_faults = list_faults
        self._is_output_current = is_output_current
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="builder-report", daemon=True)

    def __enter__(self) -> None:
        self._report()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(REPORT_SECONDS):
            try:
                self._report()
            except Exception as error:
                log.exception(LogLine(event="not-reported", error=error))

    def _report(self) -> None:
        report = {
            "at": time.monotonic(),
            "isOutputCurrent": self._is_output_current(),
            "faults": [asdict(fault) for fault in self._faults()],
            "build": self._build_progress.to_json(),
            "publish": self._publish_progress.to_json(),
        }
        self._table.write_report(self._name, report)

    def _faults(self) -> list[Fault]:
        try:
            faults = self._list_faults()
        except StorageBusy:
            # Each process reports the faults of the database itself.
            return []
        return [
            Fault(fault.state, fault.detail[:MAX_DETAIL])
            for fault in faults[:MAX_FAULTS]
        ]


class BuilderState:
    """What the builder last reported, as the other processes see it."""

    def __init__(self, table: ProcessTable, name: str, database: str) -> None:
        self._table = table
        self._name = name
        # Only of several hosts may another one have the site. So a request for a file
        # need not read the report.
        self._is_alone = not is_postgresql(database)
        self.build_progress = ReportedProgress(lambda: self._read().get("build"))
        self.publish_progress = ReportedProgress(lambda: self._read().get("publish"))

    def _read(self) -> dict[str, Any]:
        return self._table.read_report(self._name) or {}

    @property
    def is_output_current(self) -> bool:
        """Tell whether the output folder has what readers get; see Builder."""
        return self._is_alone or bool(self._read().get("isOutputCurrent"))

    def troubles(self) -> list[Fault]:
        report = self._read()
        faults = [Fault(**fault) for fault in report.get("faults", [])]
        silence = time.monotonic() - report.get("at", time.monotonic())
        if silence > MAX_SILENCE_SECONDS:
            detail = f"The builder has not reported for {silence:.0f} seconds."
            faults.append(Fault("site-behind", detail))
        return faults
