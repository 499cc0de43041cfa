"""Faults around the service have a name, and end without intervention."""
