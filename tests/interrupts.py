"""Processes that a test interrupts, however the tests themselves were started."""

import signal


def heed_interrupts():
    """
    End on Ctrl-C, and with the terminal; for `preexec_fn` of a process.

    A process inherits ignored SIGINT and SIGHUP, which scripts and nohup set for
    background processes, and our commands keep ignoring them.
    """
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
