"""Whole rounds of Mậu Binh over gRPC, and what can be proved of them from the log alone."""

import json
from types import ModuleType
from typing import Any, TypeAlias

import pytest

from referee.evidence import merkle
from referee.evidence.dsse import Envelope
from referee.rulesets import get
from referee.transcript.mau_binh import encode_event  # noqa: F401
from referee.transcript.replay import replay
from referee.transcript.told import parse
from referee.v1 import log_pb2, shuffler_pb2

House: TypeAlias = Any
Played: TypeAlias = Any  # both are made by fixtures, and have their classes in conftest
