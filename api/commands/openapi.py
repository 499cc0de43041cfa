"""The command `openapi`: prints the OpenAPI document, where no server runs."""

import json
from argparse import ArgumentParser, Namespace

from api.openapi.document import api_description
from models.commands.declaring import CommandContext


def declare(parser: ArgumentParser) -> None:
    parser.set_defaults(run=print_openapi)


def print_openapi(given: CommandContext, arguments: Namespace) -> None:
    _, document = api_description(given.settings)
    print(json.dumps(document, indent=1, sort_keys=True))
