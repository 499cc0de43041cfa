"""How long things may be: the limits that are never passed."""

import ast

import pytest

from tests.house.source import (
    ROOT,
    body_lines,
    functions,
    in_tests,
    is_handler,
    lines_of,
    name_of,
    parsed,
    product,
)

NESTS = ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Match

# The declaration of an operation, and what app.py hands to the application: each a
# list of facts, told by name.
MANY_PARAMETERS = {"api/operation.py:operation", "api/http.py:create_app"}


def depth(node):
    """How deep statements lie in each other; an elif is no deeper than its if."""
    deepest = 0
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            continue
        is_elif = isinstance(node, ast.If) and [child] == node.orelse
        step = 1 if isinstance(child, NESTS) and not is_elif else 0
        deepest = max(deepest, step + depth(child))
    return deepest


def parameters(function):
    """The names a caller may give; self and cls are not given."""
    given = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
    return [each.arg for each in given if each.arg not in ("self", "cls")]


@pytest.mark.parametrize("path", product(), ids=name_of)
def test_functions(path):
    """A function has at most 40 lines, 6 parameters and 3 levels."""
    for each in functions(path):
        name = f"{name_of(path)}:{each.name}"
        assert each.end_lineno - each.lineno + 1 <= 40, name
        assert depth(each) <= 3, name
        assert len(parameters(each)) <= 6 or name in MANY_PARAMETERS, name


@pytest.mark.parametrize("path", product(), ids=name_of)
def test_files(path):
    """A file has at most 300 lines; beyond, a noun has no file yet."""
    assert lines_of(path) <= 300


@pytest.mark.parametrize("path", sorted((ROOT / "api").glob("*/*.py")), ids=name_of)
def test_handlers(path):
    """A handler has at most 10 lines of body: the rest is a rule."""
    for each in filter(is_handler, functions(path)):
        assert body_lines(each) <= 10, each.name


@pytest.mark.parametrize("path", in_tests(), ids=name_of)
def test_tests(path):
    """A test has at most 25 lines, a test file 300."""
    assert lines_of(path) <= 300
    for each in functions(path):
        if each.name.startswith("test_"):
            assert each.end_lineno - each.lineno + 1 <= 25, each.name


@pytest.mark.parametrize("path", sorted((ROOT / "templates").rglob("*.html")))
def test_templates(path):
    """A template has at most 120 lines."""
    assert lines_of(path) <= 120


def test_depth_counts_what_nests():
    """An if within a for within a with is three deep; an elif adds none."""
    three = "with a:\n for b in c:\n  if d:\n   e\n  elif f:\n   g"

    assert depth(ast.parse(three)) == 3
    assert depth(parsed(ROOT / "tests/house/__init__.py")) == 0
