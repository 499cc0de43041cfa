"""
Name what a write locks: its area of the data, from its beginning until its commit.

SQLite has one writer at a time. In PostgreSQL each lock is an advisory lock of the
transaction, so that an import of documents does not hold up the status page. A mutation
of the API takes the lock of the area in its address, unless its declaration names
others; every other write names its locks, or takes all.

Whatever a rule reads in its own area stays as it is until the commit: names that must
be free, numbers without a gap, limits, roles, versions, the end of an audit chain, and
the stored response of an Idempotency-Key. What a write gets in its area therefore grows
in the order of commits: instants (models/instants.py) and numbers of activity, of which
a poll misses none. tests/servers/ stops one of two writers before each of its
statements, and checks that the rules hold.
"""

from enum import Flag, auto


class WriteLock(Flag):
    """
    A set of locks. Every write takes them in this order, so no two wait for each other.

    Documents come first, because their imports take longest: what waits for one holds
    no other lock. The last one is also taken by a write that marks a site area as
    outdated, when it does so (models/changes.py).
    """

    PROJECTS = auto()
    # API keys, and sessions of the console.
    PLATFORM = auto()
    # Subscriptions and deliveries.
    NOTIFICATIONS = auto()
    # Samples and their sources: operators do not wait for batches.
    MEASUREMENTS = auto()
    # Services, incidents and maintenance.
    STATUS = auto()
    # What the builder records, and the generations of the site.
    BUILDS = auto()

    ALL = PROJECTS | PLATFORM | NOTIFICATIONS | MEASUREMENTS | STATUS | BUILDS
