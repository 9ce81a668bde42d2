"""The package that a game's author begins from: the example under another name, and the code of its protos."""

import base64
import re
import tempfile
from collections.abc import Iterator, Sequence
from importlib import resources, util
from pathlib import Path
from typing import Final

_PARTS: Final = ("README.md", "pyproject.toml", "client", "protos", "src", "tests")
"""What a game's package consists of; the example has tests of this project beside it."""
_WRITTEN: Final = frozenset({".md", ".proto", ".py", ".toml", ".ts", ".typed"})
_GENERATED: Final = re.compile(r"(^|/)\.|__pycache__|\.egg-info|node_modules|_pb2|descriptors\.ts")
"""Beside what is written by hand a clone may have what tools leave there, such as the cache of a type checker."""
_WIDTH: Final = 110
"""Characters of a line of a descriptor."""


class PackageError(ValueError):
    """A package that cannot be written, or whose protos cannot be compiled."""


def write_package(name: str, folder: Path) -> None:
    """Write the package of a new game of this name; raise PackageError if the folder is not empty."""
    _require_generator()
    if folder.exists() and any(folder.iterdir()):
        raise PackageError(f"{folder} is not empty; name another folder")
    for path, text in _example(name):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    _generate(folder)


def generate_code(folder: Path) -> None:
    """Generate the code of a package's protos into it; raise PackageError without protos, or for faulty ones."""
    _require_generator()
    if not list((folder / "protos").rglob("*.proto")):
        raise PackageError(f"{folder / 'protos'} has no .proto; give the folder of the package")
    _generate(folder)


def _require_generator() -> None:
    if util.find_spec("grpc_tools") is None:
        raise PackageError("grpc_tools is not installed, which generates code from protos: pip install grpcio-tools")


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
        raise PackageError(f"{folder / 'protos'} could not be compiled; see above")
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
            raise PackageError(f"{folder / 'protos'} could not be compiled; see above")
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
