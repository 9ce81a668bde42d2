"""A round from its preparation to its deal, by the SDK: what seats are bound to, and what the referee then deals.

Every step may be repeated, and from ``opened`` on the SDK's journal has the round, so that a table server that is
stopped between two steps goes on where it was. A page's private key never comes here; a bot's key is the table
server's own, which is what the table says of its bots.
"""

from collections.abc import Sequence
from typing import Any, Final

from referee_client import Bet, SeatSecrets, Terms

from referee_table.commands import Bind, Seed
from referee_table.games import GAMES
from referee_table.play import Setup
from referee_table.state import Person, RoomState, Round, RoundSeat
from referee_table.words import RefusedError

CURRENCY: Final = "CHIP"
SIZE: Final = 32
NO_KEY: Final = bytes(SIZE)


async def prepared(setup: Setup, seated: Sequence[Person], *, table: str, stake_minor: int) -> tuple[Round, Any]:
    """Prepare the table's next round under its terms, with the bots' commitments; return it and the SDK's round."""
    keys = _seat_keys(seated)
    game = setup.client.game(
        setup.law.game,
        _terms(setup, seated, keys, table=table, stake_minor=stake_minor),
        secrets=[_bot_secrets(setup, one, seat, keys[seat]) for seat, one in enumerate(seated) if one.is_bot],
    )
    await game.prepare()
    shown_keys = [b"" if key == NO_KEY else key for key in keys]
    seats = [RoundSeat(one.person, one.name, one.is_bot, key) for one, key in zip(seated, shown_keys, strict=True)]
    made = Round(number=game.number, table=table, round_id=game.round_id, seats=seats)
    made.commitments, made.token_hashes, made.seeded = [b""] * len(seats), [b""] * len(seats), [False] * len(seats)
    for seat, own in game.secrets.items():
        made.commitments[seat] = own.seed_commitment(game.round_id)
        made.token_hashes[seat] = own.token_hash(game.round_id) if setup.is_sealed else b""
    return made, game


def _seat_keys(seated: Sequence[Person]) -> list[bytes]:
    """Return the keys of a round by seat; a key counts once, for the seat that has it first.

    Bots have keys where every person has one: only then is the whole round signed.
    """
    is_whole = all(one.seat_key for one in seated if not one.is_bot)
    keys: list[bytes] = []
    for one in seated:
        is_keyed = bool(one.seat_key) and one.seat_key not in keys and (is_whole or not one.is_bot)
        keys.append(one.seat_key if is_keyed else NO_KEY)
    return keys


def _terms(setup: Setup, seated: Sequence[Person], keys: Sequence[bytes], *, table: str, stake_minor: int) -> Terms:
    law, game, now = setup.law, GAMES[setup.law.game], setup.plan.clock.now()
    bets = [Bet(one.ante_minor or law.default_ante(stake_minor), one.trips_minor) for one in seated]
    return Terms(
        table=table,
        ruleset=law.id,
        seats=len(seated),
        currency=CURRENCY,
        stake=law.bet_unit if game.has_bets else stake_minor,
        bets=bets if game.has_bets else [],
        seat_keys=keys,
        deal_deadline=now + 2 * setup.plan.pace.bind_ms,  # to bind, then to show the seeds
        round_deadline=0 if game.round_ms is None else now + game.round_ms,
    )


def _bot_secrets(setup: Setup, bot: Person, seat: int, key: bytes) -> SeatSecrets:
    are_used = (True, setup.is_sealed, setup.is_sealed)
    seed, token, nonce = (setup.plan.entropy(SIZE) if is_used else bytes(SIZE) for is_used in are_used)
    private_key = b"" if key == NO_KEY else bot.signing_key
    return SeatSecrets(seat=seat, seed=seed, token=token, nonce=nonce, private_key=private_key)


def bind(setup: Setup, state: RoomState, seat: int, command: Bind) -> None:
    """Note what a seat commits itself to before the deal."""
    made = state.round
    if state.phase != "BINDING" or made is None:
        raise RefusedError("WRONG_PHASE")
    if setup.is_sealed and command.token_hash is None:
        raise RefusedError("BAD_COMMAND", detail="a sealed table needs token_hash")
    made.commitments[seat] = bytes.fromhex(command.seed_commitment)
    made.token_hashes[seat] = bytes.fromhex(command.token_hash or "") if setup.is_sealed else b""


async def opened(setup: Setup, made: Round, game: Any) -> None:  # noqa: ANN401 - the SDK's round of a game
    """Open the round in the log, with the server's commitment to its seed; bots give the shuffler their seeds."""
    tokens = made.token_hashes if setup.is_sealed else []
    await game.open(sealed=setup.is_sealed, commitments=made.commitments, seat_tokens=tokens)
    for seat in game.secrets:
        await game.contribute(seat)
        made.seeded[seat] = True


async def show_seed(state: RoomState, game: Any, seat: int, command: Seed) -> None:  # noqa: ANN401 - as above
    """Give the shuffler the seed of a seat, which is checked there; the last one deals the round."""
    made = state.round
    if state.phase != "SEEDING" or made is None:
        raise RefusedError("WRONG_PHASE")
    if made.seats[seat].key and command.signature is None:
        raise RefusedError("UNSIGNED")
    signature = bytes.fromhex(command.signature or "") if made.seats[seat].key else b""
    await game.contribute(seat, seed=bytes.fromhex(command.seed), signature=signature)
    made.seeded[seat] = True
