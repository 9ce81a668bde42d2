"""The gRPC services of a server: which there are and how each is built."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import FileDescriptor
from grpc_reflection.v1alpha import reflection, reflection_pb2

from referee.rulesets import Ruleset
from referee.server.edited_files import EditedFiles
from referee.server.name_file import NameFile
from referee.server.process.cosigner import Cosigner
from referee.server.process.opened_log import OpenedLog
from referee.server.process.options import ServerOptions
from referee.server.settings.advice import OFF
from referee.service.advising import ADVISING
from referee.service.attesting import Attestor
from referee.service.log import LogKeys, LogService, ServerState
from referee.service.registry import GAME_SERVICES
from referee.service.round_service import RefereeParts, SettlementJudge
from referee.service.rulesets import RulesetService, SeatingService
from referee.service.shuffler import ShufflerService
from referee.service.shuffler_parts import ShufflerParts
from referee.service.terms import HeaderMaker
from referee.service.verifying import RoundVerifier
from referee.storage import Writer
from referee.v1 import log_pb2_grpc, ruleset_pb2_grpc, seating_pb2_grpc, shuffler_pb2_grpc

FULL_NAMES: Final = {
    "rulesets": ("referee.v1.RulesetService",),
    "seating": ("referee.v1.SeatingService",),
    "shuffler": ("referee.v1.ShufflerService",),
    "referee": tuple([service.full_name for service in GAME_SERVICES.values()]),
    "advice": tuple([service.full_name for service in ADVISING.values()]),
    "log": ("referee.v1.LogService",),
}
"""The gRPC services of each of ``settings.configuration.SERVICES``."""
WRITING: Final = frozenset((*FULL_NAMES["shuffler"], *FULL_NAMES["referee"]))
"""The gRPC services that write to the log."""
_REFLECTION_V1: Final = "grpc.reflection.v1.ServerReflection"


def add_services(  # noqa: PLR0913 - one parameter a part
    server: grpc.Server,
    options: ServerOptions,
    log: OpenedLog,
    *,
    add_advice: Callable[[], None],
    cosigner: Cosigner | None,
    on_ended: Callable[[], None],
    on_returns: Callable[[Ruleset, Sequence[int]], None],
    problem: Callable[[], str],
    files: EditedFiles,
) -> list[str]:
    """Add the services that the options name to a server and return their full names.

    ``add_advice`` adds those that advise. ``on_ended`` is called after a round ended, ``on_returns`` with what side
    bets of a settled round got back. ``problem`` says why the server refuses calls, empty while it takes all.
    """
    settings, catalogue = options.configuration, options.catalogue
    verifier = RoundVerifier(
        catalogue=catalogue,
        origin=log.origin,
        shuffler_keys=log.counted("shuffler"),
        clock=options.clock,
        slot_of=log.store.round,
        suite=options.suite,
        memo_bytes=settings.limits.memo_bytes,
    )

    def add_referee() -> None:
        signer, referee_keys = log.keys.signer("referee"), log.counted("referee")
        parts = RefereeParts(
            verifier=verifier,
            attestor=Attestor(signer, referee_keys=referee_keys),
            settlements=SettlementJudge(
                signer=signer,
                writer=_writer(log),
                reader=log.store,
                clock=options.clock,
                on_settled=on_ended,
                on_returns=on_returns,
            ),
            memo_bytes=settings.limits.memo_bytes,
        )
        for service in GAME_SERVICES.values():
            service.add_to_server(service.servicer(service, parts), server)

    def add_shuffler() -> None:
        closed = NameFile(settings.serve.closed, setting="serve.closed", files=files)
        parts = ShufflerParts(
            header_maker=HeaderMaker(
                catalogue=catalogue,
                origin=log.origin,
                clock=options.clock,
                own_keys=log.own_keys,
                suite=options.suite,
                is_closed=lambda ruleset: closed.has(ruleset.id, ruleset.digest.hex()),
            ),
            verifier=verifier,
            referee_keys=log.counted("referee"),
            reader=log.store,
            writer=_writer(log),
            signer=log.keys.signer("shuffler"),
            sealing_key=log.keys.sealing,
            clock=options.clock,
            entropy=options.entropy,
            on_ended=on_ended,
            fixture_seed=options.fixture_seed,
            has_witnesses=cosigner is not None,
        )
        shuffler_pb2_grpc.add_ShufflerServiceServicer_to_server(ShufflerService(parts), server)

    add: dict[str, Callable[[], None]] = {
        "rulesets": lambda: ruleset_pb2_grpc.add_RulesetServiceServicer_to_server(RulesetService(catalogue), server),
        "seating": lambda: seating_pb2_grpc.add_SeatingServiceServicer_to_server(
            SeatingService(catalogue, options.clock), server
        ),
        "shuffler": add_shuffler,
        "referee": add_referee,
        "advice": add_advice,
        "log": lambda: log_pb2_grpc.add_LogServiceServicer_to_server(
            _log_service(options, log, cosigner, problem), server
        ),
    }
    names: list[str] = []
    for service in settings.serve.services:
        add[service]()
        if service != "advice" or settings.advice.address != OFF:
            names += FULL_NAMES[service]
    return names


class MethodPool:
    """Pool of descriptors that also finds the file of a method by its full name, which protobuf's own does not."""

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:  # noqa: N802 - as the pool of protobuf
        """Return the file with a type, service or method of this full name; raise KeyError if there is none."""
        pool = descriptor_pool.Default()
        try:
            return pool.FindFileContainingSymbol(symbol)
        except KeyError:
            return pool.FindMethodByName(symbol).containing_service.file

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever else reflection asks the pool
        return getattr(descriptor_pool.Default(), name)


def serve_reflection(server: grpc.Server, services: Iterable[str]) -> None:
    """Describe these services, and reflection itself, to clients that ask, by both names of reflection.

    Newer clients ask for v1 first, grpcio has v1alpha; their messages are the same on the wire.
    """
    servicer = reflection.ReflectionServicer([*services, reflection.SERVICE_NAME], pool=MethodPool())
    answered = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    methods = {"ServerReflectionInfo": answered}
    for name in (_REFLECTION_V1, reflection.SERVICE_NAME):
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(name, methods),))


def _writer(log: OpenedLog) -> Writer:
    if log.writer is None:
        raise RuntimeError("a service that appends was added without the log's private key")
    return log.writer


def _log_service(
    options: ServerOptions, log: OpenedLog, cosigner: Cosigner | None, problem: Callable[[], str]
) -> LogService:
    settings = options.configuration
    witnesses = settings.witnesses.parsed()
    keys = LogKeys(
        log=log.keys.public["log"].text,
        root=log.keys.public["root"].text,
        leaves=log.registry.leaves,
        witnesses=[] if witnesses is None else [one.key.text for one in witnesses.addresses],
        quorum=0 if witnesses is None else witnesses.quorum.needed,
    )
    waiting, wait = max(1, settings.serve.threads // 2), None if cosigner is None else cosigner.wait
    state = ServerState(
        instance=settings.log.instance, clock=options.clock, is_writer=log.writer is not None, problem=problem
    )
    return LogService(log.store, keys=keys, server=state, wait_cosigned=wait, waiting=waiting)
