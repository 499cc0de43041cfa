"""Run the named benchmarks, or all, and print their measurements as Markdown tables."""

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

DEFAULT_COLUMNS = "What", "Measured", "Target"


def print_row(label, *figures):
    cells = [f"{label:58}", *(f"{figure:>12}" for figure in figures)]
    print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    modules = sorted(
        module.name for module in iter_modules([str(Path(__file__).parent)])
    )
    # Without names all modules run, except those that `required` includes.
    names = sys.argv[1:] or [
        name for name in modules if name not in ("__main__", "required")
    ]

    for name in names:
        benchmark = import_module(f"bench.{name}")
        if not hasattr(benchmark, "run"):
            continue
        columns = getattr(benchmark, "COLUMNS", DEFAULT_COLUMNS)
        print_row(*columns)
        print("|" + "---|" * len(columns))
        for row in benchmark.run():
            print_row(*row)
