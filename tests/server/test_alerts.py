"""Each shipped alert fires where it should and is quiet where it should be, as Prometheus itself evaluates it."""

import json
import math
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import referee.server
from referee.cli.main import COMMANDS
from referee.games.ultimate_texas import UltimateTexasRules
from referee.lab.odds.ultimate_texas.figures import Figures
from referee.rulesets import load_builtin
from referee.v1 import advice_pb2, mau_binh_pb2
from tests.builtin import rules_as

ROOT: Final = Path(__file__).parents[2]
RUNBOOK: Final = Path(referee.server.__file__).with_name("RUNBOOK.md")
RULES: Final = Path(referee.server.__file__).with_name("deploy") / "prometheus-rules.yaml"
CALLS: Final = 'referee_calls_total{{method="{method}",code="{code}"}}'
SLOW: Final = 'referee_call_seconds_bucket{{method="{method}",le="{le}"}}'


@dataclass(frozen=True, slots=True)
class Case:
    """Series at steps of 15 s, in promtool's notation: under which the alert fires at its time, and under which not.

    ``fires`` and ``quiet`` are values of the ``sound`` series that differ then. ``minutes`` is when both are looked at.
    """

    fires: dict[str, str]
    quiet: dict[str, str]
    minutes: int
    labels: dict[str, str] = field(default_factory=dict)


def calls(failing: int) -> dict[str, str]:
    """Write 100 calls a step, and how many more fail."""
    return {
        CALLS.format(method="/referee.v1.LogService/GetCheckpoint", code="OK"): "0+100x80",
        CALLS.format(method="/referee.v1.LogService/GetCheckpoint", code="INTERNAL"): f"0+{failing}x80",
        CALLS.format(method="/referee.v1.LogService/GetCheckpoint", code="NOT_FOUND"): "0+50x80",
    }


def times(method: str, within: int) -> dict[str, str]:
    """Write 100 calls a step, and how many of them took at most a second."""
    service, name = method.split("/")
    file = advice_pb2 if service == "AdviceService" else mau_binh_pb2
    served = file.DESCRIPTOR.services_by_name[service]
    of = f"/{served.full_name}/{served.methods_by_name[name].name}"
    return {
        SLOW.format(method=of, le="1.0"): f"0+{within}x80",
        SLOW.format(method=of, le="2.5"): "0+100x80",
        SLOW.format(method=of, le="+Inf"): "0+100x80",
    }


def commits(within: int) -> dict[str, str]:
    """Write 100 commits a step, and how many of them took at most half a second."""
    name = 'referee_commit_seconds_bucket{{le="{}"}}'.format
    return {name("0.5"): f"0+{within}x80", name("1.0"): "0+100x80", name("+Inf"): "0+100x80"}


def gauge(name: str, value: str) -> dict[str, str]:
    """Write a gauge of two processes, the second of which is sound or not."""
    sound = "1" if name in {"referee_log_writable", "referee_log_readable"} else "0"
    return {f'{name}{{instance="a"}}': f"{sound}x80", f'{name}{{instance="b"}}': value}


def returns(mean: float, *, rounds: int) -> dict[str, str]:
    """Write how many rounds of a ruleset had a side bet in each step, and what a unit got back in them on average."""
    labels = '{{ruleset="ultimate_texas.casino",version="1.0.0",instance="{}"}}'.format
    figures = {"rounds": f"0+{rounds}x80", "units": f"0+{rounds * mean}x80"}
    return {f"referee_side_bet_{name}_total{labels(one)}": value for name, value in figures.items() for one in "ab"}


def aborts(count: int, *, rounds: int) -> dict[str, str]:
    """Write how many rounds of the worst table were aborted, as two processes report it."""
    figures = {"aborts": count, "rounds": rounds}
    return {
        f'referee_table_{name}{{instance="{one}"}}': f"{value}x80" for name, value in figures.items() for one in "ab"
    }


