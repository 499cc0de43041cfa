"""Run every module of bench/ that has a run(), or those named, and print a table."""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

names = sorted(each.name for each in iter_modules([str(Path(__file__).parent)]))
chosen = sys.argv[1:] or [name for name in names if name != "__main__"]

print(f"{'what':58} {'measured':>12} {'target':>12}")
for name in chosen:
    module = import_module(f"bench.{name}")
    for what, measured, target in getattr(module, "run", list)():
        print(f"{what:58} {measured:>12} {target:>12}", flush=True)
