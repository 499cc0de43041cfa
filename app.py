"""The way in: `app.py COMMAND`, answered here where a glance is all it takes."""

import os
import sys
from datetime import UTC, datetime
from time import perf_counter

from models.settings import SettingError, Settings
from sitegen.files import OutputError
from sitegen.outcome import Report
from sitegen.standing import glance


def main(arguments: list[str] | None = None) -> int:
    started = perf_counter()
    words = sys.argv[1:] if arguments is None else arguments
    found = _nothing_to_build() if words == ["build"] else None
    if found is None:
        # It loads all of the application: half of what such a build may take.
        import commands

        return commands.main(words)
    for remark in found.remarks():
        print(remark, file=sys.stderr)
    print(found.summary(perf_counter() - started))
    return 0


def _nothing_to_build() -> Report | None:
    try:
        return glance(Settings.from_environment(os.environ), datetime.now(UTC))
    except (SettingError, OutputError):
        return None  # The command will say it in a sentence.


if __name__ == "__main__":
    sys.exit(main())
