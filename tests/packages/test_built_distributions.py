"""The sdist of each distribution, the wheel that it builds in an empty folder, and what forbids to release them."""

import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest
from packaging.version import Version
from readme_renderer import markdown

import referee
from tests.packages.release import faults
from tests.packages.wheelhouse import DISTRIBUTIONS, ROOT, artefacts, build

REQUIRED = {"Author", "Classifier", "Description", "Keywords", "License-Expression", "Requires-Python", "Summary"}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with every sdist and wheel."""
    return artefacts(tmp_path_factory)


@pytest.fixture(params=DISTRIBUTIONS)
def name(request: pytest.FixtureRequest) -> str:
    """Return the name of each distribution."""
    return str(request.param)


def wheel_of(built: Path, name: str) -> zipfile.ZipFile:
    (found,) = built.glob(f"{name.replace('-', '_')}-[0-9]*.whl")
    return zipfile.ZipFile(found)


def metadata_of(built: Path, name: str) -> Message:
    with wheel_of(built, name) as wheel:
        (file,) = [one for one in wheel.namelist() if one.endswith(".dist-info/METADATA")]
        return Parser().parsestr(wheel.read(file).decode("utf-8"))


def test_twine_finds_no_fault_with_any_artefact(built: Path):
    files = sorted(map(str, (*built.glob("*.whl"), *built.glob("*.tar.gz"))))
    assert len(files) == 2 * len(DISTRIBUTIONS)
    command = [sys.executable, "-m", "twine", "check", "--strict", *files]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == len(files)


def test_metadata_says_what_it_is_and_whose(built: Path, name: str):
    metadata = metadata_of(built, name)
    assert set(metadata.keys()) >= REQUIRED - {"Description"}
    assert metadata["Version"] == referee.__version__
    assert "LICENSE" in metadata.get_all("License-File", [])


def test_distributions_need_each_other_in_this_minor_version(built: Path):
    """0.x releases may break each other from minor version to minor version; see CONTRIBUTING.md."""
    major, minor = Version(referee.__version__).release[:2]
    bounds = f"<{major}.{minor + 1},>={major}.{minor}"
    required = {
        line.partition(";")[0].strip()
        for name in DISTRIBUTIONS
        if name != "referee"
        for line in metadata_of(built, name).get_all("Requires-Dist", [])
        if line.startswith("referee")
    }
    assert required
    assert {re.sub(r"^referee(-\w+)?(\[\w+\])?", "", one) for one in required} == {bounds}


def test_no_metadata_names_a_url_until_the_project_has_a_public_home(name: str):
    """The one who publishes adds the same addresses to all of them."""
    project = tomllib.loads((DISTRIBUTIONS[name] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    root = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project.get("urls") == root.get("urls")


def test_base_carries_protos_and_typed_stubs(built: Path):
    with wheel_of(built, "referee") as wheel:
        names = set(wheel.namelist())
        own = [one for one in names if one.endswith(".proto") and "/scaffold/" not in one]
        protos = {Path(one).name: wheel.read(one) for one in own}
    source = {path.name: path.read_bytes() for path in (ROOT / "protos" / "referee" / "v1").glob("*.proto")}
    assert protos == source
    assert {f"referee/v1/{Path(proto).stem}_pb2.pyi" for proto in protos} < names
    assert "referee/py.typed" in names


def test_source_of_the_base_has_no_client_and_of_the_tests_the_example_alone(built: Path):
    (sdist,) = built.glob("referee-[0-9]*.tar.gz")
    with tarfile.open(sdist) as archive:
        paths = [Path(one).parts[1:] for one in archive.getnames()]
    files = {"pyproject.toml", "PKG-INFO", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", ".gitignore"}
    assert {path[0] for path in paths} == {"referee", "protos", "tests", *files}
    example = {"README.md", "pyproject.toml", "client", "protos", "src", "tests"}
    assert {path[1:3] for path in paths if path[0] == "tests"} == {("fourth_game", part) for part in example}


def test_base_carries_the_example_that_new_games_are_written_from(built: Path):
    with wheel_of(built, "referee") as wheel:
        prefix = "referee/testing/scaffold/"
        packed = {one.removeprefix(prefix): wheel.read(one) for one in wheel.namelist() if one.startswith(prefix)}
    example = ROOT / "tests" / "fourth_game"
    assert {"README.md", "client/bai_cao.ts", "src/bai_cao/game.py", "tests/test_bai_cao.py"} < packed.keys()
    assert packed == {name: (example / name).read_bytes() for name in packed}


def test_table_carries_the_page_as_built(built: Path):
    with wheel_of(built, "referee-table") as wheel:
        prefix = "referee_table/page/"
        packed = {one.removeprefix(prefix): wheel.read(one) for one in wheel.namelist() if one.startswith(prefix)}
    dist = ROOT / "clients" / "web" / "dist"
    page = {str(path.relative_to(dist)): path.read_bytes() for path in dist.rglob("*") if path.is_file()}
    assert "index.html" in page
    assert packed == page
    assert "src/referee_table/page/licenses.md" in metadata_of(built, "referee-table").get_all("License-File", [])


def test_table_without_a_page_does_not_build(tmp_path: Path):
    project = tmp_path / "table"
    shutil.copytree(DISTRIBUTIONS["referee-table"], project, ignore=shutil.ignore_patterns("page", "examples"))
    with pytest.raises(FileNotFoundError, match="page"):
        build(project, tmp_path / "out")


@pytest.mark.parametrize(
    ("prefix", "rows", "folders"),
    [
        ("referee_harness/vectors/", "vectors", ("mau_binh", "tien_len", "ultimate_texas")),
        ("referee_harness/cases/rows/", "cases", ("mau_binh", "tien_len", "ultimate_texas", "protocol")),
    ],
)
def test_harness_carries_the_vectors_and_cases_of_every_game(built: Path, prefix: str, rows: str, folders: tuple):
    with wheel_of(built, "referee-harness") as wheel:
        packed = {one.removeprefix(prefix) for one in wheel.namelist() if one.startswith(prefix)}
    folder = ROOT / "tests" / rows
    files = {str(file.relative_to(folder)) for part in folders for file in (folder / part).glob("*.jsonl")}
    assert files
    assert files <= packed


@pytest.fixture
def tree(tmp_path):
    for name in ("SECURITY.md", "CHANGELOG.md"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def edit(path, old, new):
    text = path.read_text("utf-8")
    assert len(re.findall(old, text, re.MULTILINE)) == 1
    path.write_text(re.sub(old, new, text, flags=re.MULTILINE), "utf-8")


def test_a_release_needs_an_address_and_a_date(tree):
    edit(tree / "SECURITY.md", r"^Write in private to: .*$", "Write in private to: (address of the publisher)")
    edit(tree / "CHANGELOG.md", r"^## 0\.1\.0, .*$", "## 0.1.0, the first release")
    assert [fault.partition(":")[0] for fault in faults(tree, "0.1.0")] == ["SECURITY.md", "CHANGELOG.md"]
    edit(tree / "CHANGELOG.md", r"^## 0\.1\.0, .*$", "## 0.1.0, 2027-01-31")
    edit(tree / "SECURITY.md", r"^Write in private to: .*$", "Write in private to: security@example.org")
    assert list(faults(tree, "0.1.0")) == []


@pytest.mark.parametrize("contact", ["", "(address)", "see the web site", "a@b"])
def test_an_address_that_is_none_is_refused(tree, contact):
    edit(tree / "SECURITY.md", r"^Write in private to: .*$", f"Write in private to: {contact}")
    assert any(fault.startswith("SECURITY.md") for fault in faults(tree, "0.1.0"))


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_description_as_an_index_shows_it_has_no_dead_link_or_picture(built, name):
    """Rendered by the index's own library: every link leads to the web, or into the page itself."""
    text = str(metadata_of(built, name).get_payload())
    assert len(text) > 500
    html = markdown.render(text)
    assert html is not None
    targets = re.findall(r'(?:href|src)="([^"]*)"', html)
    assert [target for target in targets if not target.startswith(("http://", "https://", "#"))] == []
    assert "](" not in re.sub(r"<pre.*?</pre>", "", html, flags=re.DOTALL)
