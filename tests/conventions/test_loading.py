"""What importing the program must not compute."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json
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
print(json.dumps(built(Schema)))
"""


def test_no_schema_is_built():
    """Schemas are built when they are first used, and a command uses few of them."""
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, capture_output=True, check=True
    )

    assert json.loads(ran.stdout) == []
