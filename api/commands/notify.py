"""The command `notify test`: send an e-mail, to see whether notifications arrive."""

from argparse import ArgumentParser, Namespace

from api.notifications.email_channel import mail_sender_of, mail_site_of
from api.notifications.languages import locale_for
from models.base import new_id
from models.notifications.addresses.mail_address import parse_mail_address
from models.notifications.messages.mail_message import trial_mail
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
    mail = trial_mail(
        site=mail_site_of(settings),
        locale=locale_for(settings),
        to=to,
        id=new_id(now),
        now=now,
    )
    with mail_sender_of(settings) as sender:
        outcome = sender.send(mail, to)
    if not outcome.is_delivered:
        print(f"Not sent. {outcome.answer}")
        return 1
    print(f"The relay accepted the e-mail: {outcome.answer}.")
    return 0
