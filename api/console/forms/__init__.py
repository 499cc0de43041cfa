"""Turn declared operations into forms, and sent forms into requests."""
