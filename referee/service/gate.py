"""Who may pass: asked before a call waits, when a thread takes it up, and once its request is read.

The law: what is cheap to know is asked first, so that a call that will be refused costs the others no room in the
queue. Proving a token for the first time is not cheap, and is done on the call's own thread.
"""

from typing import Protocol

import grpc
from google.protobuf.message import Message

from referee.service.call import Call


class Gate(Protocol):
    """Raises RefusedError for whoever may not pass, and writes into the call who it is."""

    def knock(self, call: Call, credentials: str) -> None:
        """Nothing, unless the call is to be refused by what is known of it at once."""

    def enter(self, call: Call, credentials: str, context: grpc.ServicerContext) -> None:
        """Nothing, once the caller has proved to be one who may ask this method."""

    def ask(self, call: Call, request: Message) -> None:
        """Nothing, where everything that the request names is the caller's to name."""
