"""``referee token``: keys that issue tokens, the tokens, and the roles that may call each method."""

import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import msgspec
import typer

from referee.cli.command import Commands
from referee.cli.options import FOUND, AsJson, PassphraseFile, answer, fail, passphrase_of, print_json
from referee.evidence.outside import pasted
from referee.evidence.pem import public_key_in_pem
from referee.evidence.printable import error_words
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.server.access.roles import TABLE, markdown
from referee.server.access.token import Claims, TokenError, issue, read_token
from referee.server.clock import system_clock
from referee.server.keys.private_key import open_or_make_key, read_key
from referee.server.name_file import add_name, is_name
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.variable import variable_of

app = Commands(
    examples=["referee token key issuer.key --name acme.example/tokens", "referee token roles"],
    help="Make keys that issue tokens; issue, show, revoke tokens; show who may ask what.",
    no_args_is_help=True,
)

KeyFile = Annotated[Path, typer.Option("--key", help="The issuer's private key.")]


@app.command()
def key(
    file: Annotated[
        Path,
        typer.Argument(help="The issuer's private key, made if the file is missing; or an Ed25519 public key in PEM."),
    ],
    *,
    name: Annotated[str, typer.Option(metavar="NAME", help="The issuer's name, such as acme.example/tokens.")],
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Print an issuer's verifier key, for access.issuers of the servers that are to accept its tokens."""
    public_key = public_key_in_pem(file.read_bytes()) if file.is_file() else None
    if public_key is not None:
        verifier = VerifierKey(name, public_key)
    else:
        passphrase, algorithm = passphrase_of(passphrase_file), Algorithm.ED25519
        signer = open_or_make_key(file, name=name, algorithm=algorithm, entropy=os.urandom, passphrase=passphrase)
        verifier = signer.key
    answer({"key": verifier.text, "name": verifier.name}, verifier.text, as_json=as_json)


BearerRole: TypeAlias = Literal["seat", "frontend", "auditor", "shuffler", "admin"]
"""Roles that a token can grant; the role anyone needs none."""


@app.command("issue", examples=["referee token issue --key k.key --role frontend --name lobby --tenant acme"])
def issue_token(  # noqa: PLR0913 - one parameter a claim
    *,
    key: KeyFile,
    role: Annotated[BearerRole, typer.Option(help="The role of its bearer.")],
    name: Annotated[str, typer.Option(metavar="NAME", help="Its bearer's name, for log lines and limits.")],
    tenant: Annotated[
        str, typer.Option(metavar="TENANT", help="The tenant whose tables it is for; * for every tenant.")
    ],
    tables: Annotated[
        str, typer.Option(metavar="PATTERN", help="A pattern that narrows them, such as acme.vip-*.")
    ] = "",
    table: Annotated[str, typer.Option(metavar="TABLE", help="A seat's table.")] = "",
    round_number: Annotated[int | None, typer.Option("--round", metavar="ROUND", help="A seat's round.", min=1)] = None,
    seat: Annotated[int | None, typer.Option(help="The seat, 0-based.", min=0)] = None,
    seconds: Annotated[int, typer.Option(metavar="SECONDS", help="Seconds for which it is valid.", min=1)] = 3600,
    begins_in: Annotated[int, typer.Option(metavar="SECONDS", help="Seconds until it becomes valid.", min=0)] = 0,
    token_id: Annotated[
        str, typer.Option("--id", metavar="ID", help="Its id, to revoke it by; a random one if not given.")
    ] = "",
    passphrase_file: PassphraseFile = None,
    as_json: AsJson = False,
) -> None:
    """Print a token: send it with every call, as authorization: Bearer TOKEN. A seat's is for one round."""
    now = system_clock() // 1000
    signer = read_key(key, passphrase_of(passphrase_file))
    claims = Claims(
        id=token_id or secrets.token_hex(8),
        issuer=signer.name,
        name=name,
        role=CallerRole(role),
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
    answer({"token": text, "claims": claims}, text, as_json=as_json)


@app.command()
def show(
    token: Annotated[str, typer.Argument(metavar="TOKEN", help="The token; - reads it from standard input.")],
    *,
    issuer: Annotated[str, typer.Option(metavar="KEY", help="A verifier key that should have signed it.")] = "",
) -> None:
    """Print the claims of a token as JSON. Exit code 1 if the named issuer did not sign it."""
    found = read_token(pasted(sys.stdin.read() if token == "-" else token))  # noqa: S105 - a place, no password
    signer = VerifierKey.parse(pasted(issuer)) if issuer else None
    print_json(found.claims)
    if signer is not None and not found.is_signed_by(signer.public_key):
        typer.echo(f"not signed by {signer.name}", err=True)
        raise typer.Exit(FOUND)


@app.command(examples=["referee token revoke ID --file revoked.txt --json"])
def revoke(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="A token or its id, an issuer's verifier key, or a certificate's name; - reads a token.",
        ),
    ],
    *,
    file: Annotated[
        Path,
        typer.Option(envvar=variable_of("access.revoked"), help="The servers' file of revocations, access.revoked."),
    ],
    why: Annotated[str, typer.Option(help="A note for the file.")] = "",
    as_json: AsJson = False,
) -> None:
    """Add a token, an issuer or a certificate to the file of revocations; servers read it again within a second."""
    text = sys.stdin.read().strip() if name == "-" else name.strip()
    with suppress(TokenError):
        text = read_token(text).claims.id
    if not text or "#" in text or text.splitlines() != [text] or not is_name(text):
        fail(f"{text!r} is not a token, an id, a verifier key or a certificate's name")
    try:
        is_new, fault = add_name(file, text, note=why)
    except OSError as error:
        fail(f"{file}: {error_words(error)}")
    if fault:
        typer.echo(f"{file}: {fault}; mend the line", err=True)
    words = f"{text} is revoked {'in' if is_new else 'already in'} {file}"
    answer({"revoked": text, "file": str(file), "new": is_new}, words, as_json=as_json)


@app.command()
def roles(*, as_json: AsJson = False) -> None:
    """Print the roles that may call each method, as a table in Markdown."""
    if as_json:
        print_json({method: sorted(rule.roles) for method, rule in TABLE.items()})
    else:
        typer.echo(markdown(), nl=False)
