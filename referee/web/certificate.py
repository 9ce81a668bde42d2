"""The server's certificate for browsers: section ``[tls]``, renewed when its files change.

Invalid files leave the pair in use and are logged; open connections keep theirs. Browsers are authenticated by token,
not by certificate.
"""

import ssl

import structlog

from referee.evidence.printable import error_words
from referee.server.process.certificate import ServedCertificate
from referee.server.settings.tls import TlsSettings

_log = structlog.get_logger("referee.web")


class WebCertificate:
    """Certificate for browsers; raises TlsFileError where the files cannot be served."""

    def __init__(self, settings: TlsSettings) -> None:
        self._settings = settings
        self._files = ServedCertificate(settings)
        self._context = self._loaded()
        self._is_stale = False

    def context(self) -> ssl.SSLContext:
        """Return the context of a port; each handshake uses the pair then in use."""
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
                _log.warning("certificate not renewed by the gateway", error=error_words(error))
        connection.context = self._context

    def _loaded(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.load_cert_chain(self._settings.certificate, self._settings.key)
        return context
