"""Download the JSON documents of another status page."""

from collections.abc import Iterable
from urllib.parse import urljoin, urlsplit

from api.client.deadline import Deadline
from api.client.http_request import (
    REQUEST_ERRORS,
    HttpRequest,
    HttpResponse,
    require_safe_url,
    send_request,
)
from models.errors import ValidationFailed

# Limits of a transfer: of all documents and redirects together.
MAX_SECONDS = 60
MAX_BYTES = 32_000_000
MAX_REDIRECTS = 3
HEADERS = {"User-Agent": "masthead", "Accept": "application/json"}


def fetch_documents(base_url: str, names: Iterable[str]) -> dict[str, str]:
    """
    Return the text of each document below the URL, by name.

    Raise ValidationFailed if one is missing, or if the transfer exceeds its limits.
    Redirects are followed only within the same host.
    """
    base_url = base_url.rstrip("/")
    require_safe_url(base_url, "status page")
    with Deadline(MAX_SECONDS) as deadline:
        transfer = _Transfer(base_url, deadline)
        return {name: transfer.fetch_text(name) for name in names}


class _Transfer:
    """The requests for the documents of one page, which share time and bytes."""

    def __init__(self, base_url: str, deadline: Deadline) -> None:
        self._base_url = base_url
        self._deadline = deadline
        self._bytes_left = MAX_BYTES

    def fetch_text(self, name: str) -> str:
        url = current_url = f"{self._base_url}/{name}"
        for _ in range(MAX_REDIRECTS + 1):
            response = self._get(current_url)
            if response.location is None:
                return _text_of(response, url)
            redirect_url = urljoin(current_url, response.location)
            if urlsplit(redirect_url)[:2] != urlsplit(url)[:2]:
                raise ValidationFailed(
                    f"{url} redirects to {redirect_url}, which is on another host."
                )
            current_url = redirect_url
        raise ValidationFailed(f"{url} redirects more than {MAX_REDIRECTS} times.")

    def _get(self, url: str) -> HttpResponse:
        request = HttpRequest(url, headers=HEADERS, max_body_bytes=self._bytes_left + 1)
        try:
            response = send_request(request, self._deadline)
        except REQUEST_ERRORS as error:
            raise ValidationFailed(self._describe(url, error)) from None
        self._bytes_left -= len(response.body)
        if self._bytes_left < 0:
            raise ValidationFailed(
                f"{self._base_url} has more than {MAX_BYTES} bytes. Save its documents"
                " to a folder, and import the folder."
            )
        return response

    def _describe(self, url: str, error: Exception) -> str:
        if self._deadline.is_over:
            return (
                f"{self._base_url} took more than {MAX_SECONDS:g} seconds to send its"
                " documents. Save them to a folder, and import the folder."
            )
        return f"{url} cannot be read: {self._deadline.describe(error)}."


def _text_of(response: HttpResponse, url: str) -> str:
    if response.status != 200:
        raise ValidationFailed(f"{url} returned {response.status}, not 200.")
    try:
        return response.body.decode()
    except UnicodeDecodeError:
        raise ValidationFailed(f"{url} is not text in UTF-8.") from None
