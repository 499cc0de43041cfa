"""The command `openapi`: print the OpenAPI document."""

import json
from argparse import ArgumentParser, Namespace

from models.runtime.commands import CommandContext

HELP = "print the OpenAPI document"


def declare(parser: ArgumentParser) -> None:
    parser.set_defaults(run=print_openapi)


def print_openapi(context: CommandContext, _arguments: Namespace) -> None:
    _, document = context.describe_api()
    print(json.dumps(document, indent=1, sort_keys=True))
