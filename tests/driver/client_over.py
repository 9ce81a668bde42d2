"""A client of the SDK over a channel of the test's own, such as one that records or counts."""

import grpc
from referee_client import Client
from referee_client.line import BlockingLine
from referee_client.session import Session


def client_over(channel: grpc.Channel) -> Client:
    """Return a client whose calls take this channel, which stays the caller's to close."""
    client = Client("unix:never-dialled")
    client.channel.close()
    client.channel = channel
    client._session = Session(BlockingLine(channel), None)  # noqa: SLF001 - a client makes its channel itself
    return client
