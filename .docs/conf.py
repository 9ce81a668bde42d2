"""Configuration of Sphinx for the site; ``build.py`` beside this file runs it."""

import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Final

import referee_client
from docutils import nodes
from referee_client.state import RoundView
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

project = "Referee"
author = "The Referee authors"
copyright = author  # noqa: A001 - as Sphinx names it
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
source_suffix = {".md": "markdown"}

myst_heading_anchors = 6
myst_enable_extensions = ["fieldlist"]

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_default_options = {"members": True, "undoc-members": True}
autodoc_preserve_defaults = True
autodoc_class_signature = "mixed"
nitpick_ignore_regex = [
    # Classes of libraries and type variables, whose pages are not fetched, and what the SDK keeps to itself.
    (
        r"py:.*",
        r"(grpc|google|collections|typing|os|pathlib|enum|msgspec|types|referee\.(games|dealing|transcript))\..*",
    ),
    (r"py:(class|obj)", r"(.*\.)?(RoundMessage|Outcome|P|Answer)"),
]
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = "Referee"
html_extra_path: list[str] = []
html_show_sphinx = False
html_copy_source = False

TWIN: Final = re.compile(r"As ``(\w+)\.(\w+)``\.?")
ENUM: Final = re.compile(r"<google\.protobuf\.[\w.]*EnumTypeWrapper object at 0x[0-9a-f]+>")
MESSAGE: Final = re.compile(r"(?:referee\.v1\.)?(\w+)_pb2\.([\w.]+)")
ROOT: Final = Path(__file__).parents[1]
FOLDER_LINK: Final = re.compile(r"\[([^\]]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)")


def link_readmes(_: Sphinx, name: str, source: list[str]) -> None:
    """Have a link to a folder lead to its README, as a forge does; a folder without one is no link."""
    here = (ROOT / name).parent

    def readme(found: re.Match[str]) -> str:
        words, folder, anchor = found.groups()
        if not (here / folder).is_dir():
            return found[0]
        is_page = (here / folder / "README.md").is_file()
        return f"[{words}]({folder.rstrip('/')}/README.md{anchor or ''})" if is_page else words

    source[0] = FOLDER_LINK.sub(readme, source[0])


def take_twin(_app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Give a method whose docstring is "As ``AsyncClient.game``." the docstring of that method."""
    found = TWIN.fullmatch("\n".join(lines).strip())
    if found:
        twin = getattr(getattr(referee_client, found[1]), found[2])
        lines[:] = (inspect.getdoc(twin) or "").splitlines()


def sign(
    _app: Sphinx,
    _what: str,
    _name: str,
    documented: object,
    _options: object,
    signature: str | None,
    returns: str | None,
) -> tuple[str, str] | None:
    """Show rounds, which a client makes, without their constructors, and enums of messages by their names."""
    if isinstance(documented, type) and issubclass(documented, RoundView):
        return "", ""
    if signature is None:
        return None
    shown = [ENUM.sub(lambda found: _enums()[found[0]], text or "") for text in (signature, returns)]
    return shown[0], shown[1]


@cache
def _enums() -> dict[str, str]:
    """Return the name of each enum of messages by its ``repr``, which autodoc shows."""
    modules = [(name, module) for name, module in sys.modules.items() if name.startswith("referee.v1.")]
    return {repr(value): f"{name}.{key}" for name, module in modules for key, value in vars(module).items()}


def link_messages(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Have the type of a message lead to its description among the API's pages."""
    found = MESSAGE.fullmatch(node.get("reftarget", ""))
    if found is None:
        return None
    file, name = found.groups()
    service = f"protos/api/{file}"
    page = service if service in env.found_docs else "protos/api/shared"
    return make_refnode(app.builder, node["refdoc"], page, name.replace(".", "").lower(), content)


def setup(app: Sphinx) -> None:
    """Register what the configuration adds."""
    app.connect("source-read", link_readmes)
    app.connect("autodoc-process-docstring", take_twin)
    app.connect("autodoc-process-signature", sign)
    app.connect("missing-reference", link_messages)
