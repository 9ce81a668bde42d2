"""What is built for an index, and what forbids to build it."""

import re
import shutil

import pytest
from readme_renderer import markdown

from tests.packages.release import ROOT, faults
from tests.packages.test_built_distributions import built, metadata_of
from tests.packages.wheelhouse import DISTRIBUTIONS

__all__ = ["built"]


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
