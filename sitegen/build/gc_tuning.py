"""Looking for what nobody needs any more, less often than Python would."""

import gc

# What a page is made with goes with one: more of them would take more memory.
MANY_OBJECTS = 5_000


def collect_seldom() -> None:
    """
    Look for cycles among objects less often, and not among what is loaded.

    A build makes them by the thousand and lets them go: to look as often as usual
    takes a twentieth of the time and finds none.
    """
    gc.freeze()
    gc.set_threshold(MANY_OBJECTS)
