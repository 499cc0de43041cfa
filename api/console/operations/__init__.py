"""Offer every operation of the API as a form."""