REFUSED: Final = 'referee_refusals_total{{reason="{}"}}'.format
CASES: Final = {
    "RefereeLogStopped": Case(gauge("referee_log_stopped", "1x80"), gauge("referee_log_stopped", "0x80"), 1),
    "RefereeLogNotWritten": Case(gauge("referee_log_writable", "0x80"), gauge("referee_log_writable", "1x8 0 1x71"), 3),
    "RefereeLogNotChecked": Case(
        gauge("referee_log_check_age_seconds", "200000x80") | gauge("referee_log_unchecked_leaves", "9x80"),
        gauge("referee_log_check_age_seconds", "200000x80") | gauge("referee_log_unchecked_leaves", "0x80"),
        6,
    ),
    "RefereeCommitHangs": Case(
        gauge("referee_log_batch_seconds", "5+15x79"), gauge("referee_log_batch_seconds", "0x8 9 0x71"), 3
    ),
    "RefereeProcessAway": Case(
        {'up{job="referee",instance="a"}': "0x80"},
        {'up{job="referee",instance="a"}': "1x80", 'up{job="other",instance="a"}': "0x80"},
        3,
        {"job": "referee", "instance": "a"},
    ),
    "RefereeLogUnreadable": Case(gauge("referee_log_readable", "0x80"), gauge("referee_log_readable", "1x80"), 3),
    "RefereeCallsFail": Case(calls(1), calls(0), 15),
    "RefereeOverloaded": Case({REFUSED("OVERLOADED"): "0+1x80"}, {REFUSED("ROLE_FORBIDDEN"): "0+1x80"}, 15),
    "RefereeSlow": Case(times("MauBinhService/SettleRound", 90), times("AdviceService/SuggestArrangement", 90), 18),
    "RefereeAdviceRefused": Case({REFUSED("ADVICE_LOST"): "0+1x80"}, {REFUSED("OVERLOADED"): "0+1x80"}, 19),
    "RefereeCommitsSlow": Case(commits(90), commits(100), 18),
    "RefereeRoundsOverdue": Case(
        gauge("referee_rounds_overdue", "3x80"), gauge("referee_rounds_overdue", "3x4 0x76"), 4
    ),
    "RefereeSeedsNotRevealed": Case(
        {"referee_rounds_unrevealed": "2x80"}, {"referee_rounds_unrevealed": "2x16 0x64"}, 10
    ),
    "RefereeTableAborts": Case(aborts(6, rounds=40), aborts(6, rounds=90), 9),
    "RefereeSideBetReturn": Case(
        returns(1.1, rounds=2000),
        returns(0.98, rounds=2000),
        18,
        {"ruleset": "ultimate_texas.casino", "version": "1.0.0"},
    ),
    "RefereeNotCosigned": Case(
        {"referee_log_cosigned_lag_leaves": "9x80"}, {"referee_log_cosigned_lag_leaves": "9x40 0x40"}, 19
    ),
    "RefereeClockOff": Case(
        {'referee_clock_seconds{instance="b"}': "6+15x80"},
        {'referee_clock_seconds{instance="b"}': "2+15x80"},
        5,
        {"instance": "b"},
    ),
    "RefereeCertificateEnds": Case(
        {"referee_certificate_expires_seconds": f"{3 * 86400}x80"},
        {"referee_certificate_expires_seconds": f"{9 * 86400}x80"},
        15,
    ),
    "RefereeFileNotRead": Case({"referee_edited_files_faulty": "1x80"}, {"referee_edited_files_faulty": "0x80"}, 15),
}


def alerts() -> dict[str, dict[str, Any]]:
    """Return the shipped rules by the name of their alert."""
    _, group = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def exact() -> dict[tuple[str, str, str], float]:
    """Return the exact figures that the rules name, by what they are, ruleset and version."""
    group, _ = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {
        (rule["record"].rpartition(":")[2], rule["labels"]["ruleset"], rule["labels"]["version"]): float(
            rule["expr"].removeprefix("vector(").removesuffix(")")
        )
        for rule in group["rules"]
    }


def test_each_alert_has_a_case():
    assert list(CASES) == list(alerts())


