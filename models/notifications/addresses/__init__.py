"""Judge the addresses of subscriptions, and of the mail relay."""
