"""Report the state of each builder to the other processes of its server."""

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from threading import Event, Lock, Thread
from typing import Any

from models.errors import StorageBusy
from models.logs import LogLine
from models.runtime.build_progress import BuildProgress, ReportedProgress
from models.runtime.faults import Fault
from models.runtime.leader_election import Leadership
from models.runtime.process_table import ProcessTable
from models.storage.engines.engine import is_postgresql

log = logging.getLogger("masthead.builds")

REPORT_SECONDS = 0.5
# The builder reports while it builds, so one that has not for so long does not work.
MAX_SILENCE_SECONDS = 30.0
# Who builds is known again sooner: another server may lead after ten seconds.
MAX_LEADER_SILENCE_SECONDS = 5.0
# Many pages may have failed, and a report has a limited size.
MAX_FAULTS, MAX_DETAIL = 50, 500


class BuilderReporter:
    """A thread of a builder's process, which reports while this is entered."""

    def __init__(
        self,
        table: ProcessTable,
        name: str,
        *,
        progress: Mapping[str, BuildProgress],
        list_faults: Callable[[], list[Fault]],
        leadership: Leadership,
        is_output_current: Callable[[], bool],
        has_started: Callable[[], bool],
    ) -> None:
        self._table = table
        self._name = name
        self._progress = progress
        self._list_faults = list_faults
        self._leadership = leadership
        self._is_output_current = is_output_current
        self._has_started = has_started
        self._lock = Lock()
        self._stopped = Event()
        self._thread = Thread(target=self._run, name="builder-report", daemon=True)

    def __enter__(self) -> None:
        self.report()
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(REPORT_SECONDS):
            try:
                self.report()
            except Exception as error:
                log.exception(LogLine(event="not-reported", error=error))

    def report(self) -> None:
        """Report now what is reported every half second."""
        progress = {name: each.to_json() for name, each in self._progress.items()}
        report = progress | {
            "at": time.monotonic(),
            "hasStarted": self._has_started(),
            "isOutputCurrent": self._is_output_current(),
            "isLeader": self._leadership.is_leader,
            "isDecided": self._leadership.is_decided,
            "isLedElsewhere": self._leadership.is_led_elsewhere,
            "faults": [asdict(fault) for fault in self._faults()],
        }
        with self._lock:
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
    """What the builders last reported, as the other processes see it."""

    def __init__(
        self, table: ProcessTable, names: Sequence[str], database: str
    ) -> None:
        self._table = table
        self._names = names
        # Only of several hosts may another one have the site. So a request for a file
        # need not read the report.
        self._is_alone = not is_postgresql(database)
        self.build_progress = ReportedProgress(lambda: self._read("build"))
        self.publish_progress = ReportedProgress(lambda: self._read("publish"))

    def _reports(self) -> list[dict[str, Any]]:
        return [self._table.read_report(name) or {} for name in self._names]

    def _read(self, name: str) -> list[dict[str, Any]]:
        return [report[name] for report in self._reports() if name in report]

    def is_current(self, area: str) -> bool:
        """Return whether the output folder has what readers get; see Builder."""
        # The status page does not wait for documents.
        names = self._names if area == "docs" else self._names[:1]
        return self._is_alone or all(
            (self._table.read_report(name) or {}).get("isOutputCurrent")
            for name in names
        )

    @property
    def has_started(self) -> bool:
        """Return whether each builder has built its area since it was started."""
        return all(report.get("hasStarted") for report in self._reports())

    def faults(self) -> list[Fault]:
        faults: dict[Fault, None] = {}
        for name, report in zip(self._names, self._reports(), strict=True):
            faults |= {Fault(**fault): None for fault in report.get("faults", [])}
            silence = time.monotonic() - report.get("at", time.monotonic())
            if silence > MAX_SILENCE_SECONDS:
                detail = (
                    f"The process {name} has not reported for {silence:.0f} seconds."
                )
                faults[Fault("site-behind", detail)] = None
        return list(faults)


class ReportedLeadership:
    """Which server builds, as the process that joined the election reports it."""

    def __init__(self, table: ProcessTable, name: str) -> None:
        self._table = table
        self._name = name

    @property
    def is_leader(self) -> bool:
        return self._is("isLeader")

    @property
    def is_decided(self) -> bool:
        return self._is("isDecided")

    @property
    def is_led_elsewhere(self) -> bool:
        return self._is("isLedElsewhere")

    def _is(self, name: str) -> bool:
        report = self._table.read_report(self._name) or {}
        # One that has died may have lost the election since.
        silence = time.monotonic() - report.get("at", -math.inf)
        return silence <= MAX_LEADER_SILENCE_SECONDS and bool(report[name])
