"""The command line: one command a module, each registered here."""

import typer

from referee.cli import (
    audit,
    backup,
    demo,
    export,
    fairness,
    keys,
    learn,
    odds,
    publish,
    replay,
    rulesets,
    serve,
    witness,
)

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
app.command("learn")(learn.learn)
app.command("odds")(odds.odds)
app.command("publish")(publish.publish)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("replay")(replay.replay)
app.add_typer(rulesets.app, name="rulesets")
app.add_typer(keys.app, name="keys")
app.command("witness")(witness.witness)
app.command("fairness-report")(fairness.fairness_report)


def main() -> None:
    """Runs the command that the process was started with."""
    app()
