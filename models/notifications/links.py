"""Address the pages on which readers confirm, change and end their subscriptions."""

from models.notifications.secrets import token_of

SUBSCRIBE = "/subscribe"
CONFIRM = f"{SUBSCRIBE}/confirm/"
MANAGE = f"{SUBSCRIBE}/manage/"
END = f"{SUBSCRIBE}/end/"


def confirm_url(origin: str, subscription_id: str) -> str:
    """Return the URL that a mail asks for confirmation with; `origin` is the API's."""
    return origin + CONFIRM + token_of(subscription_id, "confirm")


def manage_url(origin: str, subscription_id: str) -> str:
    """Return the URL of the page on which a reader changes or ends a subscription."""
    return origin + MANAGE + token_of(subscription_id, "manage")


def end_url(origin: str, subscription_id: str) -> str:
    """Return the URL that a mail program ends the subscription at (RFC 8058)."""
    return origin + END + token_of(subscription_id, "manage")
