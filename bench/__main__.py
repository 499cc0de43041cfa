"""Run every module of bench/ that has a run(), or those named, and print tables."""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

names = sorted(each.name for each in iter_modules([str(Path(__file__).parent)]))
chosen = sys.argv[1:] or [name for name in names if name != "__main__"]


def say(what, *figures):
    """Print a row as README.md has it."""
    cells = [f"{what:58}", *(f"{each:>12}" for each in figures)]
    print(f"| {' | '.join(cells)} |", flush=True)


for name in chosen:
    module = import_module(f"bench.{name}")
    if not hasattr(module, "run"):
        continue
    say(*getattr(module, "HEADS", ("What", "Measured", "Target")))
    print("|---|---|---|")
    for row in module.run():
        say(*row)
