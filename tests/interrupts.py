"""Processes that a test interrupts, however the tests themselves were started."""

import signal


def heed_interrupts():
    """
    End by Ctrl-C; for `preexec_fn` of a process.

    A process inherits that SIGINT is ignored, as it is for what a script or nohup
    runs in the background, and a command of ours goes on ignoring it.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
