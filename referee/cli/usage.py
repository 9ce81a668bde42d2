"""Placeholders for values, and examples, which the help of each command shows.

Placeholders are in capitals and name the kind of value (``FILE``, ``KEY``), not a type of Python. Each example is a
command line that the command accepts; a test parses them all.
"""

from types import MappingProxyType
from typing import Any, Final

_KINDS: Final = {
    "SECONDS": "begins_in every max_age seconds",
    "FILE": (
        "ca cert cert_key config file held html key logs new_passphrase_file outgrown passphrase_file receipt root "
        "seeds svg token_file witnessed"
    ),
    "FOLDER": "data folder rulesets",
    "URL": "database scheduler",
    "GAME": "game",
    "KEY": "issuer log log_key root_key witness",
    "ADDRESS": "listen metrics web",
    "PLACE": "location place",
    "NAME": "name origin",
    "ROUND": "round_number",
    "RULESET": "ruleset_id",
    "TABLE": "table table_id",
    "PATTERN": "tables",
    "TENANT": "tenant",
    "TOKEN": "token",
    "ID": "token_id",
    "VERSION": "version",
    "ORIGIN": "web_origin",
}
"""Names of options and arguments by the kind of their value."""
PLACEHOLDERS: Final = MappingProxyType({name: kind for kind, names in _KINDS.items() for name in names.split()})
"""Placeholders by the name of the option or argument; others have one by the type of their value."""
_BY_TYPE: Final = MappingProxyType({"int": "N", "float": "N", "Path": "FILE", "str": "TEXT"})

EXAMPLES: Final = MappingProxyType(
    {
        "audit": (
            "referee audit referee-data",
            "referee audit play.example.com:443 --tls --log-key KEY --root-key KEY",
            "referee audit tiles --log-key KEY --root-key KEY --html report.html",
        ),
        "backup": ("referee backup log-2026-11-23.sqlite3",),
        "config": ("referee config example > referee.toml", "referee config check --config referee.toml"),
        "demo": ("referee demo", "referee demo --rounds 20 --data demo-data", "referee demo --rounds 1 --json"),
        "dispute": (
            "referee dispute round.json --held move.json --log-key KEY --root-key KEY",
            "referee dispute referee-data acme.vip-7 42 --held kept.json --html page.html",
        ),
        "doctor": ("referee doctor --config referee.toml",),
        "export": ("referee export acme.vip-7 42 --out round.json",),
        "fairness-report": ("referee fairness-report --html fairness.html",),
        "keys": ("referee keys --public", "referee keys --make --origin play.example.com/log"),
        "keys decrypt": ("referee keys decrypt --passphrase-file old.key",),
        "keys encrypt": ("referee keys encrypt --root root.key --json",),
        "keys passwd": ("referee keys passwd --new-passphrase-file new.key",),
        "keys revoke": ("referee keys revoke shuffler", "referee keys revoke shuffler --json"),
        "keys rotate": ("referee keys rotate log --root root.key", "referee keys rotate referee --json"),
        "learn": ("referee learn my_house.mau_binh --rulesets my-rulesets",),
        "odds": ("referee odds ultimate_texas.casino", "referee odds tien_len.mien_nam --json"),
        "publish": ("referee publish /srv/www/log --follow", "referee publish s3://bucket/log"),
        "replay": ("referee replay acme.vip-7 42", "referee replay --file transcript.json"),
        "restore": ("referee restore log-2026-11-23.sqlite3 --data referee-data",),
        "games": ("referee games new high_card", "referee games protos --folder high_card"),
        "rounds": (
            "referee rounds referee-data --out rounds",
            "referee rounds play.example.com:443 --tls --out rounds --json",
        ),
        "rulesets": ("referee rulesets list", "referee rulesets show tien_len.mien_nam > house.toml"),
        "rulesets check": ("referee rulesets check my-rulesets",),
        "advise": ("referee advise --listen unix:/run/referee/advice --rulesets my-rulesets",),
        "serve": (
            "referee serve",
            "referee serve --config referee.toml --workers 4",
            "referee serve --web 127.0.0.1:8080 --web-origin https://play.example.com",
        ),
        "token": ("referee token key issuer.key --name acme.example/tokens", "referee token roles"),
        "token revoke": ("referee token revoke ID --file revoked.txt --json",),
        "token issue": ("referee token issue --key k.key --role frontend --name lobby --tenant acme",),
        "verify": ("referee verify round.json --log-key KEY --root-key KEY",),
        "witness": ("referee witness --log KEY --listen 127.0.0.1:50052",),
    }
)
"""Command lines by the name of the command that they run; a subcommand's name follows its group's."""


def describe(command: Any, name: str) -> Any:  # noqa: ANN401 - typer exports no type for its commands
    """Add placeholders and examples to the help of a command and its subcommands; return the command."""
    command.help = _plain(command.help)
    command.short_help = _plain(command.short_help) or (command.help or "").partition("\n\n")[0].replace("\n", " ")
    for parameter in command.params:
        parameter.help = _plain(parameter.help)
        if parameter.metavar is None and not getattr(parameter, "is_flag", False):
            parameter.metavar = _placeholder(parameter)
        if parameter.param_type_name == "argument":
            parameter.display_type = lambda _context: ""
    examples = EXAMPLES.get(name, ())
    if examples:
        command.epilog = "\b\nExamples:\n" + "\n".join(f"  {line}" for line in examples)
    for short, child in getattr(command, "commands", {}).items():
        describe(child, f"{name} {short}")
    return command


def _plain(text: str | None) -> str | None:
    """Remove the backticks that mark code in the docstrings that become help."""
    return None if text is None else text.replace("`", "")


def _placeholder(parameter: Any) -> str | None:  # noqa: ANN401 - as in ``describe``
    """Return the placeholder of a value; None for a choice, whose values the help lists."""
    kind = parameter.type_descriptor
    if kind.is_choice:
        return None
    if kind.is_path and kind.path_type == "dir":
        return "FOLDER"
    name = str(kind.annotation)
    by_type = next((word for part, word in _BY_TYPE.items() if part in name), "TEXT")
    return PLACEHOLDERS.get(parameter.name, by_type)
