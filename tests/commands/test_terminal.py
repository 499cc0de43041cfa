"""The output of commands cannot control the terminal."""

import json
import os
import subprocess
import sys
from pathlib import Path

APP = Path(__file__).parents[2] / "app.py"
# Clears the screen, names a forged document, and is not UTF-8.
NAME = b"\x1b[2Jevil\npublished: forged\xff.md"


def run(tmp_path, *words):
    environment = os.environ | {
        "MASTHEAD_DATABASE": str(tmp_path / "m.db"),
        "MASTHEAD_OUTPUT": str(tmp_path / "output"),
    }
    command = [sys.executable, str(APP), *map(str, words)]
    return subprocess.run(command, env=environment, capture_output=True, check=False)


def test_file_names_in_reports(tmp_path):
    """Control characters in a file name are escaped, on one line."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "good.md").write_text("# Good\n")
    (folder / os.fsdecode(NAME)).write_bytes(b"\xff\xfe")

    words = ("docs", "import", folder, "--collection", "guides")
    report = run(tmp_path, *words)
    as_json = run(tmp_path, *words, "--json")

    shown = "\\u001b[2Jevil\\u000apublished: forged\\udcff.md"
    assert f"left out: {shown}: " in report.stderr.decode()
    assert b"\x1b" not in report.stdout + report.stderr + as_json.stdout
    # JSON has no bytes that are not UTF-8: it has the name as in the report.
    named = json.loads(as_json.stdout)["leftOut"][0]["path"]
    assert named == "\x1b[2Jevil\npublished: forged\\udcff.md"


def test_words_of_the_command_line(tmp_path):
    """An error repeats its argument without control characters."""
    done = run(tmp_path, "docs", "import", "\x1b[2J\u202e", "--collection", "guides")

    assert done.returncode == 2
    assert "There is no folder \\u001b[2J\\u202e." in done.stderr.decode()
