"""The source of the product, parsed once, for the tests that read it."""

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("models", "api", "sitegen")


def in_rooms():
    """Return the modules of the product; migrations are frozen copies, not source."""
    found = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]
    return [path for path in found if "migrations" not in path.parts]


def in_tests():
    return sorted((ROOT / "tests").rglob("*.py"))


def product():
    return [ROOT / "app.py", *in_rooms()]


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@cache
def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def functions(path):
    function_types = ast.FunctionDef | ast.AsyncFunctionDef
    return [node for node in ast.walk(parsed(path)) if isinstance(node, function_types)]


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def is_handler(function):
    """Return whether the function has a declaration of api/operation.py."""
    return any(
        isinstance(each, ast.Call) and getattr(each.func, "id", "") == "operation"
        for each in function.decorator_list
    )


def body_lines(function):
    """Count the lines of a function that are not its signature or docstring."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return function.end_lineno - body[0].lineno + 1 if body else 0
