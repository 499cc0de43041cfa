"""
Finish a build that has nothing to do before the rest of the program is imported.

Most builds started by cron have nothing to do, and importing what renders pages
would take longer than everything else that they do.
"""

import sys
from collections.abc import Callable, Mapping
from datetime import datetime
from time import perf_counter

from models.runtime.commands import with_last_site_url
from models.settings import SettingError, Settings, is_site_url_set
from sitegen.builder.report import BuildReport
from sitegen.builder.up_to_date import up_to_date_report
from sitegen.output.folder import OutputError

PrintJson = Callable[[object], None]


def finish_quick_build(
    arguments: list[str],
    environment: Mapping[str, str],
    now: datetime,
    print_json: PrintJson,
) -> bool:
    """
    Report a build that has nothing to do, and return True.

    Return False for any other command, and if something may have to be built.
    """
    started = perf_counter()
    if arguments not in (["build"], ["build", "--json"]):
        return False
    try:
        settings = Settings.from_environment(environment)
        if not is_site_url_set(environment):
            settings = with_last_site_url(settings)
        report = up_to_date_report(settings, now)
    except (SettingError, OutputError):
        return False  # The command itself reports the error.
    if report is None:
        return False
    print_report(
        report,
        perf_counter() - started,
        print_json=print_json if "--json" in arguments else None,
    )
    return True


def print_report(
    report: BuildReport, seconds: float, *, print_json: PrintJson | None
) -> None:
    """Print the report as JSON, or as text if there is no `print_json`."""
    if print_json:
        print_json(report.to_json(seconds))
        return
    for message in report.messages():
        print(message, file=sys.stderr)
    print(report.summary(seconds))
