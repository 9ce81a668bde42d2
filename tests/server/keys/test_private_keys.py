"""Private keys are touched in one file."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).parents[3] / "referee"


def test_only_one_file_can_sign():
    """No other module imports anything of PyNaCl that makes or uses a private signing key."""
    signing = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nacl") and can_sign(node))
        or (isinstance(node, ast.Import) and any(name.name.startswith("nacl") for name in node.names))
    }
    assert signing == {"server/keys/private_key.py"}


def can_sign(node):
    """Whether an import brings in PyNaCl's signing module, all of its bindings, or the binding that signs."""
    if node.module == "nacl.signing":
        return True
    return any(name.name in {"signing", "bindings", "crypto_sign", "crypto_sign_seed_keypair"} for name in node.names)
