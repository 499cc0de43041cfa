"""Read what readers send with the forms of the pages for subscribing."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import parse_qsl

from models.notifications.addresses.mail_address import parse_mail_address
from models.notifications.subscriptions.readers import KINDS

MEDIA_TYPE = "application/x-www-form-urlencoded"
MAX_BODY_BYTES = 64 * 1024
MAX_FIELDS = 4000


class BadForm(Exception):
    """A form that cannot be read; the message is for whoever sent it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class FormProblem(NamedTuple):
    """What the reader must correct, and the field of the form that it is about."""

    field: str
    text: str


@dataclass(frozen=True)
class Choices:
    """The services and kinds of events that a reader has ticked."""

    services: list[str]
    kinds: list[str]

    def problem(self, known_services: Collection[str]) -> FormProblem | None:
        """Return what the reader must correct, None if nothing."""
        if not set(self.services) <= set(known_services):
            text = "One of the services is not on the status page any more."
            return FormProblem("service", text)
        if not self.kinds or not set(self.kinds) <= set(KINDS):
            return FormProblem("kind", "Choose incidents, maintenance or both.")
        return None


def read_form(media_type: str, body: bytes) -> dict[str, list[str]]:
    """Return the values of each field; raise BadForm if it is not a form."""
    if media_type != MEDIA_TYPE:
        raise BadForm(415, f"A form must be sent as {MEDIA_TYPE}.")
    if len(body) > MAX_BODY_BYTES:
        raise BadForm(413, "The form is too large.")
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError:
        raise BadForm(400, "The form cannot be read.") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields


def read_choices(fields: dict[str, list[str]]) -> Choices:
    # The form for all services has a field for them without a value.
    services = [slug for slug in fields.get("service", []) if slug]
    return Choices(services, fields.get("kind", []))


def address_problem(address: str) -> FormProblem | None:
    """Return why nobody can receive mails at the address, None if somebody may."""
    if not address.strip():
        return FormProblem("email", "Enter your email address.")
    try:
        parse_mail_address(address)
    except ValueError as error:
        return FormProblem("email", str(error))
    return None
