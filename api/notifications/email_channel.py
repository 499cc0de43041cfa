"""Send e-mail: notices, and messages about a subscription itself."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime

from api.notifications.languages import locale_for
from api.notifications.mail_sender import MailSender
from models.colours import accent_pair
from models.logs import LogLine
from models.notifications.addresses.mail_relay import parse_mail_relay, parse_mailbox
from models.notifications.deliveries.dispatch import Attempt
from models.notifications.deliveries.outcomes import Outcome
from models.notifications.event_types import EVENT_TYPES
from models.notifications.messages.mail_message import (
    MailSite,
    confirmation_mail,
    mail_of,
    management_mail,
    trial_mail,
)
from models.notifications.messages.message_text import ParseMessage
from models.notifications.messages.notice import notice_of
from models.notifications.subscriptions.links import CONFIRM, END, MANAGE
from models.notifications.subscriptions.readers import CONFIRM_WITHIN
from models.settings import Settings

log = logging.getLogger("masthead.notifications")

# Relays close a connection after some mails, and limit how many are open.
BATCH_SIZE = 50
MAX_BATCHES = 4


class EmailSender:
    """Sends the e-mail of a batch over one connection to the relay."""

    def __init__(
        self,
        settings: Settings,
        clock: Callable[[], datetime],
        parse: ParseMessage,
    ) -> None:
        self._settings, self._clock, self._parse = settings, clock, parse
        self._site = mail_site_of(settings)

    def send(self, batch: Sequence[Attempt]) -> Iterator[tuple[Attempt, Outcome]]:
        with mail_sender_of(self._settings) as relay:
            for attempt in batch:
                yield attempt, self._send(attempt, relay)

    def _send(self, attempt: Attempt, relay: MailSender) -> Outcome:
        try:
            mail = self._mail(attempt)
        except Exception:
            # A bug, which must not fail the other mails of the batch.
            log.exception(LogLine(notifications="failed", channel="email"))
            detail = "The e-mail could not be assembled."
            return Outcome(is_delivered=False, answer=detail, is_internal=True)
        return relay.send(mail, attempt.address)

    def _mail(self, attempt: Attempt) -> bytes:
        origin, site, to = self._settings.subscribe_origin, self._site, attempt.address
        id, now, token = attempt.delivery_id, self._clock(), attempt.token
        manage_url = origin + MANAGE + token
        locale = locale_for(self._settings, attempt.language)
        if attempt.type == "subscription.confirm":
            return confirmation_mail(
                site=site,
                locale=locale,
                to=to,
                id=id,
                now=now,
                confirm_url=origin + CONFIRM + token,
                days=CONFIRM_WITHIN.days,
            )
        if attempt.type == "subscription.manage":
            return management_mail(
                site=site,
                locale=locale,
                to=to,
                id=id,
                now=now,
                manage_url=manage_url,
            )
        if attempt.type not in EVENT_TYPES:
            return trial_mail(site=site, locale=locale, to=to, id=id, now=now)
        data = attempt.data_at(site.url)
        notice = notice_of(attempt.type, data, site.name, attempt.at, attempt.told_at)
        return mail_of(
            notice,
            self._parse(notice.text, locale, site.url),
            site=site,
            locale=locale,
            to=to,
            delivery_id=id,
            in_reply_to=attempt.thread_id,
            now=now,
            manage_url=manage_url,
            end_url=origin + END + token,
        )


def mail_site_of(settings: Settings) -> MailSite:
    """Return the site that mails are about; MASTHEAD_SMTP must be set."""
    return MailSite(
        name=settings.site_name,
        url=settings.site_url,
        sender=parse_mailbox(settings.mail_from),
        accent=accent_pair(settings.accent_colour),
    )


def mail_sender_of(settings: Settings) -> MailSender:
    """Return a sender for one batch; MASTHEAD_SMTP must be set."""
    return MailSender(
        parse_mail_relay(settings.smtp),
        parse_mailbox(settings.mail_from),
        password_file=settings.smtp_password_file,
        networks=settings.notify_networks,
    )
