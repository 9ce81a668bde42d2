"""The places that read bytes from outside: how each is fed, and the errors by which it refuses them.

``trusted`` has the functions that parse or count what needs no reader. Together they have every function that
``source_scan`` finds.
"""

import base64
import io
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final

import jwt
import msgspec
from connectrpc.errors import ConnectError
from nacl.signing import SigningKey
from referee_client.checks import read_course, read_transfers
from referee_client.errors import VerificationError, _details_of
from referee_client.record import RecordError, read_record, read_recorded, state_of
from referee_client.seat import SeatSecrets
from referee_client.seat_chain import SeatChain
from referee_client.seat_chain import _members as seat_chain_members
from referee_client.seat_key import load_seat_key
from referee_harness.cases.conform import Program, ProgramError
from referee_harness.control import _object
from referee_harness.refusal import HarnessError
from referee_table.commands import Hello
from referee_table.files import read_file
from referee_table.games import read as read_command
from referee_table.launch import _read_addresses
from referee_table.state import RoomState
from referee_table.stream import _parse
from referee_table.words import RefusedError

from referee.advice.mau_binh.population import HandPopulation, PopulationError
from referee.answered.settings import read_settings as read_answered_settings
from referee.audit import AuditTerms, AuditTime, TrustedKeys
from referee.audit.bundle import BundleError
from referee.audit.bundle import _read as bundle_read
from referee.audit.course import _members
from referee.audit.dispute.case import case_of_bundle
from referee.audit.dispute.held import read_held
from referee.audit.documents import DocumentError, parse_documents, parse_seeds
from referee.audit.page.page import _named
from referee.audit.page.story import _event as story_event
from referee.audit.page.story import _found, _Shown
from referee.audit.receipted_moves import _is_canonical
from referee.audit.round_documents import _opened_in
from referee.cli.replay import _transfers_in
from referee.cli.show import event_line
from referee.dealing.header import Header
from referee.dealing.lead import Winner
from referee.evidence.canonical import CanonicalError, Form, decode
from referee.evidence.dsse import Envelope, EnvelopeError
from referee.evidence.outside import OutsideError, read_message
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.finding import first_difference
from referee.games import GAMES
from referee.games.codec import EventBytesError
from referee.log import Checkpoint, CheckpointError
from referee.log.policy import Policy, PolicyError
from referee.log.receipt import LogReceipt, ReceiptError
from referee.log.submission import AddCheckpoint, SubmissionError, parse_size
from referee.rounds.export import ExportError, _read_state
from referee.rulesets import load_builtin
from referee.rulesets.ruleset import RulesetError, parse_ruleset, read_toml
from referee.server.access.provider_keys import key_set_of
from referee.server.access.provider_token import ProviderTokens
from referee.server.access.token import TokenError, read_token
from referee.server.process.certificate import CertificateFormatError, expires_time
from referee.server.process.log_check import CheckRecord
from referee.server.process.witness_client import WitnessClient
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.provider import Provider
from referee.server.settings.reading import SettingsError, read_settings, value_of
from referee.tiles.place import FolderPlace
from referee.transcript.inputs import InputEvent, TranscriptError, parse
from referee.transcript.receipted import ReceiptedEvent
from referee.v1 import mau_binh_pb2, ruleset_pb2
from referee.v1.round_pb2 import RoundHeader
from referee.web.codec import Json
from referee.web.errors import _details
from referee.wire.refusal import RefusedError as CallRefusedError
from referee.wire.round import write_header
from tests.vectors.reading import read

Feed = Callable[[bytes], object]


@dataclass(frozen=True, slots=True)
class Place:
    """A place: how it is fed with bytes, the errors it refuses them with, and a text much like one that it reads."""

    feed: Feed
    refusals: tuple[type[Exception], ...] = ()
    sample: bytes = b'{"kind":"PLAY","seat":0,"seen":1}'


def _calling(function: Callable[..., object], *after: object, **named: object) -> Feed:
    return lambda data: function(data, *after, **named)


def _answered(data: bytes) -> object:
    """Have a program answer the first question with these bytes."""
    answers = io.StringIO(data.decode("utf-8", "surrogateescape") + "\n", newline="\n")
    return Program(io.StringIO(), answers)._ask({})  # noqa: SLF001 - as the others


def _filed(name: str, read_file: Callable[[Path], object]) -> Feed:
    """Feed a function that reads a file of this name."""

    def feed(data: bytes) -> object:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, name)
            path.write_bytes(data)
            return read_file(path)

    return feed


