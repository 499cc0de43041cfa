"""Publish the site: upload what changed, remove what is obsolete, and run the hook."""

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from typing import Any

from models.settings import Settings
from sitegen.output.publishing.lease import PublishLease, available_lease
from sitegen.output.publishing.plan import Fingerprints, PublishPlan
from sitegen.output.publishing.source import PublishSource, SiteFiles
from sitegen.output.publishing.targets import (
    BeforeChange,
    PublishedFile,
    PublishError,
    StateFile,
    publish_target,
)

# Records at the target what is published.
STATE = ".masthead.published"
TIMEOUT_SECONDS = 60.0
# The error message quotes at most so much of the last line of standard error.
MAX_CHARACTERS = 200


class PublicationStopped(PublishError):
    """The process is stopping; the next publication continues where this one ended."""


@dataclass
class PublishReport:
    """What a publication did, or would do."""

    sent: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    bytes: int = 0
    # The URLs whose content may have changed for readers.
    changed: list[str] = field(default_factory=list)
    hook_failure: str | None = None

    @classmethod
    def from_plan(cls, plan: PublishPlan, site_url: str) -> "PublishReport":
        uploads = plan.uploads
        return cls(
            sent=[file.path for file in uploads],
            removed=plan.removals,
            unchanged=len(plan.files) - len(uploads),
            bytes=sum(file.entry.size for file in uploads),
            changed=plan.changed_urls(site_url),
        )

    def to_json(self, seconds: float) -> dict[str, Any]:
        return {
            "sent": self.sent,
            "removed": self.removed,
            "unchanged": self.unchanged,
            "bytes": self.bytes,
            "changed": self.changed,
            "hookFailure": self.hook_failure,
            "seconds": round(seconds, 2),
        }

    def summary(self, seconds: float) -> str:
        return (
            f"sent {len(self.sent)}, removed {len(self.removed)},"
            f" unchanged {self.unchanged}, bytes {self.bytes}, seconds {seconds:.2f}"
        )


class Publication:
    """
    Publishes the output folder to the target, any number of times.

    The order makes it safe to be killed at any moment: take the lease, which lists
    the files to change; change them; write the state file; run the hook; release the
    lease.
    """

    def __init__(
        self, settings: Settings, is_stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self._settings = settings
        self._source = PublishSource(settings.output)
        self._target = publish_target(settings)
        self._is_stopping = is_stopping

    def run(
        self,
        *,
        verify: bool = False,
        progress: Callable[[Iterable[str]], Iterable[str]] = iter,
    ) -> PublishReport:
        """
        Publish, and check every file at the target if `verify` is set.

        Raise PublishError if that is impossible; what was published before stays.
        """
        with ExitStack() as stack:
            owner = stack.enter_context(self._source.exclusive())
            stack.enter_context(self._target.exclusive())
            lease = available_lease(self._target, owner, self._pause)
            # Publishers write the lease first and last, so while it is unchanged, so
            # is the state file.
            state = self._target.read_state(STATE)
            plan = self._snapshot_plan(stack, lease, _parse_state(state), verify)
            if plan.is_empty:
                return PublishReport.from_plan(plan, self._settings.site_url)
            lease.acquire(plan.files_to_touch())
            self._check_target(plan, lease.renew)
            for _ in progress(self._transfer(plan, lease)):
                self._require_running()
            self._write_state(state, plan)
            report = PublishReport.from_plan(plan, self._settings.site_url)
            self._run_hook(report, lease, plan)
        return report

    def dry_run(self, *, verify: bool = False) -> PublishReport:
        """Return what `run` would do, without changing anything."""
        lease = PublishLease(self._target, "")
        published = _parse_state(self._target.read_state(STATE))
        files = self._source.files()
        plan = PublishPlan(files, published, lease.touched, verify)
        self._check_target(plan, lambda: None)
        return PublishReport.from_plan(plan, self._settings.site_url)

    def _snapshot_plan(
        self,
        stack: ExitStack,
        lease: PublishLease,
        published: Fingerprints,
        verify: bool,
    ) -> PublishPlan:
        """Return the plan for the current files, which the stack keeps as they are."""
        plans: list[PublishPlan] = []

        def select_uploads(files: SiteFiles) -> Iterable[str]:
            plans.append(PublishPlan(files, published, lease.touched, verify))
            return plans[-1].to_upload

        stack.enter_context(self._source.snapshot(select_uploads))
        return plans[-1]

    def _check_target(self, plan: PublishPlan, before_change: BeforeChange) -> None:
        """Find out which of the files whose state is not known are as recorded."""
        for path, matches in self._target.check(plan.files_to_check()):
            self._require_running()
            before_change()
            if matches:
                plan.confirmed.add(path)

    def _transfer(self, plan: PublishPlan, lease: PublishLease) -> Iterator[str]:
        """Upload and remove files in the order of the plan, and yield each path."""

        def before_change() -> None:
            self._require_running()
            lease.renew()

        def read(file: PublishedFile) -> bytes:
            before_change()
            return self._source.read(file)

        for stage in plan.page_stages():
            yield from (file.path for file in self._target.upload(stage, read))
        yield from self._target.remove(plan.removals, before_change)
        for stage in plan.index_stages():
            yield from (file.path for file in self._target.upload(stage, read))

    def _write_state(self, previous: StateFile | None, plan: PublishPlan) -> None:
        fingerprints = {
            path: plan.files[path].fingerprint for path in sorted(plan.files)
        }
        state = json.dumps({"files": fingerprints}, ensure_ascii=False, indent=0)
        self._target.write_state(STATE, state.encode(), previous)

    def _run_hook(
        self, report: PublishReport, lease: PublishLease, plan: PublishPlan
    ) -> None:
        """Run the hook; if it fails, the next publication passes it the URLs again."""
        hook = self._settings.publish_hook
        if hook and report.changed:
            report.hook_failure = run_hook(hook, report.changed)
        lease.release(plan.files_to_touch() if report.hook_failure else {})

    def _require_running(self) -> None:
        if self._is_stopping():
            raise PublicationStopped("The publication was stopped.")

    def _pause(self, seconds: float) -> None:
        ends_at = time.monotonic() + seconds
        while time.monotonic() < ends_at:
            self._require_running()
            time.sleep(0.1)


def _parse_state(state: StateFile | None) -> Fingerprints:
    """Return what is published: nothing, if the state file is damaged or missing."""
    try:
        files = json.loads(state.content)["files"] if state else {}
        return {str(path): str(fingerprint) for path, fingerprint in files.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}


def run_hook(
    command: str, urls: Iterable[str], timeout_seconds: float = TIMEOUT_SECONDS
) -> str | None:
    """
    Run the command with one URL per line on standard input.

    Return None, or why it failed. The command runs without a shell; an operator who
    needs one can run a script.
    """
    try:
        # The operator who sets the environment may run any command.
        process = subprocess.Popen(  # noqa: S603
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            # A process group of its own, so that its children can be killed too.
            start_new_session=True,
        )
    except OSError as error:
        return f"The hook cannot be run: {error.strerror}."
    lines = "".join(f"{url}\n" for url in urls)
    try:
        _, stderr = process.communicate(lines.encode(), timeout_seconds)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"The hook did not end within {timeout_seconds:g} seconds."
    if process.returncode == 0:
        return None
    last_line = stderr.decode(errors="replace").strip().rpartition("\n")[2]
    reason = last_line[:MAX_CHARACTERS] or "no error message"
    return f"The hook exited with {process.returncode}: {reason}."
