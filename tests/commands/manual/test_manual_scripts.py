"""Scripts of the manual for users of other tools, run against servers."""

import json
import os
import subprocess
from datetime import UTC, datetime

import pytest
import yaml

from models.settings import Settings
from tests.commands.conftest import ROOT, fetch
from tests.commands.test_fetch import base as elsewhere  # noqa: F401
from tests.conventions.words import MANUAL
from tests.samples.tool_bodies import RESULT, alert, kuma, statuses, webhook

PAGES = {words.path.stem: words for words in MANUAL}
PIPES, MOVING = PAGES["monitoring-integrations"], PAGES["importing-a-status-page"]
SETTINGS, SCRIPT = (b for b in PIPES.blocks("sh") if "/etc/" in b or "HERE=/" in b)
(HOOKS,) = map(json.loads, PIPES.blocks("json"))


@pytest.fixture
def read_api(start, key):
    """A server with the service shop; return its data."""
    _, address, _ = start()
    service = {"slug": "shop", "name": "Shop"}
    fetch(f"{address}/status/v1/admin/services/add", key, service)

    def read(path=""):
        return json.loads(fetch(f"{address}{path}", key))["data"] if path else address

    return read


@pytest.fixture
def shell(tmp_path, environment, read_api, key):
    """Run a command with the page's script installed as described."""
    settings = tmp_path / "to-masthead.conf"
    result = SETTINGS.replace("/srv/masthead", str(ROOT))
    result = result.replace("http://127.0.0.1:8000", read_api())
    settings.write_text(result.replace("mh_paste_the_key_here", key))
    script = tmp_path / "to-masthead"
    script.write_text(SCRIPT.replace("/etc/to-masthead", str(settings)))
    script.chmod(0o755)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}"}

    def ran(*words, stdin=""):
        return subprocess.run(
            words, env=environment | path, input=stdin, capture_output=True, text=True
        )

    return ran


def test_gatus(shell, read_api):
    """The state in Gatus becomes the state of the service, whatever the size."""
    now = datetime.now(UTC).isoformat()
    results = [RESULT | {"timestamp": now}, *[RESULT] * 3]

    ran = shell("to-masthead", "gatus", stdin=statuses(("Shop", "web", results)))

    assert (ran.returncode, ran.stderr) == (0, "")
    assert (
        read_api("/status/v1/services/get?slug=shop")["service"]["state"]
        == "operational"
    )


@pytest.mark.parametrize(
    ("tool", "payload", "state"),
    [
        ("alertmanager", webhook(alert(service="shop")), "degraded"),
        ("uptime-kuma", kuma(None, monitor=None), "unknown"),
    ],
)
def test_webhook(shell, read_api, tool, payload, state):
    """The hook posts the state in its payload; a test message posts nothing."""
    (hook,) = HOOKS
    result = {"entire-payload": payload}
    words = [
        result.get(each["source"]) or each["name"].replace(hook["id"], tool)
        for each in hook["pass-arguments-to-command"]
    ]

    ran = shell(hook["execute-command"], *words)

    assert ran.returncode == 0, ran.stderr
    assert read_api("/status/v1/services/get?slug=shop")["service"]["state"] == state


def test_alerts_are_repeated_in_time():
    """
    The webhook has all alerts of a service, and is repeated before they are stale.
    """
    rules, alertmanager = map(yaml.safe_load, PIPES.blocks("yaml"))
    first, *_ = alertmanager["route"]["routes"]
    receivers = [each["name"] for each in alertmanager["receivers"]]

    minutes = [int(first[f"{name}_interval"][:-1]) for name in ("group", "repeat")]
    assert sum(minutes) * 60 < Settings().freshness_seconds
    assert first["group_by"] == ["service"]
    assert {first["receiver"], alertmanager["route"]["receiver"]} < {*receivers}
    (rule,) = rules["groups"][0]["rules"]
    assert rule["labels"] == {"severity": "none"}


def test_documents_saved(elsewhere, shell, tmp_path):  # noqa: F811
    """The documents that the page saves can be imported."""
    (block,) = (b for b in MOVING.blocks("sh") if "mkdir" in b)
    script = block.replace("https://status.example.com", elsewhere)

    saved = shell("sh", "-euc", f"cd {tmp_path} && {script}")
    python, program = ROOT / ".venv/bin/python", ROOT / "app.py"
    came = shell(python, program, "status", "import", tmp_path / "statuspage")

    assert saved.returncode == 0, saved.stderr
    assert "added 7, unchanged 0, left out 1" in came.stdout
