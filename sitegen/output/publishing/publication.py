"""One publication: what the target lacks is sent, and what it has too much goes."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from models.settings import Settings
from sitegen.output.publishing.claim import Claim, open_claim
from sitegen.output.publishing.hook import run_hook
from sitegen.output.publishing.plan import Marks, Plan
from sitegen.output.publishing.source import Files, Source
from sitegen.output.publishing.targets import (
    File,
    PublishError,
    Ready,
    Said,
    Target,
    target_of,
)

NOTE = ".masthead.published"


class Stopped(PublishError):
    """The one who published was told to stop; the next one goes on."""


@dataclass
class Report:
    """What a publication did, or would do."""

    sent: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    unchanged: int = 0
    bytes: int = 0
    # The addresses at which readers may find something else now.
    changed: list[str] = field(default_factory=list)
    hook_failure: str | None = None

    @classmethod
    def of(cls, plan: Plan, site_url: str) -> "Report":
        tellers = [each for stage in plan.tellers() for each in stage]
        sent = [*plan.sent, *tellers]
        return cls(
            sent=[each.path for each in sent],
            removed=plan.removed,
            unchanged=len(plan.wanted) - len(sent),
            bytes=sum(each.entry.size for each in sent),
            changed=plan.purged(site_url),
        )

    def told(self, seconds: float) -> dict[str, Any]:
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
    Publishes the output to the target, again and again.

    The order is what makes it safe to be killed at any point: the claim says what
    will be touched, then it is touched, then the note says what stands, then the
    hook is told, and then the claim is let go.
    """

    def __init__(
        self, settings: Settings, is_stopping: Callable[[], bool] = lambda: False
    ) -> None:
        self._settings = settings
        self._source = Source(settings.output)
        self._target: Target = target_of(settings)
        self._is_stopping = is_stopping

    def run(
        self,
        *,
        is_verified: bool = False,
        progress: Callable[[Iterable[str]], Iterable[str]] = iter,
    ) -> Report:
        """Publish; raise PublishError where that cannot be, with all kept that was."""
        with ExitStack() as held:
            owner = held.enter_context(self._source.alone())
            held.enter_context(self._target.alone())
            claim = open_claim(self._target, owner, self._pause)
            # Whoever publishes changes the claim first and last: while it is what was
            # read, so is the note.
            note = self._target.said(NOTE)
            plan = self._held_plan(held, claim, _marks(note), is_verified)
            if plan.is_empty:
                return Report.of(plan, self._settings.site_url)
            claim.take(plan.touched())
            self._ask(plan, claim.keep)
            for _ in progress(self._carried(plan, claim)):
                self._require_running()
            self._note(note, plan)
            report = Report.of(plan, self._settings.site_url)
            self._tell(report, claim, plan)
        return report

    def trial(self, *, is_verified: bool = False) -> Report:
        """Return what would be done; nothing is touched."""
        claim = Claim(self._target, "")
        marks = _marks(self._target.said(NOTE))
        plan = Plan(self._source.files(), marks, claim.touched, is_verified)
        self._ask(plan, lambda: None)
        return Report.of(plan, self._settings.site_url)

    def _held_plan(
        self, held: ExitStack, claim: Claim, marks: Marks, is_verified: bool
    ) -> Plan:
        plans: list[Plan] = []

        def chosen(files: Files) -> Iterable[str]:
            plans.append(Plan(files, marks, claim.touched, is_verified))
            return plans[-1].differing

        held.enter_context(self._source.held(chosen))
        return plans[-1]

    def _ask(self, plan: Plan, ready: Ready) -> None:
        """Ask the target for what may stand there or not."""
        for path, stands in self._target.standing(plan.asked()):
            self._require_running()
            ready()
            if stands:
                plan.standing.add(path)

    def _carried(self, plan: Plan, claim: Claim) -> Iterator[str]:
        """Carry everything in its order, and give each path when it is there."""

        def ready() -> None:
            self._require_running()
            claim.keep()

        def read(file: File) -> bytes:
            ready()
            return self._source.read(file)

        for stage in plan.stages():
            yield from (each.path for each in self._target.put(stage, read))
        yield from self._target.remove(plan.removed, ready)
        for stage in plan.tellers():
            yield from (each.path for each in self._target.put(stage, read))

    def _note(self, before: Said | None, plan: Plan) -> None:
        marks = {path: plan.wanted[path].mark for path in sorted(plan.wanted)}
        told = json.dumps({"files": marks}, ensure_ascii=False, indent=0)
        self._target.say(NOTE, told.encode(), before)

    def _tell(self, report: Report, claim: Claim, plan: Plan) -> None:
        """Run the hook; what it could not be told is told to it next time."""
        hook = self._settings.publish_hook
        if hook and report.changed:
            report.hook_failure = run_hook(hook, report.changed)
        claim.release(plan.touched() if report.hook_failure else {})

    def _require_running(self) -> None:
        if self._is_stopping():
            raise Stopped("The publication was stopped.")

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._require_running()
            time.sleep(0.1)


def _marks(note: Said | None) -> Marks:
    """Return what is noted; where nobody can read it, all is sent anew."""
    try:
        found = json.loads(note.content)["files"] if note else {}
        return {str(path): str(mark) for path, mark in found.items()}
    except (ValueError, KeyError, TypeError, AttributeError):
        return {}
