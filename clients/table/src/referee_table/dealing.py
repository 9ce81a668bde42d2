"""A round from its preparation to its deal, by the SDK: what seats are bound to, and what the referee then deals.

Every step may be repeated, and from ``opened`` on the SDK's journal has the round, so that a table server that is
stopped between two steps goes on where it was.
"""

from collections.abc import Sequence
from typing import Any, Final

from referee_client import BadRequestError, Bet, SeatSecrets, Terms, WrongSecretsError

from referee_table.commands import Bind, Seed
from referee_table.games import GAMES
from referee_table.play import Setup
from referee_table.signing import NO_KEY, seat_keys
from referee_table.state import Person, RoomState, Round, RoundSeat
from referee_table.wording import Code, RefusedError

CURRENCY: Final = "CHIP"
SIZE: Final = 32


async def prepared(setup: Setup, seated: Sequence[Person], *, table: str, stake_minor: int) -> tuple[Round, Any]:
    """Prepare the table's next round under its terms, with the bots' commitments; return it and the SDK's round."""
    keys = seat_keys(seated)
    try:
        game = await _prepare(setup, seated, keys, table=table, stake_minor=stake_minor)
    except BadRequestError:  # a key that the referee does not take must not keep the others from playing
        keys = [NO_KEY] * len(seated)
        game = await _prepare(setup, seated, keys, table=table, stake_minor=stake_minor)
    count = len(seated)
    made = Round(
        number=game.number,
        table=table,
        round_id=game.round_id,
        seats=[
            RoundSeat(one.person, one.name, one.is_bot, b"" if key == NO_KEY else key)
            for one, key in zip(seated, keys, strict=True)
        ],
        commitments=[b""] * count,
        token_hashes=[b""] * count,
        seeds=[b""] * count,
        seed_signatures=[b""] * count,
    )
    for seat, own in game.secrets.items():
        made.seeds[seat], made.commitments[seat] = own.seed, own.seed_commitment(game.round_id)
        made.token_hashes[seat] = own.token_hash(game.round_id) if setup.is_sealed else b""
    return made, game


async def _prepare(
    setup: Setup, seated: Sequence[Person], keys: Sequence[bytes], *, table: str, stake_minor: int
) -> Any:  # noqa: ANN401 - the SDK's round of a game
    law, game, now = setup.law, GAMES[setup.law.game], setup.clock.now()
    terms = Terms(
        table=table,
        ruleset=law.id,
        seats=len(seated),
        currency=CURRENCY,
        stake=law.bet_unit if game.has_bets else stake_minor,
        bets=[Bet(one.ante_minor or law.default_ante(stake_minor), one.trips_minor) for one in seated]
        if game.has_bets
        else [],
        seat_keys=keys,
        deal_deadline=now + 2 * setup.pace.bind_ms,  # to bind, then to show the seeds
        round_deadline=0 if game.round_ms is None else now + game.round_ms,
    )
    secrets = [
        SeatSecrets(
            seat=seat,
            seed=setup.entropy(SIZE),
            token=setup.entropy(SIZE) if setup.is_sealed else bytes(SIZE),
            nonce=setup.entropy(SIZE) if setup.is_sealed else bytes(SIZE),
            private_key=b"" if keys[seat] == NO_KEY else one.signing_key,
        )
        for seat, one in enumerate(seated)
        if one.is_bot
    ]
    made = game.begin(setup.client, terms, secrets)
    await made.prepare()
    return made


def bind(setup: Setup, state: RoomState, seat: int, command: Bind) -> None:
    """Note what a seat commits itself to before the deal."""
    made = state.round
    if state.phase != "BINDING" or made is None:
        raise RefusedError(Code.WRONG_PHASE)
    if setup.is_sealed and command.token_hash is None:
        raise RefusedError(Code.BAD_COMMAND, detail="a sealed table needs token_hash")
    made.commitments[seat] = bytes.fromhex(command.seed_commitment)
    made.token_hashes[seat] = bytes.fromhex(command.token_hash or "") if setup.is_sealed else b""


async def opened(setup: Setup, made: Round, game: Any) -> None:  # noqa: ANN401 - the SDK's round of a game
    """Open the round in the log, with the server's commitment to its seed; bots sign their seeds and give them."""
    await game.open(
        sealed=setup.is_sealed,
        commitments=made.commitments,
        seat_tokens=made.token_hashes if setup.is_sealed else [],
    )
    for seat, own in game.secrets.items():
        made.seed_signatures[seat] = own.sign_seed(
            game.round_id, server_commitment=game.server_commitment, is_sealed=setup.is_sealed
        )
        await game.contribute(seat)


async def show_seed(state: RoomState, game: Any, seat: int, command: Seed) -> None:  # noqa: ANN401 - as above
    """Give the referee the seed of a seat, so that an abort names only the seats that did not give theirs."""
    made = state.round
    if state.phase != "SEEDING" or made is None:
        raise RefusedError(Code.WRONG_PHASE)
    if made.seats[seat].key and command.signature is None:
        raise RefusedError(Code.UNSIGNED)
    seed, signature = bytes.fromhex(command.seed), bytes.fromhex(command.signature or "")
    try:
        game.check_seed(seat, seed, signature=signature)
    except WrongSecretsError as error:
        raise RefusedError(Code.BAD_COMMAND, detail=str(error)) from None
    if not made.seats[seat].key:
        signature = b""
    await game.contribute(seat, seed=seed, signature=signature)
    made.seeds[seat], made.seed_signatures[seat] = seed, signature


async def dealt(made: Round, game: Any) -> None:  # noqa: ANN401 - as above
    """Deal the round from all seats' seeds."""
    signatures = made.seed_signatures if any(made.seed_signatures) else []
    await game.deal(seeds=made.seeds, signatures=signatures)
