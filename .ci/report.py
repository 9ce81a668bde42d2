"""Report of a run of .ci/run: its stages, seconds, counts and failing tests.

``begin STAGE`` and ``end STAGE CODE LOG`` keep it in a file beside this one, which git ignores; a stage that began
and did not end was cut short. ``show LOG`` prints the stages, the failing tests of the log, each with the command that
runs it again by its seeds, and as the last line pytest's own summary, or the last line of a log without one.
"""

import json
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("last.json")
FAILED = re.compile(r"^(?:FAILED|ERROR) ([^\s\[]+(?:\[.*?\])?)(?= - |$)", re.MULTILINE)
SUMMARY = re.compile(r"^(?:=+ )?\d+ (?:passed|failed|error|skipped|xfailed|deselected).* in [\d.]+s.*$", re.MULTILINE)
COUNT = re.compile(r"(\d+) (passed|failed|errors?|skipped|xfailed|xpassed|deselected|warnings?)")
SEED = re.compile(r"^seeds of random tests: (.*)$", re.MULTILINE)


def begin(stage: str) -> None:
    """Note that a stage begins; the first one begins the report."""
    report = read() if stage != "install" else {"commit": commit(), "stages": {}}
    report |= {"stage": stage, "is_passed": False}
    report["stages"][stage] = {"began": round(time.time())}
    write(report)


def end(stage: str, code: int, log: Path) -> None:
    """Note the exit code, the seconds and the counts of a stage."""
    report, text = read(), log.read_text("utf-8", errors="replace")
    result = report["stages"][stage]
    result |= {"code": code, "seconds": round(time.time()) - result["began"]}
    if summary := SUMMARY.findall(text):
        result["counts"] = {name.removesuffix("s"): int(count) for count, name in COUNT.findall(summary[-1])}
        result["failed"] = failed(text)
    report["is_passed"] = stage == "rest" and not code
    write(report)


def show(log: Path) -> None:
    """Print the report."""
    report, text = read(), log.read_text("utf-8", errors="replace")
    say(f"\ncommit {report['commit']}, stage {report['stage']}: {'passed' if report['is_passed'] else 'broken'}")
    for name, result in report["stages"].items():
        counts = ", ".join(f"{count} {kind}" for kind, count in result.get("counts", {}).items())
        say(f"  {name:<8}{result.get('seconds', 0):>6} s  {counts}")
    seeds = SEED.findall(text)
    for test in failed(text):
        say(f"FAILED {test}\n  again: {' '.join([*seeds[-1:], '.venv/bin/pytest -n 0', repr(test)])}")
    lines = SUMMARY.findall(text) or [line for line in text.splitlines() if line.strip()] or ["no output"]
    say(lines[-1])


def say(line: str) -> None:
    """Print a line."""
    sys.stdout.write(line + "\n")


def failed(text: str) -> list[str]:
    """Return the failing tests of a log of pytest, each once."""
    return list(dict.fromkeys(FAILED.findall(text)))


def commit() -> str:
    """Return the commit that is checked, marked where the tree has changes."""
    asked = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    return subprocess.run(asked, cwd=FILE.parent, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 - these words


def read() -> dict[str, Any]:
    """Return the report so far."""
    report: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return report


def write(report: dict[str, Any]) -> None:
    """Replace the report, so that a reader finds a whole one."""
    new = FILE.with_suffix(".new")
    new.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    new.replace(FILE)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["begin", name]:
            begin(name)
        case ["end", name, code, log]:
            end(name, int(code), Path(log))
        case ["show", log]:
            show(Path(log))
        case _:
            sys.exit("report.py begin STAGE | end STAGE CODE LOG | show LOG")
