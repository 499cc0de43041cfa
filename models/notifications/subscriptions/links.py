"""Name the addresses at which readers confirm, change and end their subscriptions."""

# Each but the first is followed by a token.
SUBSCRIBE = "/subscribe"
CONFIRM = f"{SUBSCRIBE}/confirm/"
MANAGE = f"{SUBSCRIBE}/manage/"
END = f"{SUBSCRIBE}/end/"
