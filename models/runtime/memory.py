"""
Limit the free memory that the C library keeps for a process.

glibc gives threads heaps ("arenas") of their own, up to eight for each core, and keeps
what was freed in them for later. It also raises its threshold for large blocks to the
size of the largest that was freed, up to 32 MB, and from then on takes such blocks
from the arenas, where a small block behind them keeps them from being returned. A
server that had handled texts of 400 KB kept up to 398 MB of free memory in this way.
"""

import ctypes

# The numbers of the parameters in glibc's malloc.h.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD, M_ARENA_MAX = -1, -3, -8
MAX_ARENAS = 2
# The size from which a block is returned to the system as soon as it is freed; setting
# it also stops glibc from raising it.
LARGE_BLOCK_BYTES = 128 * 1024


def limit_free_memory() -> None:
    """
    Set the limits for this process; call it before threads are started.

    C libraries without these parameters, such as musl, are left as they are.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(M_ARENA_MAX, MAX_ARENAS)
        mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES)
        mallopt(M_TRIM_THRESHOLD, LARGE_BLOCK_BYTES)
