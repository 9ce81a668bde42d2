"""The gateway for browsers, which cannot speak gRPC: gRPC-Web, Connect and JSON over HTTP, and a page's files."""

from referee.web.forwarder import Upstream
from referee.web.gateway import Gateway

__all__ = ["Gateway", "Upstream"]
