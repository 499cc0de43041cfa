"""Processes that a test interrupts, however the tests themselves were started."""

import signal


def heed_interrupts():
    """
    End by Ctrl-C, and with the terminal; for `preexec_fn` of a process.

    A process inherits that SIGINT or SIGHUP is ignored, as it is for what a script or
    nohup runs in the background, and a command of ours goes on ignoring it.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
