"""The commands `maintenance …`: plan, end, cancel and list windows of a server."""

import re
from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime, timedelta
from typing import Any

from api.client.status_page import StatusPageClient, Subject, require_id
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
from models.site_addresses import maintenance_address

HELP = "plan, end and list maintenance windows of a server"

COLUMNS = {
    "id": "id",
    "status": "status",
    "starts": "startsAt",
    "ends": "endsAt",
    "title": "title",
}
COMING = ("active", "scheduled")
# The status that a command writes, and those in which a window can take it.
COMPLETE, CANCEL = "completed", "cancelled"
_DURATION = re.compile(r"(?:(\d{1,4})d)?(?:(\d{1,4})h)?(?:(\d{1,4})m)?", re.ASCII)


def declare(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _declare_plan(commands)
    help = "end a maintenance window that is active"
    _declare_end(commands, "end", help, end_maintenance, "active")
    help = "cancel a maintenance window"
    _declare_end(commands, "cancel", help, cancel_maintenance, "scheduled")
    help = "list the active and scheduled maintenance windows of a server"
    list_parser = add_parser(commands, "list", help, list_maintenance)
    list_parser.add_argument(
        "--all", action="store_true", help="list past and cancelled windows, too"
    )


def _declare_plan(commands: Any) -> None:
    help = "plan a maintenance window on the status page of a server, and print its id"
    parser = add_parser(commands, "plan", help, plan_maintenance)
    parser.add_argument("title", metavar="TITLE", help="title, one line")
    add_service_option(parser, "slug of an affected service", required=True)
    parser.add_argument(
        "--starts",
        required=True,
        metavar="TIME",
        help="start: a time with an offset, such as 2026-03-01T22:00Z or"
        " 2026-03-01T22:00+01:00; now; or from now, such as +30m",
    )
    end = parser.add_mutually_exclusive_group(required=True)
    end.add_argument("--ends", metavar="TIME", help="end: a time as for --starts")
    end.add_argument(
        "--for",
        dest="duration",
        metavar="DURATION",
        help="duration, such as 90m, 2h, 1h30m or 1d",
    )
    add_message_option(parser, "what readers should know")
    add_notify_option(parser)
    add_change_options(parser)


def _declare_end(commands: Any, name: str, help: str, run: Any, state: str) -> None:
    parser = add_parser(commands, name, help, run)
    add_id_argument(parser, "window", state)
    add_notify_option(parser)
    add_change_options(parser)


def plan_maintenance(context: CommandContext, arguments: Namespace) -> int:
    starts_at, ends_at = _times(arguments, context.clock())
    message = message_of(arguments)
    body = {
        "title": arguments.title,
        "services": arguments.service,
        "startsAt": _shown(starts_at),
        "endsAt": _shown(ends_at),
        **({"description": message} if message else {}),
        **notify_field(arguments),
    }
    with connected(context, arguments) as client:
        # A repeat is the same request only with the same times.
        times = f"--starts {body['startsAt']} --ends {body['endsAt']}"
        client.repeat_with.append(f"{times} instead of the times of this one")
        (data,) = client.make(("maintenance/add", body))
        id = Subject.parse(data).id
        steps = {
            "To cancel it": f"maintenance cancel {id}",
            "To end it early": f"maintenance end {id}",
        }
        result = ChangeResult(
            id,
            maintenance_address(id),
            f'Planned "{arguments.title}": {body["startsAt"]} to {body["endsAt"]}.',
            {"maintenance": data},
            steps,
            is_new=True,
        )
    return report_change(context, arguments, client, result)


def _times(arguments: Namespace, now: datetime) -> tuple[datetime, datetime]:
    """Return when the window starts and ends; raise CommandError if that is past."""
    starts_at = parse_time("--starts", arguments.starts, now)
    if arguments.duration is not None:
        try:
            ends_at = starts_at + parse_duration("--for ", arguments.duration)
        except OverflowError:
            raise CommandError("The window would end after the year 9999.") from None
    else:
        ends_at = parse_time("--ends", arguments.ends, now)
    if ends_at <= now:
        raise CommandError(f"The window would end in the past: {_shown(ends_at)}.")
    return starts_at, ends_at


def end_maintenance(context: CommandContext, arguments: Namespace) -> int:
    return _set_status(context, arguments, COMPLETE)


def cancel_maintenance(context: CommandContext, arguments: Namespace) -> int:
    return _set_status(context, arguments, CANCEL)


def _set_status(context: CommandContext, arguments: Namespace, status: str) -> int:
    with connected(context, arguments) as client:
        window = _subject(client, arguments.id, status)
        done = "Ended" if status == COMPLETE else "Cancelled"
        answers = {}
        if window.status == status:
            sentence = f'"{window.title}" was {status} before; nothing was changed.'
        else:
            _require_possible(window, status)
            change = {"id": window.id, "status": status} | notify_field(arguments)
            (answers["maintenance"],) = client.make(("maintenance/update", change))
            sentence = f'{done} "{window.title}".'
        result = ChangeResult(
            window.id, maintenance_address(window.id), sentence, answers
        )
    return report_change(context, arguments, client, result)


def _subject(client: StatusPageClient, id: str | None, status: str) -> Subject:
    if id is not None:
        return client.window_with_id(require_id(id))
    state = "active" if status == COMPLETE else "scheduled"
    windows = client.windows({"status": state})
    return only_subject(windows, "maintenance window", state, client)


def _require_possible(window: Subject, status: str) -> None:
    if window.status in ("completed", "cancelled"):
        raise CommandError(f'The window "{window.title}" is {window.status} already.')
    if status == COMPLETE and window.status == "scheduled":
        raise CommandError(
            f'The window "{window.title}" starts only at {window.text("startsAt")}. To'
            f" cancel it, run app.py maintenance cancel {window.id}."
        )


def list_maintenance(context: CommandContext, arguments: Namespace) -> int:
    queries: list[dict[str, str]] = [{"status": status} for status in COMING]
    with connected(context, arguments) as client:
        windows = [
            window
            for query in ([{}] if arguments.all else queries)
            for window in client.windows(query)
        ]
    state = "" if arguments.all else "active or scheduled "
    nothing = f"There are no {state}maintenance windows."
    return print_list(context, arguments, windows, COLUMNS, nothing)


def parse_time(option: str, text: str, now: datetime) -> datetime:
    """Return the time that an option names; raise CommandError."""
    if text == "now":
        return now
    if text.startswith("+"):
        return now + parse_duration(f"{option} +", text[1:])
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except (ValueError, OverflowError):
        pass
    raise CommandError(
        f"{option} {text} must be a time with an offset, such as 2026-03-01T22:00Z or"
        " 2026-03-01T22:00+01:00, or now, or a time from now such as +30m."
    )


def parse_duration(before: str, text: str) -> timedelta:
    """Return the duration in an option; `before` is what the option has before it."""
    match = _DURATION.fullmatch(text)
    days, hours, minutes = map(int, match.groups(default="0") if match else "000")
    duration = timedelta(days=days, hours=hours, minutes=minutes)
    if not duration:
        raise CommandError(
            f"{before}{text} must be a duration such as 90m, 2h, 1h30m or 1d."
        )
    return duration


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%SZ}"
