"""Say what was done, on the page that follows; the address has only a name."""

NOTICES = {
    "incident-opened": "The incident is open. The status page shows it in a moment.",
    "incident-updated": "The update is posted. The status page shows it in a moment.",
    "incident-changed": "The incident is changed.",
    "incident-resolved": "The incident is resolved.",
    "signed-out": "You are signed out.",
}
