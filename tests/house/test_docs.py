"""What is documented and what exists are the same."""

import argparse
import ast
import re
from dataclasses import fields

import pytest

from models.settings import Settings, environment_name
from tests.house.source import (
    ROOT,
    functions,
    in_rooms,
    is_handler,
    name_of,
    parsed,
    product,
)


def rows():
    """What the first cells of the README's tables say in code."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\|([^|]+)\|", readme, re.MULTILINE)
    return {said for cell in cells for said in re.findall(r"`([^`]+)`", cell)}


def commands(parser, before=""):
    """Every command that app.py takes, such as `serve` and `keys bootstrap`."""
    nested = [
        each for each in parser._actions if isinstance(each, argparse._SubParsersAction)
    ]
    if not nested:
        return {before}
    return {
        name
        for word, inner in nested[0].choices.items()
        for name in commands(inner, f"{before} {word}".strip())
    }


def test_settings_stand_in_the_readme():
    """Every setting has a row, and no row names a setting that is gone."""
    known = {environment_name(each.name) for each in fields(Settings)}
    told = {row for row in rows() if row.startswith("MASTHEAD_")}

    assert told == known


def test_commands_stand_in_the_readme():
    """Every command of app.py has a row that begins with its words."""
    import commands as line

    told = [row.split("app.py ")[-1] for row in rows()]
    known = commands(line.parser())

    untold = {each for each in known if not any(_names(row, each) for row in told)}
    assert not untold


def _names(row, command):
    return row == command or row.startswith(f"{command} ")


@pytest.mark.parametrize("path", product(), ids=name_of)
def test_modules_say_what_they_are_about(path):
    """A module's first line is a sentence, so that the list of them is a map."""
    source = path.read_text(encoding="utf-8")
    doc = ast.get_docstring(parsed(path))

    assert not source.strip() or (doc and re.match(r"[A-Z].*[.:,]?", doc))
    assert not doc or doc.split("\n\n")[0].rstrip().endswith((".", "?"))


@pytest.mark.parametrize("path", in_rooms(), ids=name_of)
def test_handlers_say_what_they_do(path):
    """A handler's docstring is published, so there is one and it is a sentence."""
    for each in filter(is_handler, functions(path)):
        doc = ast.get_docstring(each)
        assert (doc or "").split("\n")[0].endswith((".", ";")), each.name


@pytest.mark.parametrize(
    "path", sorted((ROOT / "tests").rglob("test_*.py")), ids=name_of
)
def test_tests_state_their_rule(path):
    """A test's docstring is the rule that it holds."""
    silent = [
        each.name
        for each in functions(path)
        if each.name.startswith("test_") and not ast.get_docstring(each)
    ]

    assert not silent
