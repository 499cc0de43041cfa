"""Several processes with one database, as during an upgrade."""

import json
import subprocess
import sys

import pytest

from models.audit import AuditRow, broken_links
from models.platform.keys import KeyRow

CHILD = """
import json, sys
from datetime import UTC, datetime
from api.http.application import create_app
from models.storage.database import open_database
from models.settings import Settings

path, key = sys.argv[1:]
open_database(path)
now = datetime(2026, 3, 1, 12, tzinfo=UTC)
client = create_app(Settings(database=path), clock=lambda: now).test_client()
asked = {"name": "probe", "scopes": ["status:services:list"]}
sys.stdin.readline()
for text in map(str, range(10)):
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": text}
    answer = client.post("/platform/v1/keys/add", json=asked, headers=headers)
    print(json.dumps([answer.status_code, answer.json]))
"""


@pytest.fixture
def answers(store, settings, issue):
    """The responses of three processes to the same ten concurrent requests."""
    command = [sys.executable, "-c", CHILD, settings.database, issue("*")]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    children = [subprocess.Popen(command, **pipes) for _ in range(3)]
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    result = [child.communicate(timeout=60)[0].splitlines() for child in children]
    assert all(child.returncode == 0 for child in children)
    return [[json.loads(line) for line in lines] for lines in result]


def test_one_text_in_several_processes(answers):
    """
    Across processes, each Idempotency-Key creates one key with one secret and one
    record.
    """
    assert answers[0] == answers[1] == answers[2]
    assert {status for status, _ in answers[0]} == {200}
    assert KeyRow.select().where(KeyRow.name == "probe").count() == 10
    assert AuditRow.select().count() == 10
    assert broken_links("platform") == []
