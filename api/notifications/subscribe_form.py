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
    """A form that cannot be read; `text` names what whoever sent it is told."""

    def __init__(self, status: int, text: str, **values: str) -> None:
        super().__init__(text)
        self.status, self.text, self.values = status, text, values


class FormProblem(NamedTuple):
    """The field of the form that the reader must correct, and the name of the text."""

    field: str
    text: str


@dataclass(frozen=True)
class Choices:
    """What a reader has chosen: services, kinds of events, the language of mails."""

    services: list[str]
    kinds: list[str]
    language: str | None = None

    def problem(self, known_services: Collection[str]) -> FormProblem | None:
        """Return what the reader must correct, None if nothing."""
        if not set(self.services) <= set(known_services):
            return FormProblem("service", "subscribe.service-unknown")
        if not self.kinds or not set(self.kinds) <= set(KINDS):
            return FormProblem("kind", "subscribe.choose-kind")
        return None


def read_form(media_type: str, body: bytes) -> dict[str, list[str]]:
    """Return the values of each field; raise BadForm if it is not a form."""
    if media_type != MEDIA_TYPE:
        raise BadForm(415, "subscribe.form-type", type=MEDIA_TYPE)
    if len(body) > MAX_BODY_BYTES:
        raise BadForm(413, "subscribe.form-too-large")
    try:
        pairs = parse_qsl(
            body.decode(),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError:
        raise BadForm(400, "subscribe.form-invalid") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields


def read_choices(fields: dict[str, list[str]]) -> Choices:
    # The form for all services has a field for them without a value.
    services = [slug for slug in fields.get("service", []) if slug]
    language = fields.get("language", [""])[0]
    return Choices(services, fields.get("kind", []), language or None)


def address_problem(address: str) -> FormProblem | None:
    """Return why nobody can receive mails at the address, None if somebody may."""
    if not address.strip():
        return FormProblem("email", "subscribe.address-missing")
    try:
        parse_mail_address(address)
    except ValueError:
        return FormProblem("email", "subscribe.address-invalid")
    return None
