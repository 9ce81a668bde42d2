"""The door for browsers, which cannot speak gRPC: gRPC-Web, Connect and JSON over HTTP, beside a page's files.

Needs the extra ``web``. What it is set by stands in ``referee.server.web``, which needs nothing.
"""

from referee.web.forward import Behind
from referee.web.gateway import Gateway

__all__ = ["Behind", "Gateway"]
