"""The commands `incident …`: open, update, resolve and list incidents of a server."""

from argparse import ArgumentParser, Namespace
from typing import Any

from api.client.status_page import Change, StatusPageClient, Subject, require_id
from api.commands.status_page import (
    ChangeResult,
    add_change_options,
    add_id_argument,
    add_message_option,
    add_notify_option,
    add_parser,
    add_service_option,
    connected,
    message_of,
    notify_field,
    only_subject,
    print_list,
    report_change,
)
from models.runtime.commands import CommandContext, CommandError
from models.site_addresses import incident_address
from models.status.state import INCIDENT_STATUSES, SEVERITIES

HELP = "open, update, resolve and list incidents of a server"

COLUMNS = {
    "id": "id",
    "status": "status",
    "severity": "severity",
    "started": "startedAt",
    "title": "title",
}


def declare(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _declare_open(commands)
    _declare_update(commands)
    _declare_resolve(commands)
    help = "list the open incidents of a server"
    list_parser = add_parser(commands, "list", help, list_incidents)
    list_parser.add_argument(
        "--all", action="store_true", help="list resolved incidents, too"
    )


def _declare_open(commands: Any) -> None:
    help = "open an incident on the status page of a server, and print its id"
    parser = add_parser(commands, "open", help, open_incident)
    parser.add_argument("title", metavar="TITLE", help="title, one line")
    add_service_option(parser, "slug of an affected service", required=True)
    parser.add_argument(
        "--severity",
        required=True,
        choices=SEVERITIES,
        help="state of the affected services: %(choices)s",
        metavar="SEVERITY",
    )
    add_message_option(parser, "first text of the timeline", required=True)
    _add_status_option(parser, "status (default: investigating)")
    add_notify_option(parser)
    add_change_options(parser)


def _declare_update(commands: Any) -> None:
    help = "update an incident: its timeline, status, severity or services"
    parser = add_parser(commands, "update", help, update_incident)
    add_id_argument(parser, "incident", "open")
    add_message_option(parser, "text for the timeline")
    _add_status_option(parser, "new status")
    parser.add_argument(
        "--severity",
        choices=SEVERITIES,
        metavar="SEVERITY",
        help="new severity: %(choices)s",
    )
    add_service_option(parser, "slug of an affected service, instead of those before")
    add_notify_option(parser)
    add_change_options(parser)


def _declare_resolve(commands: Any) -> None:
    help = "resolve an incident"
    parser = add_parser(commands, "resolve", help, resolve_incident)
    add_id_argument(parser, "incident", "open")
    add_message_option(parser, "last text of the timeline")
    add_notify_option(parser)
    add_change_options(parser)


def _add_status_option(parser: ArgumentParser, help: str) -> None:
    parser.add_argument(
        "--status",
        choices=INCIDENT_STATUSES,
        metavar="STATUS",
        help=f"{help}: %(choices)s",
    )


def open_incident(context: CommandContext, arguments: Namespace) -> int:
    body = {
        "title": arguments.title,
        "severity": arguments.severity,
        "services": arguments.service,
        "body": message_of(arguments),
        **({"status": arguments.status} if arguments.status else {}),
        **notify_field(arguments),
    }
    with connected(context, arguments) as client:
        (data,) = client.make(("incidents/add", body))
        incident = Subject.parse(data)
        id = incident.id
        result = ChangeResult(
            id,
            incident_address(id),
            f'Opened "{incident.title}": {arguments.severity}, {incident.status}.',
            {"incident": data},
            {
                "To post an update": f'incident update {id} --message "…"',
                "To resolve it": f'incident resolve {id} --message "…"',
            },
            is_new=True,
        )
    return report_change(context, arguments, client, result)


def update_incident(context: CommandContext, arguments: Namespace) -> int:
    correction = {"severity": arguments.severity, "services": arguments.service}
    correction = {name: value for name, value in correction.items() if value}
    return _update(context, arguments, arguments.status, correction)


def resolve_incident(context: CommandContext, arguments: Namespace) -> int:
    return _update(context, arguments, "resolved", {})


def _update(
    context: CommandContext,
    arguments: Namespace,
    status: str | None,
    correction: dict[str, Any],
) -> int:
    """Post the message with the status, and correct fields of the incident itself."""
    message = message_of(arguments)
    if message is None and status:
        correction = correction | {"status": status}
    if message is None and not correction:
        raise CommandError(
            "Say what is new: --message, --status, --severity or --service."
        )
    with connected(context, arguments) as client:
        id, name = _subject(client, arguments.id)
        changes: list[Change] = []
        if correction:
            change = {"id": id} | correction | notify_field(arguments)
            # The message is told with them, and once.
            change |= {"notify": False} if message is not None else {}
            changes.append(("incidents/update", change))
        if message is not None:
            update = {"incidentId": id, "body": message} | notify_field(arguments)
            update |= {"status": status} if status else {}
            changes.append(("incident-updates/add", update))
        answers = client.make(*changes)
        names = ["incident"] * bool(correction) + ["update"] * (message is not None)
        result = ChangeResult(
            id,
            incident_address(id),
            f"{'Resolved' if status == 'resolved' else 'Updated'} {name}.",
            dict(zip(names, answers, strict=True)),
        )
    return report_change(context, arguments, client, result)


def _subject(client: StatusPageClient, id: str | None) -> tuple[str, str]:
    """Return the id of the incident that is meant, and how to call it."""
    if id is not None:
        return require_id(id), f"incident {id}"
    open_incidents = client.incidents({"status": "active"})
    incident = only_subject(open_incidents, "incident", "open", client)
    return incident.id, f'"{incident.title}"'


def list_incidents(context: CommandContext, arguments: Namespace) -> int:
    query = {} if arguments.all else {"status": "active"}
    with connected(context, arguments) as client:
        incidents = client.incidents(query)
    nothing = f"There are no {'' if arguments.all else 'open '}incidents."
    return print_list(context, arguments, incidents, COLUMNS, nothing)
