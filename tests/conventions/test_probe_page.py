"""The manual's description of the probe's configuration matches the code."""

import json
import re

from pydantic_core import PydanticUndefined

from api.client.probe_config import GeneralOptions, read_config
from api.client.targets import (
    DnsTarget,
    HttpTarget,
    InheritedOptions,
    TargetOptions,
    TcpTarget,
)
from models.platform.secrets import generate_secret
from tests.conventions.words import MANUAL, ROOT

(PAGE,) = [words for words in MANUAL if words.path.stem == "running-the-probe"]
(FILE,) = PAGE.blocks("toml")
SHAPES = [
    (GeneralOptions, InheritedOptions),
    (InheritedOptions, None),
    (TargetOptions, InheritedOptions),
    (HttpTarget, TargetOptions),
    (TcpTarget, TargetOptions),
    (DnsTarget, TargetOptions),
]


def tables():
    """Return the tables of options, each with the defaults in its rows."""
    options = PAGE.text.partition("## Configuration options")[2].partition("\n## ")[0]
    for table in re.split(r"\n\n", options):
        rows = re.findall(r"^\| `(\w+)` \| (.*?) ?\|", table, re.MULTILINE)
        if rows:
            yield dict(rows)


def shown_default(default):
    """Return a default as it is in the table; None and empty values are left out."""
    if default is PydanticUndefined or default in (None, {}):
        return ""
    return f"`{default if isinstance(default, str) else json.dumps(default)}`"


def test_tables():
    """Every member has a row with its default, in the order of the code."""
    known = []
    for shape, above in SHAPES:
        fields = shape.model_fields.items()
        own = {
            name: shown_default(field.default)
            for name, field in fields
            if above is None or name not in above.model_fields
        }
        # The kinds are listed in one place.
        own.pop("kind", None)
        known.append(list(own.items()))
    known[2].append(("kind", ""))

    assert [list(table.items()) for table in tables()] == known


def test_complete_file(tmp_path):
    """The file that is shown is read, and has a target of each kind."""
    key = generate_secret().text
    (tmp_path / "key").write_text(key)
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "probe.toml").write_text(FILE)

    read = read_config(tmp_path / "probe.toml", "")

    assert read.key == key
    assert {each.kind for each in read.targets} == {"http", "tcp", "dns"}


def test_events():
    """Every event of the log has a row, and every row an existing event."""
    sources = [
        (ROOT / "api/client" / f"{name}.py").read_text()
        for name in ("probe", "sender", "spool")
    ]
    listed = {
        each
        for text in sources
        for each in re.findall(
            r'(?:event=|_line\(|_log_summary\()"([a-z-]+)"', text.replace("\n", " ")
        )
    }

    rows = re.findall(r"^\| (`[a-z].*?) \|", PAGE.text.partition("| Event |")[2], re.M)
    assert {name for row in rows for name in re.findall(r"`([a-z-]+)`", row)} == listed
