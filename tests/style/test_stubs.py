"""Stubs of a game and of the shuffler: rounds are played by the SDK, but in these folders and files."""

import ast
from collections.abc import Iterator
from typing import Final

import pytest

from tests.style.features import GENERATED, ROOT, paths

FREE: Final = (
    "referee/service/",
    "clients/python/src/",
    "clients/smoke/",
    "tests/conftest.py",
    "clients/harness/src/referee_harness/faults.py",
    "tests/service/",
    "tests/attacks/",
    "tests/fuzz/",
    "tests/smoke/",
)
"""The SDK, the services, smoke clients, attackers, and the raw suite, which asks each method on stock stubs.

Who imports anything of the raw suite counts as a file that makes them too.
"""
LISTED: Final = {
    "tests/bench/bench_serving.py": "measures each method by itself",
    "tests/bench/played_rounds.py": "has no call in a measured stretch but the measured one",
    "tests/dispute/scenes.py": "quarrels about attacks",
    "tests/dispute/test_dispute_attacks.py": "the same",
    "tests/fourth_game/fourth_house.py": "a game of its own package on stock stubs",
    "tests/fourth_game/test_fourth_names.py": "its rounds by their names",
    "tests/fourth_game/test_law_that_fails.py": "a game whose law fails the server",
    "tests/server/access/test_access_named_rounds.py": "callers who ask with what is not theirs",
    "tests/server/access/test_access_tables.py": "the same",
    "tests/table/scripted_player.py": "a player who opens its hand without the table",
    "tests/table/test_table_rounds.py": "the same",
}
"""Files elsewhere that make such a stub, with the reason; at most fifteen."""
HARMLESS: Final = frozenset({"Advice", "Log", "Ruleset", "Seating"})
"""Services by which no round is opened, dealt or played."""
MAKERS: Final = frozenset({"Stubs", "stub_of"})
"""What the raw suite makes stubs with."""
MOST: Final = 15


def stubs_in(text: str) -> Iterator[str]:
    """Yield the names in a file's code by which it makes stubs of a game or of the shuffler."""
    for node in ast.walk(ast.parse(text)):
        names = [getattr(node, "id", ""), getattr(node, "attr", "")]
        if isinstance(node, ast.ImportFrom | ast.Import):
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tests.service"):
                yield str(node.module)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
            names = [node.value]  # as of getattr
        for name in names:
            service, _, rest = name.rpartition(".")[2].partition("ServiceStub")
            is_stub = "ServiceStub" in name and not rest and service and service not in HARMLESS
            if is_stub or name in MAKERS:
                yield name


def makers() -> set[str]:
    """Return the files outside the free folders that make such stubs."""
    files = [name for name in paths("referee", "clients", "tests") if name.endswith(".py")]
    own = [name for name in files if not GENERATED.search(name) and not name.startswith(FREE)]
    return {name for name in own if any(stubs_in((ROOT / name).read_text(encoding="utf-8")))}


def test_only_listed_files_make_a_stub_of_a_game_or_of_the_shuffler() -> None:
    assert makers() - {"tests/style/test_stubs.py"} == set(LISTED)
    assert len(LISTED) <= MOST


@pytest.mark.parametrize(
    "text",
    [
        "from referee.v1.shuffler_pb2_grpc import ShufflerServiceStub",
        "stub = tien_len_pb2_grpc.TienLenServiceStub(channel)",
        "stub = map(poker_pb2_grpc.PokerServiceStub, channels)",
        "stub = getattr(module, 'MauBinhServiceStub')(channel)",
        "from tests.service.stubs import Stubs as Calls",
        "from tests.service.house import House",
    ],
)
def test_file_that_makes_one_is_found(text: str) -> None:
    assert list(stubs_in(text))


@pytest.mark.parametrize(
    "text",
    [
        "log = log_pb2_grpc.LogServiceStub(channel)",
        "adviser = AdviceServiceStub(channel)",
        '"""A file about ShufflerServiceStub and its stubs."""',
        "name = 'referee.v1.ShufflerService/OpenRound'",
    ],
)
def test_file_that_makes_none_is_not_found(text: str) -> None:
    assert not list(stubs_in(text))
