"""The commands `convert …`: turn other tools' output into measurements to post."""

import sys
from argparse import ArgumentParser, Namespace
from functools import partial

from models.runtime.commands import CommandContext
from models.status.converters.conversion import (
    CONVERTERS,
    ConversionInput,
    convert_to_requests,
)
from models.status.converters.mapping import ServiceNames, parse_service_options

HELP = "convert the output of other monitoring tools to measurements"


def declare(parser: ArgumentParser) -> None:
    tools = parser.add_subparsers(required=True, metavar="TOOL")
    for tool in CONVERTERS:
        help = f"convert the output of {tool} from standard input"
        description = help.capitalize() + "."
        tool_parser = tools.add_parser(tool, help=help, description=description)
        tool_parser.set_defaults(run=partial(convert, tool))
        _add_options(tool_parser, tool)


def _add_options(parser: ArgumentParser, tool: str) -> None:
    parser.add_argument(
        "--source", default=tool, help=f"source of the measurements (default: {tool})"
    )
    parser.add_argument(
        "--service",
        action="append",
        default=[],
        metavar="NAME=SLUG",
        help="slug of the service that the tool calls NAME; repeatable",
    )
    if tool == "alertmanager":
        parser.add_argument(
            "--label",
            default="service",
            help="label that names the service (default: service)",
        )


def convert(tool: str, context: CommandContext, arguments: Namespace) -> None:
    """Print one request body per line, each with at most 200 measurements."""
    conversion_input = ConversionInput(
        text=sys.stdin.buffer.read(),
        names=ServiceNames(parse_service_options(arguments.service)),
        now=context.clock(),
        source=arguments.source,
        label=getattr(arguments, "label", ""),
    )
    lines = list(convert_to_requests(tool, conversion_input))
    print(*lines, sep="\n", end="\n" * bool(lines))
    for remark in conversion_input.names.remarks():
        print(remark, file=sys.stderr)
    if not lines:
        print("The input contains no measurements.", file=sys.stderr)