def _url_text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _proved(data: bytes) -> object:
    return _providers().prove(f"{_url_text(data)}.{_ISSUER}.AA")


@cache
def _providers() -> ProviderTokens:
    roles = {"dealer": CallerRole.FRONTEND}
    return ProviderTokens([Provider(issuer="https://id.example", audience="a", jwks="/", roles=roles, tenant="acme")])


_KEY: Final = VerifierKey("log.example/1", bytes(SigningKey(bytes(32)).verify_key)).text
_LOG: Final = {
    "terms": AuditTerms(origin="log.example/1", catalogue=load_builtin()),
    "trusted": TrustedKeys(log=_KEY, root=_KEY),
    "time": AuditTime(now=0),
}
_BUNDLE: Final = (
    b'{"format":1,"round_id":"00","origin":"a","log_key":"a","root_key":"a","checkpoint":"a",'
    b'"leaves":[{"index":0,"leaf":"{}","proof":["00"]}]}'
)
_CLAIMS: Final = b'{"jti":"a","iss":"a","sub":"an","nbf":0,"exp":9,"role":"auditor","tenant":"*"}'
_ISSUER: Final = _url_text(b'{"iss":"https://id.example"}')
_ALG: Final = _url_text(b'{"alg":"EdDSA"}')
_RECORD: Final = (
    b'{"format":1,"terms":{"table":"t","ruleset":"mau_binh.classic","seats":2},"header":"%b","seat_keys":[],'
    b'"secrets":[],"commitments":[],"tokens":[],"seeds":[],"seed_signatures":[],"message":"","chains":{},'
    b'"opened_hands":[],"arrangements":{},"unanswered":null,"lapses":"","is_partial":false,"clock_differences":[],'
    b'"receipted_events":[]}'
)
_CHAIN: Final = b'{"seat":0,"start":"AA==","number":0,"event_hash":"AA==","move":"AA=="}'
_RESULTS: Final = b'{"transfers":[{"from":0,"to":1,"amount":5,"reason":"CHI"}],"seats":[],"winners":[0]}'


@cache
def _header() -> Header:
    return msgspec.convert(read("dealing/headers")[0]["header"], Header)


def _enveloped(function: Callable[[bytes], object]) -> Feed:
    """Feed a function that reads the payload of an envelope."""
    return lambda data: function(Envelope("application/example", data[:48_000]).to_bytes())


def _state_of(data: bytes) -> object:
    record = read_record(data)
    return state_of(record, mau_binh_pb2.MauBinhRound())


def _record() -> bytes:
    return _RECORD % base64.b64encode(write_header(_header()).SerializeToString())


class _Call:
    def __init__(self, value: bytes) -> None:
        self.value = value

    def trailing_metadata(self) -> tuple[tuple[str, bytes], ...]:
        return (("grpc-status-details-bin", self.value),)


def _errors_of_call(data: bytes) -> object:
    call: Any = _Call(data)
    return _details_of(call)


def _errors_of_answer(data: bytes) -> object:
    return _details([("grpc-status-details-bin", data)])


def _dated(data: bytes) -> object:
    client: Any = WitnessClient.__new__(WitnessClient)
    client._clock, client._date = (lambda: 0), data[:65_536].decode("latin-1")  # noqa: SLF001 - as an answer leaves it
    client._ask = lambda *_: None  # noqa: SLF001 - asks nobody
    return client.clock_difference()


def _event(data: bytes) -> object:
    event = InputEvent(event=_raw(data), received=0, time=0)
    shown = _Shown.under(_header(), None)
    return story_event(1, event, shown, after=0, opens=())


def _raw(data: bytes) -> Any:  # noqa: ANN401 - msgspec.Raw
    return msgspec.Raw(data)


def _results(data: bytes) -> object:
    settled: Any = SimpleNamespace(results=data)
    return _found(settled)


_PEM: Final = b"-----BEGIN CERTIFICATE-----\n%b\n-----END CERTIFICATE-----\n"

