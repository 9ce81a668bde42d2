"""BaiCaoService: the methods that every game has and no others. Entry point ``referee.services``."""

from typing import Final

from bai_cao.v1 import bai_cao_pb2_grpc
from bai_cao.wire import MESSAGES
from referee.service.game_service import GameService
from referee.service.round_service import RoundService


class BaiCaoService(RoundService, bai_cao_pb2_grpc.BaiCaoServiceServicer):
    """Servicer of Bài Cào."""


SERVICE: Final = GameService(
    messages=MESSAGES,
    servicer=BaiCaoService,
    add_to_server=bai_cao_pb2_grpc.add_BaiCaoServiceServicer_to_server,
)
"""Bài Cào as it is served."""
