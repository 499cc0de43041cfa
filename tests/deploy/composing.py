"""The compose file: what it says of each service, with what .env would fill in."""

import re

import yaml

from tests.deploy.conftest import DEPLOY

LINES = (DEPLOY / "env.example").read_text().splitlines()
GIVEN = dict(line.split("=", 1) for line in LINES if re.match(r"\w+=", line))
# Where nothing is given a secret is to be made up.
MADE_UP = {name: value or f"{name.replace('_', '')}7" for name, value in GIVEN.items()}
NEEDED = re.compile(r"\$\{(\w+):\?\}")
# What stands there for whoever runs it, once what is to be filled in is.
DOLLAR = re.compile(r"\$\$")


def filled(text):
    """The text as compose would read it; a name that .env has not is an error."""
    text = NEEDED.sub(lambda found: MADE_UP[found[1]], text)
    assert not re.search(r"(?<!\$)\$(?!\$)", text), "That needs nothing of .env."
    return DOLLAR.sub("$", text)


SOURCE = (DEPLOY / "compose.yaml").read_text()
WHOLE = yaml.safe_load(filled(SOURCE))
SERVICES = WHOLE["services"]
APIS = sorted(name for name in SERVICES if name.startswith("api-"))
FRONT = (DEPLOY / "several.Caddyfile").read_text()
