"""The audit: bytes of a log in, everything that does not hold out.

The law of this room: it believes nothing but two keys. What a log promises is written in ``dealing``, ``log`` and
``transcript``; here the promises are held against its leaves, each fault under a stable code. It knows neither
storage nor networks, nor a clock, and of games only what replays a round and what a hand is worth (``quality``).

==============  ==================================================================================
module          what it says
==============  ==================================================================================
``audit``       the whole: leaves in order, the root, checkpoints, keys, rounds, seeds
``source``      what a log must offer to be read, and what people hold besides
``tiled``       a log read from published tiles, and the tiles held against it
``reading``     a leaf's bytes as envelope, type and payload
``cosigned``    what witnesses say of it
``succession``  which keys sign for the log through its life
``keys``        whose signature counts, at each place of the log
``table``       the order of steps, and what each table did
``single``      one round proved from its bundle, without the log
``round``       one round: signatures, commitments, seeds; ``settlement``, ``redeal``, ``exhibit``
``examiners``   rounds examined here, or by a team: ``processes`` of this machine, a Dask ``cluster``, whose
                workers read the leaves of each ``slip`` themselves
``seeds``       seeds used twice
``level``       how much is proved
``held``        files that people hold; ``promise``, ``secrecy`` and ``street`` say what they show
``population``  what many rounds show together: ``drawing`` and ``quality`` give each round's part,
                ``inquiry`` asks, ``throwaway`` and ``exchange`` count, ``distribution`` and ``chance``
                bound how likely it is, ``score`` judges
``finding``     codes, numbers, severities; ``explanation`` has the words, ``text`` the lines
``report``      what came of it; ``page`` shows it to people
==============  ==================================================================================
"""

from referee.audit.audit import audit_log
from referee.audit.finding import Code, Difference, Finding, Severity
from referee.audit.report import Report
from referee.audit.source import Bundle, Exhibits, LogSource
from referee.audit.tiled import TiledLog

__all__ = [
    "Bundle",
    "Code",
    "Difference",
    "Exhibits",
    "Finding",
    "LogSource",
    "Report",
    "Severity",
    "TiledLog",
    "audit_log",
]
