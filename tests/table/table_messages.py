"""The schema of what the table server sends, and the examples beside the protocol."""

import json
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

from tests.table.scripted_player import View

FOLDER: Final = Path(__file__).parents[2] / "clients" / "table" / "examples"
EXAMPLES: Final = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
SCHEMA: Final[dict[str, Any]] = json.loads((FOLDER.parent / "messages.schema.json").read_text("utf-8"))
_DEFS: Final = {"$defs": SCHEMA["$defs"]}
_SENT: Final = [
    SCHEMA["$defs"][one["$ref"].rpartition("/")[2]] if "$ref" in one else one
    for one in SCHEMA["$defs"]["Message"]["anyOf"]
]
MESSAGES: Final = {one["properties"]["type"]["const"]: Draft202012Validator({**_DEFS, **one}) for one in _SENT}
"""A validator by type of message; what a failing one says then names the path in that message."""
RESULTS: Final = {
    name: Draft202012Validator({**_DEFS, **one}) for name, one in SCHEMA["$defs"]["Results"]["properties"].items()
}


def message_faults(message: View) -> list[str]:
    """Return what is wrong with a message, and with the result of the command that its id names; each with its path."""
    faults = list(MESSAGES[message["type"]].iter_errors(message))
    command = message.get("id", "").partition("-")[0]
    if message["type"] == "done" and command in RESULTS:
        faults += RESULTS[command].iter_errors(message["result"])
    return [f"{fault.json_path}: {fault.message[:200]}" for fault in faults]
