"""The compose file, with the values that .env would supply."""

import re

import yaml

from tests.deploy.conftest import DEPLOY

LINES = (DEPLOY / "env.example").read_text().splitlines()
ENV_VALUES = dict(line.split("=", 1) for line in LINES if re.match(r"\w+=", line))
# A secret without a value is generated.
MADE_UP = {
    name: value or f"{name.replace('_', '')}7" for name, value in ENV_VALUES.items()
}
NEEDED = re.compile(r"\$\{(\w+):\?\}")
# The values in the file, with the placeholders replaced.
DOLLAR = re.compile(r"\$\$")


def filled(text):
    """Return the text as compose reads it; a name that .env lacks is an error."""
    text = NEEDED.sub(lambda found: MADE_UP[found[1]], text)
    assert not re.search(r"(?<!\$)\$(?!\$)", text), "That needs nothing of .env."
    return DOLLAR.sub("$", text)


SOURCE = (DEPLOY / "compose.yaml").read_text()
WHOLE = yaml.safe_load(filled(SOURCE))
SERVICES = WHOLE["services"]
APIS = sorted(name for name in SERVICES if name.startswith("api-"))
FRONT = (DEPLOY / "several.Caddyfile").read_text()
