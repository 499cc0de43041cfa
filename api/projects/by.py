"""Who a change in Area A is put down to."""

from api.operation import Call
from models.projects.words import By


def by(call: Call) -> By:
    """Return the account or key that acts, and the request in which it does."""
    actor = call.caller.actor
    return By(actor.type, actor.id, call.request_id, call.about)
