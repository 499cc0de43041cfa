"""Say how work items are related, from the side of one of them."""

TEXTS = {
    ("blocks", "outgoing"): "relation.blocks",
    ("blocks", "incoming"): "relation.blocked-by",
    ("supersedes", "outgoing"): "relation.supersedes",
    ("supersedes", "incoming"): "relation.superseded-by",
}


def relation_text(relationship: str, direction: str) -> str:
    """Return the name of the text that says what an item is to the other one."""
    mutual = f"relation.{relationship.replace('_', '-')}"
    return TEXTS.get((relationship, direction), mutual)
