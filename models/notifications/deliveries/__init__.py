"""Deliver events to subscriptions, through all attempts."""
