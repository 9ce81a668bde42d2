"""``referee games``."""

import base64
import re
import tempfile
from collections.abc import Iterator, Sequence
from importlib import resources, util
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.command import Commands
from referee.cli.options import fail
from referee.cli.paper import paper
from referee.games import GAMES

app = Commands(
    examples=["referee games new high_card", "referee games protos --folder high_card"],
    help="Show the games at hand, and begin the package of a new one.",
    no_args_is_help=True,
)

_PARTS: Final = ("README.md", "pyproject.toml", "client", "protos", "src", "tests")
"""What a game's package consists of; the example has tests of this project beside it."""
_WRITTEN: Final = frozenset({".md", ".proto", ".py", ".toml", ".ts", ".typed"})
_GENERATED: Final = re.compile(r"(^|/)\.|__pycache__|\.egg-info|node_modules|_pb2|descriptors\.ts")
"""Beside what is written by hand a clone may have what tools leave there, such as the cache of a type checker."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_WIDTH: Final = 110
"""Characters of a line of a descriptor."""
_NO_GENERATOR: Final = "grpc_tools is not installed, which generates code from protos: pip install grpcio-tools"


@app.command("list")
def list_games() -> None:
    """Show each game's name and title."""
    for name, game in GAMES.items():
        paper().print(f"{name}  {game.title}")


@app.command("new")
def new_game(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The game's name, in lowercase words joined by _, such as high_card.")
    ],
    *,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write the package; a folder of its name here.")
    ] = None,
) -> None:
    """Write a package with a small game that is served, tested and audited: a start for your own.

    Replace its rules by yours, file by file. Its tests check the properties that every game must have.
    """
    if not _NAME.fullmatch(name) or name in GAMES:
        taken = ", ".join(GAMES)
        fail(f"{name!r} cannot name a new game; give lowercase words joined by _, none of {taken}")
    if util.find_spec("grpc_tools") is None:
        fail(_NO_GENERATOR)
    target = folder or Path(name)
    if target.exists() and any(target.iterdir()):
        fail(f"{target} is not empty; name another folder")
    for path, text in _example(name):
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, "utf-8")
    _generate(target)
    paper().print(f"{target} has the package; install it with its tests: pip install -e {target} && pytest {target}")


@app.command("protos")
def generate_protos(
    *,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The folder of the package; this one without it.")
    ] = Path(),
) -> None:
    """Generate the code of a game's protos into its package."""
    if util.find_spec("grpc_tools") is None:
        fail(_NO_GENERATOR)
    if not list((folder / "protos").rglob("*.proto")):
        fail(f"{folder / 'protos'} has no .proto; give the folder of the package")
    _generate(folder)


def _example(name: str) -> Iterator[tuple[str, str]]:
    """Yield the files of the example, the game of its own package, under another name: their paths and texts.

    A wheel has them beside the kit for tests, a clone where the game is tested.
    """
    beside = resources.files("referee")
    packaged, cloned = Path(str(beside / "testing" / "scaffold")), Path(str(beside)).parent / "tests" / "fourth_game"
    folder = packaged if packaged.is_dir() else cloned
    (example,) = (path.name for path in (folder / "protos").iterdir())
    (title,) = re.findall(r"\A# (.+)", (folder / "README.md").read_text("utf-8"))
    words = {title: _spelled(name)[0], **dict(zip(_spelled(example), _spelled(name), strict=True))}
    spelling = re.compile("|".join(map(re.escape, words)))
    for file in sorted(path for part in _PARTS for path in (folder / part, *(folder / part).rglob("*"))):
        path = str(file.relative_to(folder))
        if file.is_file() and file.suffix in _WRITTEN and not _GENERATED.search(path):
            new_path, text = (spelling.sub(lambda old: words[old[0]], old) for old in (path, file.read_text("utf-8")))
            yield new_path, text


def _spelled(name: str) -> list[str]:
    """Return the spellings of a name: title, module, distribution, class, and variable in TypeScript."""
    words = [word.capitalize() for word in name.split("_")]
    return [" ".join(words), name, name.replace("_", "-"), "".join(words), "".join([words[0].lower(), *words[1:]])]


def _generate(folder: Path) -> None:
    from grpc_tools import protoc  # type: ignore[import-untyped] # noqa: PLC0415 - an author's tool, of no extra

    protos = [str(path.relative_to(folder / "protos")) for path in sorted((folder / "protos").rglob("*.proto"))]
    outputs = [f"--{kind}_out={folder / 'src'}" for kind in ("python", "pyi", "grpc_python")]
    if protoc.main(["protoc", *[f"-I{path}" for path in (folder / "protos", *_includes())], *outputs, *protos]):
        fail(f"{folder / 'protos'} could not be compiled; see above")
    _write_descriptor(folder, protos)


def _write_descriptor(folder: Path, protos: Sequence[str]) -> None:
    """Write the descriptor of the proto with the game's service for its client in TypeScript, if it has a client."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet  # noqa: PLC0415 - of the extra server
    from grpc_tools import protoc  # noqa: PLC0415 - as above

    target = folder / "client" / "descriptors.ts"
    if not target.parent.is_dir():
        return
    with tempfile.TemporaryDirectory() as made:
        out = Path(made) / "set"
        includes = [f"-I{path}" for path in (folder / "protos", *_includes())]
        if protoc.main(["protoc", *includes, f"--descriptor_set_out={out}", *protos]):
            fail(f"{folder / 'protos'} could not be compiled; see above")
        files = FileDescriptorSet.FromString(out.read_bytes()).file
    (file,) = [file for file in files if file.service]
    text = base64.b64encode(file.SerializeToString(deterministic=True)).decode()
    lines = [f'  "{text[at : at + _WIDTH]}",' for at in range(0, len(text), _WIDTH)]
    head = f"/** The descriptor of protos/{file.name}, made by `referee games protos`; do not edit it. */"
    written = [head, "", "export const DESCRIPTOR = [", *lines, '].join("");', ""]
    target.write_text("\n".join(written), "utf-8")


def _includes() -> list[Path]:
    """Return the folders with protos: Referee's own, installed beside it or in its tree, and those of libraries."""
    beside = Path(str(resources.files("referee"))).parent
    found = [beside, beside / "protos", Path(str(resources.files("grpc_tools"))) / "_proto"]
    google = util.find_spec("google.rpc.status_pb2")
    if google is not None and google.origin is not None:
        found.append(Path(google.origin).parents[2])
    return [folder for folder in found if folder.is_dir()]
