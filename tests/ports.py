"""Ports of this machine: one that is free, and one where our server listens."""

import socket
import threading
from contextlib import contextmanager, suppress
from random import SystemRandom

from api.http.application import BODY_LIMITS, CREDENTIAL_OF, LOOK_UPS
from api.http.body_limits import refuse_large_body
from api.http.clients import bearer_credential
from api.http.server.server import limited_server

# Below the ports that systems give to outgoing connections, one of which could
# otherwise take the port between our check and the start of the server.
LOWEST, HIGHEST = 10_000, 30_000


def free_port():
    """
    Return a port on which no process listens, and which no other process will get.
    """
    while True:
        # Tests run beside each other, each with its own draw.
        port = SystemRandom().randint(LOWEST, HIGHEST)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


@contextmanager
def served(app, threads):
    """Serve an application with our limits; yield its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    known = getattr(app, "extensions", {})
    server = limited_server(
        app,
        listener,
        threads=threads,
        admit_body=known.get(BODY_LIMITS, refuse_large_body),
        credential_of=known.get(CREDENTIAL_OF, bearer_credential),
        look_ups=known.get(LOOK_UPS, ()),
    )
    loop = threading.Thread(target=server.run)
    loop.start()
    try:
        yield listener.getsockname()[1]
    finally:
        # Before the objects that they wake are closed.
        server.task_dispatcher.shutdown()
        server.stop()
        loop.join()
        for channel in list(server.active_channels.values()):
            channel.handle_close()
        server.close()
