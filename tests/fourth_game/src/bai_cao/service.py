"""BaiCaoService: the methods that every game has and no others. Entry point ``referee.services``."""

from typing import Final

from bai_cao.game import GAME
from bai_cao.v1 import bai_cao_pb2, bai_cao_pb2_grpc
from bai_cao.wire import read_event, write_outcome, write_state
from referee.service.game_service import GameService
from referee.service.round_service import RoundService


class BaiCaoService(RoundService, bai_cao_pb2_grpc.BaiCaoServiceServicer):
    """Servicer of Bài Cào."""


SERVICE: Final = GameService(
    game=GAME,
    descriptor=bai_cao_pb2.DESCRIPTOR.services_by_name["BaiCaoService"],
    servicer=BaiCaoService,
    add_to_server=bai_cao_pb2_grpc.add_BaiCaoServiceServicer_to_server,
    read_event=read_event,
    write_outcome=write_outcome,
    write_state=write_state,
)
"""Bài Cào as it is served."""
