"""The generated code that is committed is what the protos generate."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
VENV = Path(sys.executable).parents[1]
PROTOS = sorted((ROOT / "protos" / "referee" / "v1").glob("*.proto"))


def test_committed_code_equals_what_the_protos_generate(tmp_path):
    """A proto edited without ``make protos`` fails here."""
    command = ["make", "protos", f"OUT={tmp_path}", f"VENV={VENV}", f"STAMP={VENV}", f"DEV={VENV}"]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=280)
    generated = {path.name: path.read_bytes() for path in (tmp_path / "referee" / "v1").iterdir()}
    committed = {
        path.name: path.read_bytes()
        for path in (ROOT / "referee" / "v1").iterdir()
        if path.is_file() and path.name != "__init__.py"
    }
    assert sorted(generated) == sorted(committed)
    assert generated == committed
    kept = ROOT / "protos"
    assert (tmp_path / "README.md").read_bytes() == (kept / "README.md").read_bytes()
    pages = {path.name: path.read_bytes() for path in (kept / "api").iterdir()}
    assert "mau_binh.md" in pages
    assert {path.name: path.read_bytes() for path in (tmp_path / "api").iterdir()} == pages


def test_every_link_of_the_manual_leads_to_a_heading():
    manual = ROOT / "protos"
    anchors = {
        page: {line.lstrip("#").strip().lower().replace(".", "") for line in page.read_text("utf-8").splitlines()}
        for page in [manual / "README.md", *(manual / "api").glob("*.md")]
    }
    links = [
        (page, place, anchor)
        for page in anchors
        for place, anchor in re.findall(r"\]\(([\w./]*)#(\w+)\)", page.read_text("utf-8"))
    ]
    assert len(links) > 100
    broken = [
        link for link in links if link[2] not in anchors[(link[0].parent / link[1]).resolve() if link[1] else link[0]]
    ]
    assert broken == []


def test_every_proto_names_its_package_in_other_languages():
    """One package in each language, and no two files that generate one class."""
    modules = [importlib.import_module(f"referee.v1.{path.stem}_pb2") for path in PROTOS]
    options = [module.DESCRIPTOR.GetOptions() for module in modules]
    named = {(one.csharp_namespace, one.go_package, one.java_package, one.php_namespace) for one in options}
    assert named == {("Referee.V1", "referee/v1;refereev1", "referee.v1", "Referee\\V1")}
    assert all(one.java_multiple_files for one in options)
    assert len({one.java_outer_classname for one in options}) == len(PROTOS)
