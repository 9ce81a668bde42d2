"""Every page of the tree is in a list of the site; the build says so too, but takes a minute."""

import fnmatch
import re
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
INDEX: Final = ROOT / ".docs" / "pages" / "index.md"
NO_PAGES: Final = (".github/", ".docs/", "clients/web/dist/")
"""As in ``.docs/build.py``."""
LISTED: Final = re.compile(r"^(?:.* <)?([\w/.*-]+)>?$", re.MULTILINE)


def test_every_page_is_in_a_list_of_the_site() -> None:
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    pages = [name for name in found.stdout.splitlines() if (ROOT / name).exists() and not name.startswith(NO_PAGES)]
    lists = re.findall(r"```\{toctree\}\n(.*?)```", INDEX.read_text("utf-8"), re.DOTALL)
    listed = [name for one in lists for name in LISTED.findall(one)]
    assert len(pages) > 40
    missing = [one for one in pages if not any(fnmatch.fnmatch(one.removesuffix(".md"), name) for name in listed)]
    assert missing == [], f"add them to {INDEX.relative_to(ROOT)}"
    kept = [ROOT / f"{name}.md" for name in listed if "*" not in name and not name.startswith("reference/")]
    assert [str(path) for path in kept if not path.exists()] == []
