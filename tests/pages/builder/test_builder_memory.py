"""The memory that a builder keeps from build to build."""

import gc
import tracemalloc

import pytest

from sitegen.builder.builder import Builder
from sitegen.page import BuildContext
from sitegen.theme.site_theme import site_theme
from tests.factories.status import UPDATE_INCIDENT, World

SERVICES, EARLIER, INCIDENTS = "a b c d", 40, 20
# The entries of two files in the manifest, its place in the lists, and its part of
# caches that are not full yet.
BYTES_OF_INCIDENT = 12_000
OURS = [tracemalloc.Filter(True, f"*/{folder}/*") for folder in ("models", "sitegen")]


@pytest.fixture
def builder(store, settings, clock):
    theme, memory = site_theme(settings), {}
    return Builder(
        ["status"],
        clock,
        lambda: BuildContext(clock(), settings, theme, process_cache=memory),
    )


@pytest.fixture
def no_collector():
    """Disable garbage collection at random times."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def resolve_incidents(api, clock):
    world = World(api, clock)
    for slug in SERVICES.split():
        world.service(slug)

    def resolve(count):
        for _ in range(count):
            id = world.incident(SERVICES)
            api(UPDATE_INCIDENT, {"id": id, "status": "resolved"})

    return resolve


def traced_memory():
    traces = tracemalloc.take_snapshot().filter_traces(OURS).traces
    return sum(trace.size for trace in traces)


@pytest.mark.nightly
def test_memory_of_resolved_incidents(resolve_incidents, builder, no_collector):
    """
    A builder keeps little memory for a resolved incident, however many there were on
    its day and however often its pages were built.
    """

    resolve_incidents(EARLIER)
    builder._build()
    tracemalloc.start()
    try:
        resolve_incidents(1)
        builder._build()
        before = traced_memory()
        for _ in range(INCIDENTS):
            resolve_incidents(1)
            builder._build()
        after = traced_memory()
    finally:
        tracemalloc.stop()

    assert (after - before) / INCIDENTS <= BYTES_OF_INCIDENT
