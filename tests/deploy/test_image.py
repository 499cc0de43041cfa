"""The image has all files that it needs, and runs without privileges."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.deploy.conftest import DEPLOY, get
from tests.ports import free_port

HERE = DEPLOY.parent
UNCOMPILED = {"PYTHONDONTWRITEBYTECODE": "1"}
LINES = re.sub(r"\\\n", " ", (DEPLOY / "Dockerfile").read_text()).splitlines()


def arguments_of(word):
    """Return the arguments of all lines with this instruction."""
    return [line[len(word) :].strip() for line in LINES if line.startswith(word + " ")]


@pytest.fixture
def image(tmp_path):
    """The folder of the image, with exactly what its lines copy."""
    inside = tmp_path / "image"
    inside.mkdir()
    for line in arguments_of("COPY"):
        source, target = line.split()
        if (HERE / source).is_dir():
            leave = shutil.ignore_patterns("__pycache__")
            shutil.copytree(HERE / source, inside / target, ignore=leave)
        else:
            shutil.copy(HERE / source, inside / target)
    return inside


def test_it_serves(image, run, tmp_path):
    """The files are sufficient, and only the volume is written to."""
    port, data = free_port(), tmp_path / "data"
    before = sorted(image.rglob("*"))
    result = dict(line.split("=", 1) for line in arguments_of("ENV"))
    env = {name: value.replace("/data", str(data)) for name, value in result.items()}
    env |= {"MASTHEAD_HOST": "127.0.0.1", "MASTHEAD_PORT": str(port)}
    start = [sys.executable, *json.loads(arguments_of("ENTRYPOINT")[0])[1:]]

    with (tmp_path / "log").open("wb") as log:
        command = [*start, *json.loads(arguments_of("CMD")[0])]
        run(port, command, cwd=image, env=env | UNCOMPILED, stdout=log)

    assert get(port, "/healthz")[0] == 200
    assert (data / "masthead.db").stat().st_mode & 0o077 == 0
    assert sorted(image.rglob("*")) == before


def test_it_is_not_root():
    """The account has no name and no rights, and the packages have hashes."""
    assert int(arguments_of("USER")[0].split(":")[0]) > 1000
    assert any(
        "--require-hashes -r requirements-cards.txt" in line
        for line in arguments_of("RUN")
    )


def test_it_holds_what_there_is():
    """Every folder of the product is copied, and nothing else."""
    copied = {line.split()[0] for line in arguments_of("COPY")}

    assert copied == {
        "requirements-cards.txt",
        "app.py",
        "models",
        "api",
        "sitegen",
        "templates",
    }
    assert all(Path(HERE / each).exists() for each in copied)
