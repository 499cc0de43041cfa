"""The catalogue of the sample world: the services of a small cloud platform."""

from dataclasses import dataclass

from models.status.services.catalogue import StatusAddService


@dataclass(frozen=True)
class Kind:
    """A service as it is announced, and how fast it usually answers."""

    slug: str
    name: str
    hostname: str
    typical_ms: int
    description: str


GROUPS: dict[str, tuple[Kind, ...]] = {
    "Edge": (
        Kind(
            "api-gateway",
            "API gateway",
            "api.example.com",
            42,
            "Receives every API request, checks its key and applies rate limits.",
        ),
        Kind(
            "cdn",
            "CDN",
            "cdn.example.com",
            14,
            "Caches and delivers static files close to the people who read them.",
        ),
        Kind(
            "dns",
            "DNS",
            "ns1.example.com",
            9,
            "Authoritative name servers for customer domains.",
        ),
    ),
    "Core": (
        Kind(
            "accounts",
            "Accounts",
            "accounts.example.com",
            66,
            "Sign-in, sessions, teams and permissions.",
        ),
        Kind(
            "billing",
            "Billing",
            "billing.example.com",
            88,
            "Invoices, payment methods and usage reports.",
        ),
        Kind(
            "notifications",
            "Notifications",
            "notify.example.com",
            53,
            "Sends e-mail, webhooks and in-app messages.",
        ),
    ),
    "Data": (
        Kind(
            "object-storage",
            "Object storage",
            "storage.example.com",
            47,
            "Keeps files of any size in buckets, in three data centres each.",
        ),
        Kind(
            "managed-postgresql",
            "Managed PostgreSQL",
            "postgres.example.com",
            18,
            "Databases with replicas, backups and point-in-time recovery.",
        ),
        Kind(
            "search",
            "Search",
            "search.example.com",
            72,
            "Full-text search over customer data, updated as the data changes.",
        ),
        Kind(
            "queues",
            "Queues",
            "queues.example.com",
            21,
            "Durable message queues with delivery at least once.",
        ),
    ),
    "Developers": (
        Kind(
            "dashboard",
            "Dashboard",
            "dashboard.example.com",
            138,
            "The web console for projects, usage and settings.",
        ),
        Kind(
            "git-hosting",
            "Git hosting",
            "git.example.com",
            95,
            "Repositories over HTTPS and SSH, with reviews.",
        ),
        Kind(
            "ci-runners",
            "CI runners",
            "ci.example.com",
            116,
            "Builds and tests every push on machines made for the occasion.",
        ),
    ),
}

KINDS = tuple(kind for kinds in GROUPS.values() for kind in kinds)
PROBES = ("probe-fra", "probe-iad")


def announcements() -> list[StatusAddService]:
    """Return the requests that add the services, with gaps in the display order."""
    listed = [(group, kind) for group, kinds in GROUPS.items() for kind in kinds]
    return [
        StatusAddService(
            slug=kind.slug,
            name=kind.name,
            description=kind.description,
            hostname=kind.hostname,
            group=group,
            display_order=10 * place,
        )
        for place, (group, kind) in enumerate(listed, start=1)
    ]
