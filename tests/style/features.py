"""Features of the project: which files each consists of, so that lines are counted by what they are for.

A file belongs to the feature with the longest prefix of its path; each tracked file by hand belongs to exactly one.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

ROOT: Final = Path(__file__).parents[2]
GENERATED: Final = re.compile(
    r"_pb2|_pb\.|/v1/|/dist/|/gen/|/descriptors\.ts$|\.lock$|/package-lock\.json$|^constraints\.txt$"
)
"""Files that a program writes; sources of protos are written by hand."""
CODE: Final = (
    "py",
    "ts",
    "svelte",
    "js",
    "mjs",
    "cjs",
    "go",
    "java",
    "rb",
    "css",
    "html",
    "proto",
    "j2",
    "sql",
)
"""Suffixes whose lines are counted: code by hand. Documents, rulesets, vectors and pictures have none to count."""
FOLDERS: Final = ("referee", "clients", "tests")

FEATURES: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "judge": {
            "cards, hands, money, verdicts": (
                "referee/cards.py referee/hands/ referee/money.py referee/verdict.py tests/hands/"
            ),
            "law of the games": "referee/games/ tests/games/",
            "rulesets": "referee/rulesets/ tests/rulesets/",
            "evidence": "referee/evidence/ tests/evidence/ tests/outside/",
            "dealing": "referee/dealing/ tests/dealing/",
            "log": "referee/log/ tests/log/",
            "transcript": "referee/transcript/ tests/transcript/",
            "storage": "referee/storage/ tests/storage/",
            "protos and wire": "protos/ referee/wire/ referee/v1/ tests/v1/ tests/wire/",
            "service": "referee/service/ tests/service/",
            "threads and interceptor of calls": "referee/service/pool.py referee/service/interceptor.py",
            "audit": "referee/audit/ referee/finding.py tests/audit/",
            "server": "referee/server/ referee/reach.py referee/threads.py tests/server/",
            "gateway for browsers": "referee/web/ tests/web/",
            "package": (
                "referee/README.md referee/GLOSSARY.md referee/SYSTEMS.md referee/__ referee/extras.py "
                "referee/py.typed referee/round.svg"
            ),
        },
        "commands": {"commands": "referee/cli/ tests/cli/ tests/demo_log.py"},
        "readers of a log": {
            "statistics of players": "referee/suspicion/ tests/suspicion/",
            "rounds as tables": "referee/rounds/ tests/rounds/",
            "tiles": "referee/tiles/ tests/tiles/",
            "witness": "referee/witness/ tests/witness/ tests/server/cosigning/",
            "audit's page": "referee/audit/page/ tests/audit/test_audit_page",
            "dispute": "referee/audit/dispute/ tests/dispute/",
        },
        "advisers": {
            "advice": (
                "referee/adv tests/adv referee/cli/advise.py protos/referee/v1/advice.proto protos/api/advice.md "
                "tests/attacks/test_attack_advice_flood.py"
            ),
            "advice in the judge": (
                "referee/service/advising.py referee/server/process/advice_ referee/server/settings/advice.py "
                "tests/server/process/test_advice.py"
            ),
            "odds and fairness of the shuffle": "referee/lab/ tests/lab/",
        },
        "clients": {
            "SDK for Python": "clients/python/ tests/clients_python/ tests/journeys/",
            "SDK for TypeScript and verifier": "clients/typescript/ clients/verifier/ tests/verifier/",
            "harness": "clients/harness/ tests/clients_harness/",
            "smoke clients": "clients/smoke/ tests/smoke/",
            "pages of clients": "clients/README.md",
            "site of all pages": ".docs/ tests/docs/",
        },
        "game of its own package": {
            "scaffold and Bài Cào": "tests/fourth_game/",
            "tests for games": "referee/testing/ tests/testing/",
        },
        "table": {
            "table's server": "clients/table/ tests/table/",
            "table's page": "clients/web/ tests/web_table/",
        },
        "tests of the whole": {
            "attacks": "tests/attacks/",
            "corpus": "tests/corpus/",
            "writer of vectors": "tests/vectors/",
            "vectors": "tests/vectors/reading.py tests/vectors/test_ tests/vectors/schema/",
            "drivers": "tests/driver/",
            "fixtures": "tests/",
        },
        "benches": {"benches": "tests/bench/"},
        "programs that break and check": {
            "chaos": "tests/chaos/",
            "fuzz": "tests/fuzz/",
            "mutation": "tests/mutation/",
            "style": "tests/style/",
            "packages": "tests/packages/",
            "dependencies": "tests/dependencies/",
        },
        "project": {"files of the project": ". CHANGELOG.md CONTRIBUTING.md LICENSE Makefile README.md SECURITY.md py"},
    }
)
"""Features by group; each lists prefixes of paths."""
PREFIXES: Final = [
    (prefix, feature)
    for features in FEATURES.values()
    for feature, prefixes in features.items()
    for prefix in prefixes.split()
]


def paths(*prefixes: str) -> list[str]:
    """Return the tracked files under some folders."""
    command = ["git", "ls-files", "-z", *prefixes]
    listed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout
    return [path for path in listed.split("\0") if path and (ROOT / path).is_file()]


def lines(names: list[str]) -> int:
    """Return the number of lines of some files."""
    return sum(len((ROOT / name).read_bytes().splitlines()) for name in names)


def is_by_hand(path: str) -> bool:
    """Say whether people write the file."""
    return not GENERATED.search(path) or path.endswith(".proto")


def features_of(path: str) -> list[str]:
    """Return the features whose prefix of the path is the longest: exactly one if the table is sound."""
    matching = [(len(prefix), feature) for prefix, feature in PREFIXES if path.startswith(prefix)]
    longest = max((length for length, _ in matching), default=0)
    return [feature for length, feature in matching if length == longest]


def by_folder(names: list[str]) -> str:
    """Return a row of the table: lines of code in each of the three folders and in all."""
    code = [name for name in names if name.rpartition(".")[2] in CODE]
    counts = [lines([name for name in code if name.startswith(f"{folder}/")]) for folder in FOLDERS]
    return "".join(f"{count or '-':>9,}" if count else f"{'-':>9}" for count in (*counts, lines(code)))


def table() -> Iterator[str]:
    """Yield the lines of the table: a row a group, one for each of its features below, the totals at the end."""
    files: dict[str, list[str]] = {}
    for path in filter(is_by_hand, paths()):
        (feature,) = features_of(path)
        files.setdefault(feature, []).append(path)
    yield f"{'lines of code by hand':<44}" + "".join(f"{folder:>9}" for folder in (*FOLDERS, "all"))
    for group, features in FEATURES.items():
        yield f"{group:<44}" + by_folder([name for feature in features for name in files.get(feature, [])])
        if len(features) > 1:
            yield from (f"  {feature:<42}" + by_folder(files.get(feature, [])) for feature in features)
    everything = [name for names in files.values() for name in names]
    yield f"{'total':<44}" + by_folder(everything)
    yield f"{'total of Python':<44}" + by_folder([name for name in everything if name.endswith(".py")])
