"""Rulesets of cases that change knobs of a released one, each in a file and with an id of its own."""

import json
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from referee_harness.cases.rows import Case

from referee.rulesets import Catalogue, load_folder

RULESETS: Final = Path(__file__).parents[2] / "referee" / "rulesets"


def named(case: Case) -> Case:
    """Return the case with the id of its own ruleset, if it changes rules."""
    if not case.head.get("rules"):
        return case
    own = f"{case.game}.{re.sub('[^a-z0-9]', '_', case.head['case'])}"
    return replace(case, head=dict(case.head) | {"ruleset": own, "base": case.head["ruleset"]})


def text_of(case: Case) -> str:
    """Return the released ruleset with the case's knobs, under the case's id."""
    base, rules = case.head["base"], case.head["rules"]
    text = (
        (RULESETS / f"{base}.toml")
        .read_text(encoding="utf-8")
        .replace(f'id = "{base}"', f'id = "{case.head["ruleset"]}"')
    )
    for knob, value in rules.items():
        text = _without_instant_wins(text) if knob == "instant_wins" else _changed(text, knob, value)
    return text


def _without_instant_wins(text: str) -> str:
    text = re.sub(r"(?s)\[\[instant_wins\]\].*?(?=\n\[[^\[])", "", text)
    text = re.sub(r"(?s)\[names\.pattern\].*?\n\n", "[names.pattern]\n\n", text)
    return text.replace("\n[title]", "instant_wins = []\n\n[title]")


def _changed(text: str, knob: str, value: Any) -> str:  # noqa: ANN401 - of any type
    changed, count = re.subn(rf"(?m)^{knob} = (?=\[.*\]$|\"[A-Z]|30$).*$", f"{knob} = {json.dumps(value)}", text)
    assert count, knob
    return changed


def catalogue_for(cases: Iterable[Case], folder: Path) -> Catalogue:
    """Return the released rulesets, the examples, and those of these cases, whose files are written to a folder."""
    texts: Mapping[str, str] = {case.head["ruleset"]: text_of(case) for case in cases if case.head.get("rules")}
    for name, text in texts.items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
    for example in (RULESETS / "examples").glob("*.toml"):
        shutil.copy(example, folder)
    return load_folder(folder)
