"""The server's certificate for browsers: what the section ``[tls]`` names, taken up when its files change.

The law: one pair for every way in. A pair that cannot be served with, such as one half written, changes nothing: the
one before goes on, and the log says so. Connections that stand keep the pair that they began with. Browsers are not
asked for a certificate; who they are they show with a token.
"""

import ssl

import structlog

from referee.server.tls import ServedCertificate, TlsSettings

_log = structlog.get_logger("referee.web")


class WebCertificate:
    """What browsers are shown. TlsFileError where the files cannot be served with now."""

    def __init__(self, settings: TlsSettings) -> None:
        self._settings = settings
        self._files = ServedCertificate(settings)
        self._context = self._loaded()
        self._is_stale = False

    def context(self) -> ssl.SSLContext:
        """What a port is opened with; every handshake takes the pair that counts then."""
        outer = self._loaded()
        outer.sni_callback = self._choose
        return outer

    def _choose(self, connection: ssl.SSLObject, _name: str | None, _context: ssl.SSLContext) -> None:
        self._is_stale = self._files.renewed() is not None or self._is_stale
        if self._is_stale:
            try:
                self._context = self._loaded()
                self._is_stale = False
            except (OSError, ValueError) as error:  # changed again meanwhile
                _log.warning("certificate not taken up by the door for browsers", error=str(error))
        connection.context = self._context

    def _loaded(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(self._settings.certificate, self._settings.key)
        return context
