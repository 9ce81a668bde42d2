"""Deals, judges, settles and verifies card rounds with a Referee server; blocking or for asyncio.

The client believes no statement that the server could prove. Each step of a round verifies signatures, proofs,
commitments, cards and payments, and raises ``VerificationError`` if one of them is wrong.

>>> from referee_client import Bet, Terms
>>> terms = Terms(table="t-1", ruleset="ultimate_texas.casino", seats=1, stake=2, bets=[Bet(ante=20, trips=4)])
"""

from referee.cards import DECK, Card, parse_cards, spell
from referee.log.checkpoint import Checkpoint
from referee.transcript.receipted import ReceiptedEvent
from referee_client.abridging import Abridging
from referee_client.aio import AsyncClient
from referee_client.bundle import RoundNotOverError
from referee_client.channel import DEFAULT_TIMEOUT, open_aio_channel, open_channel, service_config, tls_credentials
from referee_client.clock import ClockDifference
from referee_client.errors import (
    BadRequestError,
    ConflictError,
    DataLossError,
    DeniedError,
    NotFoundError,
    NotReadyError,
    RefereeError,
    RoundLapsesError,
    TimedOutError,
    UnavailableError,
    VerificationError,
    WrongSecretsError,
)
from referee_client.event import event_bytes
from referee_client.gathering import Gathering
from referee_client.journal import Journal, RoundJournal
from referee_client.mau_binh import Arrangement, AsyncMauBinhRound
from referee_client.record import RecordError
from referee_client.round import AsyncRound
from referee_client.seat import SeatSecrets
from referee_client.seat_chain import AlreadySignedError, SeatChain, SignedMove
from referee_client.seat_key import load_seat_key, save_seat_key
from referee_client.state import Revealed, Settled, Stage
from referee_client.sync import Client, MauBinhRound, Round, TienLenRound, UltimateTexasRound
from referee_client.terms import Bet, Terms
from referee_client.tien_len import AsyncTienLenRound
from referee_client.trust import Proved, Trust
from referee_client.ultimate_texas import AsyncUltimateTexasRound

__all__ = [
    "DECK",
    "DEFAULT_TIMEOUT",
    "Abridging",
    "AlreadySignedError",
    "Arrangement",
    "AsyncClient",
    "AsyncMauBinhRound",
    "AsyncRound",
    "AsyncTienLenRound",
    "AsyncUltimateTexasRound",
    "BadRequestError",
    "Bet",
    "Card",
    "Checkpoint",
    "Client",
    "ClockDifference",
    "ConflictError",
    "DataLossError",
    "DeniedError",
    "Gathering",
    "Journal",
    "MauBinhRound",
    "NotFoundError",
    "NotReadyError",
    "Proved",
    "ReceiptedEvent",
    "RecordError",
    "RefereeError",
    "Revealed",
    "Round",
    "RoundJournal",
    "RoundLapsesError",
    "RoundNotOverError",
    "SeatChain",
    "SeatSecrets",
    "Settled",
    "SignedMove",
    "Stage",
    "Terms",
    "TienLenRound",
    "TimedOutError",
    "Trust",
    "UltimateTexasRound",
    "UnavailableError",
    "VerificationError",
    "WrongSecretsError",
    "event_bytes",
    "load_seat_key",
    "open_aio_channel",
    "open_channel",
    "parse_cards",
    "save_seat_key",
    "service_config",
    "spell",
    "tls_credentials",
]
