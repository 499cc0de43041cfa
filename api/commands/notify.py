"""The command `notify test`: send an e-mail, to see whether notifications arrive."""

from argparse import ArgumentParser, Namespace

from api.notifications.senders import EmailSender
from models.base import new_id
from models.notifications.addresses.mail_address import parse_mail_address
from models.notifications.deliveries.attempts import Attempt
from models.runtime.commands import CommandContext, CommandError

HELP = "test the notifications"


def declare(parser: ArgumentParser) -> None:
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    help = "send an e-mail over the relay"
    others = "subscriptions/test of the API tests others"
    test_parser = commands.add_parser(
        "test", help=help, description=f"{help.capitalize()}; {others}."
    )
    test_parser.set_defaults(run=test)
    test_parser.add_argument(
        "address", metavar="ADDRESS", help="e-mail address that receives it"
    )


def test(context: CommandContext, arguments: Namespace) -> int:
    settings = context.page_settings()
    if arguments.address.startswith(("https:", "http:")):
        raise CommandError(
            "A webhook or chat room is tested by POST"
            " /status/v1/admin/subscriptions/test with the id of its subscription."
        )
    if not settings.smtp:
        raise CommandError(
            "No relay takes e-mail: set MASTHEAD_SMTP and MASTHEAD_MAIL_FROM."
        )
    try:
        to = parse_mail_address(arguments.address)
    except ValueError as error:
        raise CommandError(str(error)) from None
    now = context.clock()
    attempt = Attempt(
        number=1,
        delivery_id=new_id(now),
        subscription_id="",
        channel="email",
        address=to,
        language=None,
        type="subscription.test",
        subject_id="",
        path="",
        data={},
        at=now,
        attempts=1,
    )
    render_message = context.message_renderer(settings)
    sender = EmailSender(settings, context.clock, render_message)
    ((_, outcome),) = sender.send([attempt])
    if not outcome.is_delivered:
        print(f"Not sent. {outcome.answer}")
        return 1
    print(f"The relay accepted the e-mail: {outcome.answer}.")
    return 0
