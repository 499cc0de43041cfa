"""
A build that finds nothing to do, told before anything else is loaded.

Most builds from cron end here; to load what makes a page takes longer than all of it.
"""

import sys
from collections.abc import Mapping
from datetime import datetime
from time import perf_counter

from models.commands.telling import print_json
from models.settings import SettingError, Settings
from sitegen.build.report import BuildReport
from sitegen.build.up_to_date import up_to_date_report
from sitegen.output.folder import OutputError


def nothing_to_build(
    words: list[str], environment: Mapping[str, str], now: datetime
) -> bool:
    """Tell of a build that finds nothing to do, where a glance can tell."""
    started = perf_counter()
    if words not in (["build"], ["build", "--json"]):
        return False
    try:
        report = up_to_date_report(Settings.from_environment(environment), now)
    except (SettingError, OutputError):
        return False  # The command will say it in a sentence.
    if report is not None:
        print_report(report, perf_counter() - started, as_json="--json" in words)
    return report is not None


def print_report(report: BuildReport, seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(report.to_json(seconds))
        return
    for message in report.messages():
        print(message, file=sys.stderr)
    print(report.summary(seconds))
