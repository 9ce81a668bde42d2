"""The site: every page of the tree, and references made from the code, as one folder of HTML with a search of its own.

Run it by ``make docs``. Sphinx and typedoc have environments of their own (``requirements.txt`` and ``package.json``
beside this file), and see this project's code through the one that runs this script.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent
sys.path[:0] = [str(ROOT), str(ROOT / "protos"), str(HERE)]

import openapi  # noqa: E402 - beside this file
import reasons  # noqa: E402 - beside this file

from tests import node_project  # noqa: E402 - found by the path above
from tests.web.web_client import CLIENT, VERIFIER, buf  # noqa: E402 - as above

NO_PAGES: Final = (".github/", ".docs/", "clients/web/dist/")
"""Folders whose texts are for a forge, the build or a licence, and are no pages of the site."""
INHERITED: Final = re.compile(r"^#+ (?:Inherited from|Implementation of|Overrides)\n\n.*\n\n?", re.MULTILINE)
"""Where a member comes from, which typedoc says of each."""
LINK: Final = re.compile(r"\]\(([^)#\s]+)(?:#[^)\s]*)?\)")


def main(site: Path) -> None:
    """Build the site in a folder, in ``html``; end with an error for any warning of a tool."""
    shutil.rmtree(site, ignore_errors=True)
    source, html, python = site / "source", site / "html", Path(f"{sys.prefix}-docs") / "bin" / "python"
    typescript(source / "reference" / "typescript")
    for page in tracked_pages():
        copy_page(page, source)
    for page in (HERE / "pages").rglob("*.md"):
        copy(page, source / page.relative_to(HERE / "pages"))
    (source / "reference" / "reasons.md").write_text(reasons.page(), "utf-8")
    (source / "openapi.json").write_text(json.dumps(openapi.document(), indent=1, ensure_ascii=False), "utf-8")
    run(str(python), "-m", "openapi_spec_validator", str(source / "openapi.json"))
    options = ["--nitpicky", "--fail-on-warning", "--keep-going", "--quiet", "--jobs", "auto", "--conf-dir", str(HERE)]
    run(str(python), "-m", "sphinx", *options, "--doctree-dir", str(site / "doctrees"), str(source), str(html))
    copy(source / "openapi.json", html / "openapi.json")


def tracked_pages() -> Iterator[Path]:
    """Yield the pages of the tree, by their paths in it."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S603 - these words
    names = listed.stdout.splitlines()
    yield from (Path(name) for name in names if not name.startswith(NO_PAGES) and (ROOT / name).exists())


def copy_page(page: Path, source: Path) -> None:
    """Copy a page among the site's sources, with the pictures and files of the tree that it links to."""
    copy(ROOT / page, source / page)
    for target in LINK.findall((ROOT / page).read_text("utf-8")):
        path = (ROOT / page.parent / target).resolve()
        if path.is_file() and path.suffix != ".md" and path.is_relative_to(ROOT):
            copy(path, source / path.relative_to(ROOT))


def copy(path: Path, target: Path) -> None:
    """Copy a file; Sphinx would follow a symbolic link out of its folder."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)


def typescript(folder: Path) -> None:
    """Write the pages of the TypeScript SDK, a folder for each entry of the package."""
    node_project.offer_node()
    for project in (HERE, VERIFIER, CLIENT):
        if why := node_project.install(project):
            raise SystemExit(why)
    node_project.build(VERIFIER, "build")
    node_project.build(CLIENT, "generate", environment={"BUF": buf()})
    program = HERE / "node_modules" / "typedoc" / "bin" / "typedoc"
    run("node", str(program), "--options", str(HERE / "typedoc.json"), "--out", str(folder))
    for page in folder.glob("*.md"):
        entry = "referee-client" if page.stem == "index" else f"referee-client/{page.stem}"
        text = INHERITED.sub("", page.read_text("utf-8")).replace(f"# {page.stem}\n", f"# {entry}\n", 1)
        page.write_text(text, "utf-8")


def run(*command: str) -> None:
    """Run a command; end with its output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - the callers' words
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
