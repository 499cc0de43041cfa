"""Build what each channel sends, from an event."""
