"""The start of an instance: what it leaves for the commands beside it."""

from dataclasses import replace

from models.runtime.commands import with_last_site_url
from models.runtime.startup import record_site_url


def test_last_address_served(store, settings):
    """Commands that make pages use it, and their own until there is one."""
    first, second = (replace(settings, site_url=f"http://{n}.example") for n in "ab")
    before = with_last_site_url(settings)

    record_site_url(first)
    record_site_url(second)

    assert before.site_url == settings.site_url
    assert with_last_site_url(settings) == second


def test_same_address_again(store, settings, engine):
    """Then nothing is written, since the disk may be full when a server restarts."""
    record_site_url(settings)

    with engine.writing_elsewhere():
        record_site_url(settings)
