"""The commands `convert …`: what another tool says becomes bodies to be posted."""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial

from models.commands.declaring import CommandContext, add_command, commands_of
from models.status.converters.conversion import CONVERTERS, ConversionInput
from models.status.converters.conversion import convert as convert_output
from models.status.converters.mapping import ServiceNames, parse_service_options


def declare(parser: ArgumentParser) -> None:
    tools = commands_of(parser, "TOOL")
    for tool in CONVERTERS:
        help = f"read what {tool} says from standard input"
        _add_options(add_command(tools, tool, help, partial(convert, tool)), tool)


def _add_options(made: ArgumentParser, tool: str) -> None:
    made.add_argument("--source", default=tool, help=f"who measured ({tool})")
    made.add_argument(
        "--service",
        action="append",
        default=[],
        metavar="NAME=SLUG",
        help="which service is meant by a name; repeatable",
    )
    if tool == "alertmanager":
        help = "the label that names the service (service)"
        made.add_argument("--label", default="service", help=help)


def convert(tool: str, given: CommandContext, arguments: Namespace) -> None:
    """Write a body a line; the API takes at most 200 measurements in one."""
    wanted = ConversionInput(
        text=sys.stdin.buffer.read(),
        names=ServiceNames(parse_service_options(arguments.service)),
        now=given.clock(),
        source=arguments.source,
        label=getattr(arguments, "label", ""),
    )
    lines = list(convert_output(tool, wanted))
    print(*lines, sep="\n", end="\n" * bool(lines))
    for remark in wanted.names.remarks():
        print(remark, file=sys.stderr)
    if not lines:
        print("It says nothing of any service.", file=sys.stderr)
