"""The command line: one command a module, each registered here."""

import typer

from referee.cli import (
    audit,
    backup,
    config,
    demo,
    doctor,
    export,
    fairness,
    keys,
    learn,
    odds,
    publish,
    replay,
    rulesets,
    serve,
    token,
    verify,
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
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)
app.command("audit")(audit.audit)
app.command("export")(export.export)
app.command("verify")(verify.verify)
app.command("learn")(learn.learn)
app.command("odds")(odds.odds)
app.command("publish")(publish.publish)
app.command("backup")(backup.backup)
app.command("restore")(backup.restore)
app.command("replay")(replay.replay)
app.add_typer(rulesets.app, name="rulesets")
app.add_typer(keys.app, name="keys")
app.add_typer(config.app, name="config")
app.add_typer(token.app, name="token")
app.command("witness")(witness.witness)
app.command("fairness-report")(fairness.fairness_report)


def main() -> None:
    """Runs the command that the process was started with."""
    app()
