"""Mail relays on this machine that accept, reject, hang and crash."""

import socket
from contextlib import contextmanager, suppress
from threading import Thread

from aiosmtpd.controller import Controller

from tests.ports import free_port

ACCEPTED = "250 2.0.0 Ok: queued"


class Relay:
    """
    A handler of aiosmtpd that stores what it receives.

    `replies` has the replies to MAIL, RCPT and DATA: a single one, or a list with one
    for each time, of which the last is repeated. None closes the connection instead.
    """

    def __init__(self, replies=None):
        self.replies = replies or {}
        self.port = None
        # The content and the envelope of each email that was accepted, or lost.
        self.mails, self.envelopes, self.sessions, self.commands = [], [], [], []

    @property
    def connections(self):
        return len(self.sessions)

    def reply(self, server, command):
        self.commands.append(command)
        reply = self.replies.get(command, ACCEPTED)
        if isinstance(reply, list):
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if reply is None:
            server.transport.abort()
        return reply or ACCEPTED

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        if session.peer not in self.sessions:
            self.sessions.append(session.peer)
        session.host_name = hostname
        return responses

    async def handle_RSET(self, server, session, envelope):
        return self.reply(server, "RSET")

    async def handle_MAIL(self, server, session, envelope, address, options):
        envelope.mail_from, envelope.mail_options = address, options
        return self.reply(server, "MAIL")

    async def handle_RCPT(self, server, session, envelope, address, options):
        reply = self.reply(server, "RCPT")
        if reply == ACCEPTED:
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server, session, envelope):
        self.mails.append(envelope.content)
        self.envelopes.append(envelope)
        return self.reply(server, "DATA")


@contextmanager
def relaying(relay, **options):
    """Run the relay, with options of aiosmtpd's server, and set its port."""
    relay.port = free_port()
    # An address instead of a name: aiosmtpd would look up the name of this machine.
    options = {"hostname": "127.0.0.1", "port": relay.port, "ident": "relay"} | options
    controller = Controller(relay, server_hostname="127.0.0.1", **options)
    controller.start()
    try:
        yield relay
    finally:
        controller.stop()


@contextmanager
def speaking(converse):
    """
    Call `converse(connection)` with each connection; yield the port and the
    connections.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    connections = []

    def accept():
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connections.append(connection)
                Thread(target=serve, args=[connection], daemon=True).start()

    def serve(connection):
        with suppress(OSError), connection:
            converse(connection)

    Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1], connections
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
