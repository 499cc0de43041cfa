"""Subscribe operators' tools and readers."""