def test_each_alert_has_a_severity_that_the_runbook_explains():
    severities = {name: rule["labels"]["severity"] for name, rule in alerts().items()}
    assert set(severities.values()) == {"critical", "warning", "info"}
    table = re.findall(
        r"^\| \[`(\w+)`\]\(#(\w+)\) \| (\w+) \|", RUNBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE
    )
    assert {name: severity for name, _, severity in table} == severities
    assert all(anchor == name.lower() for name, anchor, _ in table)


def test_each_alert_names_its_section_of_the_runbook():
    """A section says what is seen, what it means and what to do, in more words than the alert's own summary."""
    sections = dict(
        re.findall(r"^## (\w+)\n+(.*?)(?=^## |\Z)", RUNBOOK.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    )
    assert list(sections) == list(alerts())
    for name, rule in alerts().items():
        assert rule["annotations"]["runbook"] == f"{RUNBOOK.relative_to(ROOT)}#{name.lower()}"
        assert "**Do.**" in sections[name], name


def test_every_metric_and_command_of_the_runbook_exists():
    text = RUNBOOK.read_text(encoding="utf-8")
    metrics = set(re.findall(r"referee_[a-z_]+", text))
    known = RULES.read_text(encoding="utf-8") + (RUNBOOK.parent / "README.md").read_text(encoding="utf-8")
    assert metrics
    assert {one for one in metrics if one not in known} == set()
    commands = set(re.findall(r"`referee ([a-z-]+)", text))
    assert commands
    assert commands <= set(COMMANDS)


def test_exact_returns_are_those_of_every_ruleset_with_a_paytable():
    """As the counts of all deals say, to the six decimal places that are written."""
    counted = {}
    for ruleset in load_builtin():
        if ruleset.game == "ultimate_texas":
            rules = rules_as(UltimateTexasRules, ruleset)
            figures = Figures.counted(rules)
            assert figures is not None
            mean, deviation = 1 - figures.trips_edge(rules, folds=False), math.sqrt(figures.trips_variance(rules))
            counted["mean", ruleset.id, ruleset.version] = round(float(mean), 6)
            counted["deviation", ruleset.id, ruleset.version] = round(deviation, 6)
    assert exact() == counted


@pytest.mark.parametrize(("rounds", "ruleset"), [(50, "ultimate_texas.casino"), (2000, "house.own")])
def test_side_bets_of_few_rounds_or_of_an_unknown_ruleset_fire_nothing(tmp_path: Path, rounds: int, ruleset: str):
    """Whatever they returned: fewer than 10,000 rounds, or no exact figure to compare with."""
    series = {
        name.replace("ultimate_texas.casino", ruleset): values for name, values in returns(9.0, rounds=rounds).items()
    }
    evaluate(tmp_path, "RefereeSideBetReturn", [(series, [], 18)])


@pytest.mark.parametrize("name", CASES)
def test_alert_fires_where_it_should_and_is_quiet_where_it_should_be(name: str, tmp_path: Path):
    case, rule = CASES[name], alerts()[name]
    fired = [{"exp_labels": case.labels | rule["labels"], "exp_annotations": rule["annotations"]}]
    evaluate(tmp_path, name, [(case.fires, fired, case.minutes), (case.quiet, [], case.minutes)])


def evaluate(folder: Path, name: str, looks: list[tuple[dict[str, str], list[Any], int]]) -> None:
    """Let Prometheus evaluate an alert: the series, what is expected of it, and the minute at which it is looked at."""
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("the alerts are not run: no promtool; apt-get install prometheus")
    tests = [
        {
            "interval": "15s",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "alert_rule_test": [{"eval_time": f"{minutes}m", "alertname": name, "exp_alerts": expected}],
        }
        for series, expected, minutes in looks
    ]
    file = folder / "alerts.json"
    file.write_text(json.dumps({"rule_files": [str(RULES)], "evaluation_interval": "15s", "tests": tests}))
    done = subprocess.run([promtool, "test", "rules", file], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
