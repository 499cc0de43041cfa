"""Say what was done, on the page that follows; the address has only a name."""

NOTICES = {
    "incident-opened": "The incident is open. The status page shows it in a moment.",
    "incident-updated": "The update is posted. The status page shows it in a moment.",
    "incident-changed": "The incident is changed.",
    "incident-resolved": "The incident is resolved.",
    "update-corrected": "The entry is corrected. It keeps its time, and says so.",
    "update-removed": "The entry is removed. The timeline says that it was.",
    "signed-out": "You are signed out.",
}
