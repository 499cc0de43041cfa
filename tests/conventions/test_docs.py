"""The documentation lists exactly what exists."""

import argparse
import ast
import re
from dataclasses import fields

import pytest

import app
from models.settings import Settings, environment_variable
from tests.conventions.source import (
    ROOT,
    functions,
    in_rooms,
    is_handler,
    name_of,
    parsed,
    product,
)


def rows():
    """Return the code in the first cells of the README's tables."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    cells = re.findall(r"^\|([^|]+)\|", readme, re.MULTILINE)
    return {code for cell in cells for code in re.findall(r"`([^`]+)`", cell)}


def commands(parser, before=""):
    """
    Return every command of app.py, such as `serve` and `keys bootstrap`, by its words.
    """
    nested = [
        each for each in parser._actions if isinstance(each, argparse._SubParsersAction)
    ]
    if not nested:
        return {before: parser}
    return {
        name: found
        for word, inner in nested[0].choices.items()
        for name, found in commands(inner, f"{before} {word}".strip()).items()
    }


COMMANDS = commands(app.build_parser())


def test_commands_are_where_their_word_leads():
    """`keys list` is in a keys.py, in the folder that app.py names."""
    result = {f"{package}/commands/{name}.py" for name, package in app.COMMANDS.items()}

    homes = {
        name_of(path)
        for path in in_rooms()
        if any(each.name == "declare" for each in functions(path))
        and path.parent.name == "commands"
    }
    assert homes == result


def test_settings_stand_in_the_readme():
    """Every setting has a row, and every row an existing setting."""
    known = {environment_variable(each.name) for each in fields(Settings)}
    result = {row for row in rows() if row.startswith("MASTHEAD_")}

    assert result == known


def test_commands_stand_in_the_readme():
    """Every command of app.py has a row that begins with its words."""
    result = [row.split("app.py ")[-1] for row in rows()]

    missing = {
        each for each in COMMANDS if not any(_names(row, each) for row in result)
    }
    assert not missing


@pytest.mark.parametrize("command", COMMANDS)
def test_options_stand_in_the_readme(command):
    """The options in a row exist, and --json is always listed."""
    (row,) = {row for row in rows() if _names(row, command)}

    result = set(re.findall(r"--[a-z-]+", row))
    accepted = set(COMMANDS[command]._option_string_actions)
    assert result <= accepted
    assert ("--json" in result) == ("--json" in accepted)


def _names(row, command):
    return row == command or row.startswith(f"{command} ")


def test_modules_say_what_they_are_about():
    """A module's first line is a sentence, so that the list of them is a map."""
    for path in product():
        doc = ast.get_docstring(parsed(path))
        if doc is None:
            assert not path.read_text(encoding="utf-8").strip(), name_of(path)
            continue
        assert re.match(r"[A-Z]", doc), name_of(path)
        assert doc.split("\n\n")[0].rstrip().endswith((".", "?")), name_of(path)


def test_handlers_say_what_they_do():
    """A handler's docstring is published, so there is one and it is a sentence."""
    handlers = [
        function
        for path in in_rooms()
        for function in functions(path)
        if is_handler(function)
    ]

    assert len(handlers) > 100
    for handler in handlers:
        doc = ast.get_docstring(handler) or ""
        assert doc.split("\n")[0].endswith((".", ";")), handler.name


def test_tests_state_their_rule():
    """A test's docstring is the rule that it tests."""
    undocumented = [
        f"{name_of(path)}::{function.name}"
        for path in (ROOT / "tests").rglob("test_*.py")
        for function in functions(path)
        if function.name.startswith("test_") and not ast.get_docstring(function)
    ]

    assert not undocumented
