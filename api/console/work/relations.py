"""Say how work items are related, from the side of one of them."""

PHRASES = {
    ("blocks", "outgoing"): "Blocks",
    ("blocks", "incoming"): "Blocked by",
    ("supersedes", "outgoing"): "Supersedes",
    ("supersedes", "incoming"): "Superseded by",
}
MUTUAL = {"related_to": "Related to", "duplicates": "Duplicate of"}


def relation_phrase(relationship: str, direction: str) -> str:
    mutual = MUTUAL.get(relationship, relationship)
    return PHRASES.get((relationship, direction), mutual)
