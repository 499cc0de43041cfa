"""What the program loads and computes before its first useful work."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# What a program of its own imports, and what it finds out about it.
BUILT_SCHEMAS = """
from importlib import import_module
from api.operation import declare_operations
from models.base import Schema
from sitegen.page import load_generators

def built(schema):
    names = [schema.__name__] if schema.__pydantic_complete__ else []
    return names + [name for each in schema.__subclasses__() for name in built(each)]

declare_operations()
load_generators()
import_module("sitegen.commands.docs")
result = built(Schema)
"""
LOADED = """
import sys
from importlib import import_module
import_module({module!r})
result = sorted(sys.modules)
"""


def printed(program, **environment):
    """Return what the program has computed as `result`."""
    ran = subprocess.run(
        [sys.executable, "-c", f"{program}\nimport json; print(json.dumps(result))"],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        check=True,
        text=True,
    )
    return json.loads(ran.stdout)


def test_no_schema_is_built():
    """Schemas are built when they are first used, and a command uses few of them."""
    assert printed(BUILT_SCHEMAS) == []


@pytest.mark.parametrize(
    ("module", "unneeded"),
    [
        # It is no client, and makes no pages.
        ("sitegen.commands.docs", {"http.client", "jinja2", "flask", "api.operation"}),
        # What declares the operations is loaded to describe the API, if at all.
        ("sitegen.commands.build", {"flask", "api.operation"}),
        ("api.commands.backup", {"http.client", "jinja2", "flask", "api.operation"}),
    ],
)
def test_unneeded_modules(module, unneeded):
    """A command does not wait for packages that it does not need."""
    assert not unneeded.intersection(printed(LOADED.format(module=module)))


def test_build_of_a_changed_site(environment, tmp_path):
    """A build that makes pages takes the OpenAPI document of the build before it."""
    words = ["-X", "importtime", "app.py", "build", "--full"]

    def loaded():
        ran = subprocess.run(
            [sys.executable, *words],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            check=True,
            text=True,
        )
        lines = ran.stderr.splitlines()
        return {line.rpartition("|")[2].strip() for line in lines if "|" in line}

    subprocess.run(
        [sys.executable, "app.py", "migrate"], cwd=ROOT, env=environment, check=True
    )
    first = loaded()
    described = (tmp_path / "output/openapi.json").read_bytes()
    second = loaded()

    assert "api.operation" in first
    assert "sitegen.build.build" in second
    assert "api.operation" not in second
    assert (tmp_path / "output/openapi.json").read_bytes() == described
