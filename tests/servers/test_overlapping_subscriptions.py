"""Two writers of subscriptions, one stopped before each of its statements."""

import pytest

from models.audit import broken_links
from models.notifications.rows import SubscriptionRow
from tests.servers.stepwise import interleaved

pytestmark = pytest.mark.postgresql

ADD = "/status/v1/admin/subscriptions/add"


def test_subscription_of_an_address(post, settings):
    """
    If two hosts subscribe one address at once, one is rejected with the existing id.
    """

    def writer(host):
        return lambda at: post(
            host,
            ADD,
            {"channel": "webhook", "address": f"https://tools.example.com/{at}"},
            Idempotency_Key=f"{at}-{host}",
        )

    for at, results, _ in interleaved(settings.database, writer(0), writer(1)):
        assert sorted(status for status, _ in results) == [200, 409]
        address = f"https://tools.example.com/{at}"
        rows = SubscriptionRow.select().where(SubscriptionRow.address == address)
        assert rows.count() == 1
    assert broken_links("status") == []