PLACES: Final[Mapping[str, Place]] = MappingProxyType(
    {
        # canonical JSON, read by readers of its own
        "referee.evidence.canonical:decode": Place(_calling(decode), (CanonicalError,)),
        "referee.evidence.canonical:Form.read": Place(
            lambda data: Form(ReceiptedEvent).read(data),
            (CanonicalError,),
            b'{"events":["{}"],"receipt":"a","signature":""}',
        ),
        "referee.evidence.dsse:Envelope.parse": Place(
            Envelope.parse,
            (EnvelopeError,),
            b'{"payload":"aGVsbG8=","payloadType":"application/example","signatures":[]}',
        ),
        "referee.games.codec:EventCodec.decode": Place(
            lambda data: [game.events.decode(data, time=0, round_id=bytes(32)) for game in GAMES.values()],
            (EventBytesError, CanonicalError),
        ),
        "referee.games.codec:EventCodec.decode_all": Place(
            lambda data: [list(game.events.decode_all([data], [0], round_id=bytes(32))) for game in GAMES.values()],
            (EventBytesError, CanonicalError),
        ),
        "referee.transcript.inputs:parse": Place(
            _calling(parse),
            (TranscriptError,),
            b'{"format":1,"inputs":{},"results":{},"round_id":"00"}',
        ),
        # files and parts that an auditor is given
        "referee.audit.bundle:_read": Place(_calling(bundle_read), (BundleError,), _BUNDLE),
        "referee.audit.receipted_moves:_is_canonical": Place(_calling(_is_canonical)),
        "referee.audit.course:_members": Place(_calling(_members)),
        "referee.audit.dispute.case:case_of_bundle": Place(_calling(case_of_bundle, **_LOG), (BundleError,), _BUNDLE),
        "referee.audit.dispute.held:_other": Place(lambda data: read_held("a.json", data)),
        "referee.audit.documents:_bundle": Place(
            lambda data: parse_documents([(data, None)]), (DocumentError,), _BUNDLE
        ),
        "referee.audit.documents:parse_seeds": Place(
            _calling(parse_seeds),
            (DocumentError,),
            b'{"round_id":"%b","seat":0,"seed":"%b"}' % (b"0" * 64, b"0" * 64),
        ),
        "referee.audit.page.page:_named": Place(_enveloped(_named)),
        "referee.audit.page.story:_event": Place(_event),
        "referee.audit.page.story:_found": Place(_results, sample=_RESULTS),
        "referee.audit.round_documents:_opened_in": Place(_calling(_opened_in, bytes(32))),
        "referee.cli.replay:_transfers_in": Place(_calling(_transfers_in), sample=_RESULTS),
        "referee.cli.show:event_line": Place(_calling(event_line)),
        "referee.dealing.lead:Winner.of_bytes": Place(_calling(Winner.of_bytes)),
        "referee.dealing.lead:Winner.of_results": Place(
            lambda data: Winner.of_results(_header(), data), sample=_RESULTS
        ),
        "referee.finding:first_difference": Place(_calling(first_difference, b"[1]")),
        "referee.rounds.export:_read_state": Place(
            _filed(
                "state.json",
                lambda path: _read_state(FolderPlace(path.parent), path.parent, origin="a"),
            ),
            (ExportError,),
            b'{"origin":"a","size":1,"root":"00","peaks":["%b"],"running":[]}' % (b"0" * 64),
        ),
        "referee.advice.mau_binh.population:HandPopulation.read": Place(
            _calling(HandPopulation.read), (PopulationError,)
        ),
        # texts of notes, keys and submissions
        "referee.log.checkpoint:Checkpoint.parse": Place(
            lambda data: Checkpoint.parse(data.decode("latin-1")), (CheckpointError,)
        ),
        "referee.log.policy:_Reader._group": Place(
            _calling(Policy.parse), (PolicyError, KeyTextError), b"quorum none\n"
        ),
        "referee.log.receipt:LogReceipt.parse": Place(lambda data: LogReceipt.parse(data, leaf=b""), (ReceiptError,)),
        "referee.log.submission:AddCheckpoint.parse": Place(
            _calling(AddCheckpoint.parse), (SubmissionError,), b"old 1\n\n"
        ),
        "referee.log.submission:parse_size": Place(_calling(parse_size), (SubmissionError,), b"1\n"),
        "referee.server.process.certificate:expires_time": Place(
            lambda data: expires_time(_PEM % base64.encodebytes(data[:65_536])),
            (CertificateFormatError,),
        ),
        "referee.server.process.log_check:CheckRecord.read": Place(
            _filed("log_check.json", lambda path: CheckRecord.read(path.parent)), sample=b'{"next_tile":64}'
        ),
        "referee.server.process.witness_client:WitnessClient.clock_difference": Place(
            _dated, sample=b"Sun, 06 Nov 1994 08:49:37 GMT"
        ),
        # what operators write
        "referee.rulesets.ruleset:parse_ruleset": Place(
            _calling(parse_ruleset, file="a.toml"),
            (RulesetError,),
            next(iter(load_builtin())).source,
        ),
        "referee.rulesets.ruleset:read_toml": Place(_calling(read_toml, file="a.toml"), (RulesetError,)),
        "referee.server.settings.reading:_read_file": Place(
            _filed("a.toml", lambda path: read_settings(file=path)), (SettingsError,), b'[serve]\nlisten = "[::1]:0"\n'
        ),
        "referee.answered.settings:read_settings": Place(
            _filed("a.toml", read_answered_settings), (OutsideError,), b'table_talk = ["club"]\n'
        ),
        "referee.server.settings.reading:value_of": Place(
            lambda data: value_of(data.decode("utf-8", "surrogateescape"), int)
        ),
        # what callers and identity providers send
        "referee.server.access.token:_parse": Place(
            lambda data: read_token(f"{_ALG}.{_url_text(data)}.AA"), (TokenError,), _CLAIMS
        ),
        "referee.server.access.provider_keys:key_set_of": Place(
            _calling(key_set_of),
            (jwt.PyJWTError, ValueError),
            b'{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"a","x":"AA"}]}',
        ),
        "referee.server.access.provider_token:ProviderTokens.has_issuer": Place(
            lambda data: _providers().has_issuer(f"e30.{_url_text(data)}.AA"), sample=b'{"iss":"https://id.example"}'
        ),
        "referee.server.access.provider_token:ProviderTokens.prove": Place(
            _proved,
            (TokenError, CallRefusedError),
            b'{"alg":"EdDSA","kid":"a"}',
        ),
        "referee.web.codec:Json.decode": Place(
            lambda data: Json().decode(data, ruleset_pb2.ListRulesetsRequest),
            (ConnectError,),
            b'{"pageSize":1,"pageToken":"1"}',
        ),
        "referee.web.errors:_details": Place(_errors_of_answer),
        "referee.evidence.outside:read_message": Place(lambda data: read_message(RoundHeader, data), (OutsideError,)),
        # the client for Python
        "referee_client.checks:read_course": Place(
            lambda data: read_course(mau_binh_pb2.MauBinhRound, data),
            (VerificationError,),
        ),
        "referee_client.checks:read_transfers": Place(_calling(read_transfers), (VerificationError,), _RESULTS),
        "referee_client.errors:_details_of": Place(_errors_of_call),
        "referee_client.record:read_record": Place(
            _state_of, (RecordError,), _RECORD % base64.b64encode(write_header(_header()).SerializeToString())
        ),
        "referee_client.record:state_of": Place(
            lambda data: _state_of(_RECORD % base64.b64encode(data)), (RecordError,)
        ),
        "referee_client.record:read_recorded": Place(
            lambda data: read_recorded(RoundHeader, data, "the header"),
            (RecordError,),
        ),
        "referee_client.seat_chain:SeatChain.restore": Place(
            lambda data: SeatChain.restore(SeatSecrets.make(0), data),
            (ValueError,),
            _CHAIN,
        ),
        "referee_client.seat_chain:_members": Place(_calling(seat_chain_members), (OutsideError,)),
        "referee_client.seat_key:load_seat_key": Place(
            _filed("a.json", load_seat_key),
            (ValueError,),
            b'{"crv":"Ed25519","d":"AA","kty":"OKP","x":"AA"}',
        ),
        # the table server and the harness
        "referee_harness.cases.conform:Program._ask": Place(_answered, (ProgramError,), b'{"id":1,"unable":true}'),
        "referee_harness.control:_object": Place(_calling(_object), (HarnessError,)),
        "referee_table.launch:_read_addresses": Place(
            _filed("a.json", _read_addresses),
            sample=b'{"grpc":"127.0.0.1:1","web":"127.0.0.1:1"}',
        ),
        "referee_table.games:read": Place(
            _calling(read_command),
            (RefusedError,),
            b'{"type":"command","id":"7","name":"ready","is_ready":true}',
        ),
        "referee_table.files:read_file": Place(_filed("a.json", lambda path: read_file(path, RoomState))),
        "referee_table.stream:_parse": Place(lambda data: _parse(data, Hello)),
    }
)
