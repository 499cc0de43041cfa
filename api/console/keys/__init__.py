"""Issue, find, change, rotate and revoke API keys."""
