"""The manual's statements about metrics and alerts match the server's output."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from api.http.application import create_app
from api.http.metrics import Metrics
from api.http.problem_types import PROBLEM_TYPES
from models.instance import LAST_BACKUP_AT, set_instance_value
from models.runtime.reports import BuildProgress, ProcessState, Reports
from models.storage.database import database, writing
from tests.conventions.words import MANUAL
from tests.pages.status.test_status import measured

(PAGE,) = [words for words in MANUAL if words.path.stem == "monitoring"]
SCRAPED, RULES = (yaml.safe_load(block) for block in PAGE.blocks("yaml"))
NAME = re.compile(r"\b(?:masthead|process|python)_\w+")
# Metrics of Prometheus itself.
FOREIGN = {"up"}
# Metrics that an engine does not have.
MISSING_METRICS = {"sqlite": set(), "postgresql": {"masthead_database_wal_bytes"}}
ALERTS = [rule for group in RULES["groups"] for rule in group["rules"]]

each_alert = pytest.mark.parametrize("alert", ALERTS, ids=lambda rule: rule["alert"])


@pytest.fixture
def reports():
    """The reports of a server; this process is one of its processes."""
    reports = Reports(["api-1"])
    reports.write_states({"api-1": ProcessState(os.getpid(), 1)})
    return reports


@pytest.fixture
def families(store, settings, clock, api, reports):
    """Return the metrics of a server after every event that adds one."""
    progress = BuildProgress()
    published = replace(settings, publish="elsewhere")
    Path(settings.output).mkdir()
    metrics = Metrics(
        published,
        clock,
        lambda: progress,
        lambda: progress,
        process="api-1",
        reports=reports,
    )
    client = create_app(settings, clock=clock, metrics=metrics).test_client()
    service = {"slug": "api", "name": "Public API"}
    api("POST /status/v1/admin/services/add", service)
    sample = measured(clock, "api", "operational")
    api("POST /status/v1/admin/measurements/record", sample)
    client.get("/healthz")
    progress.record(clock.now, 1.0)
    metrics.counts.record_job("tidy", clock.now)
    with writing():
        set_instance_value(LAST_BACKUP_AT, 1)
    return list(text_string_to_metric_families(client.get("/metrics").text))


def name_of(family):
    return family.name + ("_total" if family.type == "counter" else "")


def rows():
    """Return the metrics of the tables, each with the labels in its row."""
    found = re.findall(r"^\| `(\w+)` \| ([^|]*)\|", PAGE.text, re.MULTILINE)
    result = {name: cell for name, cell in found if "_" in name}
    named = {
        name: result[name] for name in result.keys() - MISSING_METRICS[database.kind]
    }
    return {name: {*re.findall(r"`(\w+)`", cell)} for name, cell in named.items()}


def test_every_metric_is_explained(families):
    """The tables have exactly the existing metrics."""
    assert rows().keys() == {name_of(each) for each in families}


def test_labels(families):
    """The labels in the tables are those of the metrics."""
    result = {
        name_of(each): set().union(*(s.labels for s in each.samples)) - {"le"}
        for each in families
    }

    assert rows() == result


@each_alert
def test_alert(alert):
    """A rule has a name with our prefix, an expression, a severity and a sentence."""
    assert re.fullmatch(r"Masthead[A-Z]\w+", alert["alert"])
    assert alert["labels"]["severity"] in ("page", "ticket")
    assert alert["annotations"]["summary"].endswith((".", "?"))
    assert alert["expr"].count("(") == alert["expr"].count(")")
    assert re.fullmatch(r"\d+[mh]", alert.get("for", "1m"))


@each_alert
def test_alert_asks_for_what_is_told(alert, families):
    """The names in an expression are metrics, and its types ours."""
    known = {sample.name for each in families for sample in each.samples}

    named = {*NAME.findall(alert["expr"])}
    known |= MISSING_METRICS[database.kind]
    kinds = re.findall(r'kind=~?"([^"]+)"', alert["expr"])

    assert named <= known
    assert named or alert["expr"].partition("{")[0] in FOREIGN
    assert {kind for each in kinds for kind in each.split("|")} <= {*PROBLEM_TYPES}


def test_names_are_unique():
    """No two rules have the same name."""
    assert len({rule["alert"] for rule in ALERTS}) == len(ALERTS)


def test_scraping():
    """The scrape configuration has the default address and path."""
    (own,) = SCRAPED["scrape_configs"]

    assert own["job_name"] == "masthead"
    assert "metrics_path" not in own
    assert own["static_configs"] == [{"targets": ["127.0.0.1:8000"]}]


def test_lines_of_the_log():
    """The log lines in the manual have the documented keys."""
    (shown,) = PAGE.blocks("text")
    log = PAGE.text.partition("## Logging")[2]
    result = {
        key
        for cell in re.findall(r"^\| (`.*?) \|", log, re.MULTILINE)
        for key in re.findall(r"`(\w+)`", cell)
    }

    keys = {*re.findall(r"(\w+)=", shown)}

    assert keys - {"level", "logger"} <= result
