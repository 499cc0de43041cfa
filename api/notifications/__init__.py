"""Send notifications: by webhook, to chat rooms and by mail."""
