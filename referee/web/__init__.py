"""The door for browsers, which cannot speak gRPC: gRPC-Web, Connect and JSON over HTTP, beside a page's files.

Needs the extra ``web``. What it is set by stands in ``referee.server.web_settings``, which needs nothing.
"""

from referee.web.forwarder import Upstream
from referee.web.gateway import Gateway

__all__ = ["Gateway", "Upstream"]
