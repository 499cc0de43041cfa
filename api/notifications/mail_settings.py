"""Compose what mails need from the settings."""

from api.notifications.mail_sender import MailSender
from models.colours import accent_pair
from models.notifications.addresses.mail_relay import parse_mail_relay, parse_mailbox
from models.notifications.messages.mail_message import MailSite
from models.settings import Settings


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
