"""Connections within a time limit."""

import socket

from api.client.deadline import Deadline


def test_address_of_a_family_that_the_system_lacks():
    """An address that the system has no sockets for is passed over for the next."""
    server = socket.create_server(("127.0.0.1", 0))
    lacking = (socket.AF_IPX, ("::1", 80, 0, 0))
    ours = (socket.AF_INET, server.getsockname())

    with server, Deadline(10) as deadline:
        connection = deadline.connect_to([lacking, ours])
        address = connection.getpeername()
        connection.close()

    assert address == ours[1]
