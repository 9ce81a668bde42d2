"""``referee token``: keys that issue tokens, tokens, and who may ask what."""

import os
import secrets
import sys
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.cli.options import FOUND, PassphraseFile, fail, passphrase_of
from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey
from referee.server.access.caller import CallerRole
from referee.server.access.roles import markdown
from referee.server.access.token import Claims, TokenError, issue, read_token
from referee.server.clock import system_clock
from referee.server.keys import KeyFileError, open_or_make_key, read_key

app = typer.Typer(
    help="Make keys that issue tokens, issue and show tokens, show who may ask what.", no_args_is_help=True
)

KeyFile = Annotated[Path, typer.Option("--key", help="The issuer's private key.")]


@app.command()
def key(
    file: Annotated[Path, typer.Argument(help="The issuer's private key, made where there is none.")],
    *,
    name: Annotated[str, typer.Option(help="The issuer's name, such as acme.example/tokens.")],
    passphrase_file: PassphraseFile = None,
) -> None:
    """Print an issuer's verifier key, for ``access.issuers`` of the servers that shall take its tokens."""
    try:
        passphrase = passphrase_of(passphrase_file)
        signer = open_or_make_key(
            file, name=name, algorithm=Algorithm.ED25519, entropy=os.urandom, passphrase=passphrase
        )
    except (KeyFileError, KeyTextError, OSError) as error:
        fail(str(error))
    typer.echo(signer.verifier_key)


@app.command("issue")
def issue_token(  # noqa: PLR0913 - one parameter a claim
    *,
    key: KeyFile,
    role: Annotated[CallerRole, typer.Option(help="What its bearer is there for.")],
    name: Annotated[str, typer.Option(help="Its bearer's name, for log lines and limits.")],
    tenant: Annotated[str, typer.Option(help="Whose tables it is for; * for every tenant's.")],
    tables: Annotated[str, typer.Option(help="A pattern that narrows them, such as acme.vip-*.")] = "",
    table: Annotated[str, typer.Option(help="A seat's table.")] = "",
    round_number: Annotated[int | None, typer.Option("--round", help="A seat's round.", min=1)] = None,
    seat: Annotated[int | None, typer.Option(help="The seat, 0-based.", min=0)] = None,
    seconds: Annotated[int, typer.Option(help="How long it counts.", min=1)] = 3600,
    begins_in: Annotated[int, typer.Option(help="Seconds until it counts.", min=0)] = 0,
    token_id: Annotated[str, typer.Option("--id", help="What it is revoked by; made up where none is given.")] = "",
    passphrase_file: PassphraseFile = None,
) -> None:
    """Print a token: send it with every call, as ``authorization: Bearer TOKEN``. A seat's is for one round."""
    now = system_clock() // 1000
    try:
        signer = read_key(key, passphrase_of(passphrase_file))
        claims = Claims(
            id=token_id or secrets.token_hex(8),
            issuer=signer.name,
            name=name,
            role=role,
            tenant=tenant,
            not_before=now + begins_in,
            expires=now + begins_in + seconds,
            issued=now,
            tables=tables or msgspec.UNSET,
            table=table or msgspec.UNSET,
            round=msgspec.UNSET if round_number is None else round_number,
            seat=msgspec.UNSET if seat is None else seat,
        )
        text = issue(claims, signer)
    except (KeyFileError, TokenError) as error:
        fail(str(error))
    typer.echo(text)


@app.command()
def show(
    token: Annotated[str, typer.Argument(help="The token; - reads it from standard input.")],
    *,
    issuer: Annotated[str, typer.Option(help="A verifier key that should have signed it.")] = "",
) -> None:
    """Print what a token claims, as JSON. Exit code 1 where the issuer named did not sign it."""
    try:
        found = read_token((sys.stdin.read() if token == "-" else token).strip())  # noqa: S105 - a place, no password
        signer = VerifierKey.parse(issuer) if issuer else None
    except (TokenError, KeyTextError) as error:
        fail(str(error))
    typer.echo(msgspec.json.format(msgspec.json.encode(found.claims)).decode())
    if signer is not None and not found.is_signed_by(signer.public_key):
        typer.echo(f"not signed by {signer.name}", err=True)
        raise typer.Exit(FOUND)


@app.command()
def roles() -> None:
    """Print who may ask which method, as a table in Markdown."""
    typer.echo(markdown(), nl=False)
