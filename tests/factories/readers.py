"""An application with the subscription pages, and its readers."""

from dataclasses import replace

from api.http.application import create_app
from models.notifications.rows import DeliveryRow, SubscriptionRow
from models.notifications.subscriptions.readers import kinds_of
from models.notifications.subscriptions.secrets import token_of
from sitegen.theme.site_theme import reader_page_renderer

MAIL = {
    "smtp": "smtp+plain://127.0.0.1:2525",
    "mail_from": "Status <status@example.com>",
}
BOTH = ["incidents", "maintenance"]
ADA = "ada@example.com"


def app_for_readers(settings, clock):
    """Return the application, by default with a mail relay."""
    return create_app(
        settings,
        clock=clock,
        render_page=reader_page_renderer(settings),
        client_limiter=clock.limiter(),
    )


class Reader:
    """A reader with a browser, behind a proxy that sends the client address."""

    def __init__(self, settings, clock, **changes):
        result = replace(settings, **(MAIL | changes))
        self.client = app_for_readers(result, clock).test_client()

    def api(self, email=ADA, kind=BOTH, service=(), address=None, **more):
        headers = {"X-Forwarded-For": address} if address else {}
        form = {"email": email, "kind": kind, "service": list(service)} | more
        return self.client.post("/subscribe", data=form, headers=headers)

    def get(self, page, token=None, **more):
        return self.client.get(self.path(page, token), **more)

    def post(self, page, token=None, **more):
        return self.client.post(self.path(page, token), **more)

    def confirm(self):
        """Confirm what the page shows, as its form does."""
        row = newest()
        form = {"kind": kinds_of(row), "service": row.services}
        return self.post("confirm", data=form)

    def path(self, page, token=None):
        if token is None:
            purpose = "confirm" if page == "confirm" else "manage"
            token = token_of(newest().id, purpose)
        return f"/subscribe/{page}/{token}"


def newest():
    return SubscriptionRow.select().order_by(SubscriptionRow.id.desc()).get()


def states():
    rows = SubscriptionRow.select().order_by(SubscriptionRow.id)
    return [row.state for row in rows]


def mails():
    return DeliveryRow.select().count()
