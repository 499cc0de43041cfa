"""Serve the console: the pages on which people use the operations of the API."""
