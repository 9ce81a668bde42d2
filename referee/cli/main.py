"""The command line: one command a module, each registered here."""

import typer

from referee.cli import audit, demo, export, keys, replay, rulesets, serve

app = typer.Typer(
    help="Deals, judges, settles and proves rounds of card games over gRPC.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("serve")(serve.serve)
app.command("demo")(demo.demo)
app.command("audit")(audit.audit)
app.command("export")(export.export)
app.command("replay")(replay.replay)
app.add_typer(rulesets.app, name="rulesets")
app.command("keys")(keys.keys)


def main() -> None:
    """Runs the command that the process was started with."""
    app()
