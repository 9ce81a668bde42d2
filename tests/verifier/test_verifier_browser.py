"""The built library in a browser: a page loads its modules and verifies a bundle in headless Chromium."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests import browser_flags
from tests.audit.audit_builder import NOW, LogBuilder, Table
from tests.node_project import build
from tests.verifier.verifier_bundles import bundle_of, round_ids
from tests.verifier.verifier_project import SECONDS
from tests.verifier.verifier_serving import served

pytestmark = pytest.mark.slow("drives a browser")

FLAGS = ("--headless", *browser_flags.FLAGS, "--virtual-time-budget=20000", "--dump-dom")
PAGE = """<!doctype html>
<meta charset="utf-8">
<script type="importmap">
{"imports": {"@noble/curves/": "/node_modules/@noble/curves/", "@noble/hashes/": "/node_modules/@noble/hashes/"}}
</script>
<pre id="result"></pre>
<script id="input" type="application/json">%s</script>
<script type="module">
import { verifyRound } from "/dist/index.js";
const { bundles, now } = JSON.parse(document.getElementById("input").textContent);
const results = bundles.map((bundle) => {
  const keys = { origin: bundle.origin, logKey: bundle.log_key, rootKey: bundle.root_key };
  return verifyRound(bundle, keys, { now });
});
document.getElementById("result").textContent = JSON.stringify(results);
</script>
"""


@pytest.fixture(scope="module")
def chromium() -> str:
    """Return the path of Chromium; skip if it is not installed."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path is not None:
            return path
    pytest.skip("the page in a browser is not tested: chromium is not on the path")


def shown(chromium: str, address: str, profile: Path) -> list[dict[str, Any]]:
    """Open a page and return the results that it shows."""
    command = [chromium, *FLAGS, f"--user-data-dir={profile}", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found = re.search(r'<pre id="result">(\[.*?)</pre>', done.stdout, re.DOTALL)
    assert found is not None, done.stdout[-3000:] + done.stderr[-3000:]
    results: list[dict[str, Any]] = json.loads(html.unescape(found[1]))
    return results


def test_page_verifies_a_bundle_and_refuses_it_edited(project: Path, chromium: str, tmp_path: Path) -> None:
    log = LogBuilder.founded()
    table = Table(name="lon", ruleset_id="tien_len.mien_nam", seats=3, keyed=True)
    for _ in range(2):
        log.play(table)
    whole = log.bundle()
    bundle = bundle_of(whole, round_ids(whole.entries)[-1])
    last = bundle["leaves"][-1]
    edited = {**bundle, "leaves": [*bundle["leaves"][:-1], {**last, "proof": last["proof"][::-1]}]}
    data = json.dumps({"bundles": [bundle, edited], "now": NOW}).replace("<", "\\u003c")
    build(project, "build")
    with served(project, page=PAGE % data) as address:
        good, bad = shown(chromium, address, tmp_path / "profile")
    assert (good["passed"], good["findings"], good["dealing_level"]) == (True, [], "L2")
    passed = {check["code"] for check in good["checks"] if check["outcome"] == "PASSED"}
    assert {"CHECKPOINT", "TREE", "SIGNATURES", "SEED_SIGNATURES", "DECK", "CARDS", "MONEY"} <= passed
    assert (bad["passed"], [one["code"] for one in bad["findings"]]) == (False, ["ROOT_MISMATCH"])
