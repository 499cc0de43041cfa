"""What an instance records at its start for later commands."""

from dataclasses import replace

from models.instance import last_site_url
from models.runtime.startup import record_site_url


def test_last_site_url(store, settings):
    """Commands that build pages know the URL at which the site was last served."""
    first, second = (replace(settings, site_url=f"http://{n}.example") for n in "ab")
    before = last_site_url()

    record_site_url(first)
    record_site_url(second)

    assert before is None
    assert last_site_url() == second.site_url


def test_same_site_url_again(store, settings, raw_database):
    """
    An unchanged URL is not written again, so that a server can restart on a full disk.
    """
    record_site_url(settings)

    with raw_database.writing_elsewhere():
        record_site_url(settings)
