"""A round from its preparation to its deal: what seats are bound to, and what the shuffler then writes.

Every call is one that the shuffler answers alike when it is asked again, so a table server that is stopped between two
of them goes on where it was.
"""

from collections.abc import Sequence
from typing import Final

from referee.cards import Seat
from referee.dealing.commitment import client_commitment, seat_token_hash
from referee.v1 import log_pb2, money_pb2, round_pb2, shuffler_pb2
from referee_table.commands import Bind, Seed
from referee_table.games import GAMES
from referee_table.judge import Judge, RefereeRefusedError
from referee_table.play import Bench
from referee_table.signing import NO_KEY, check_seed, deck_root_of, seat_keys, sign_bot_seeds
from referee_table.state import Person, RoomState, Round, RoundSeat
from referee_table.wording import Code, RefusedError

CURRENCY: Final = "CHIP"
SIZE: Final = 32


async def prepared(bench: Bench, seated: Sequence[Person], *, table: str, stake_minor: int) -> Round:
    """Prepare the table's next round under its terms, with the bots' commitments."""
    law, judge = bench.law, bench.judge
    terms = shuffler_pb2.RoundTerms(
        table_id=table,
        ruleset_id=law.id,
        seat_count=len(seated),
        currency=CURRENCY,
        stake_minor=stake_minor,
        deal_deadline_time=bench.clock.now() + 2 * bench.pace.bind_ms,  # to bind, then to show the seeds
    )
    game = GAMES[law.game]
    if game.has_bets:
        terms.stake_minor = law.bet_unit
        for one in seated:
            terms.seat_stakes.append(
                money_pb2.SeatStake(
                    bet_minor=one.ante_minor or law.default_ante(stake_minor), side_bet_minor=one.trips_minor or None
                )
            )
    if game.round_ms is not None:
        terms.round_deadline_time = bench.clock.now() + game.round_ms
    keys = seat_keys(seated)
    terms.seat_keys.extend([b"" if key == NO_KEY else key for key in keys])
    try:
        answer = await _prepare(judge, terms)
    except RefereeRefusedError:  # a key that the referee does not take must not keep the others from playing
        keys = [NO_KEY] * len(seated)
        terms.ClearField("seat_keys")
        answer = await _prepare(judge, terms)
    made = Round(
        number=answer.header.round.round_number,
        table=table,
        round_id=answer.round_id,
        header=answer.header.SerializeToString(),
        seats=[_seat(one, key) for one, key in zip(seated, keys, strict=True)],
        commitments=[b""] * len(seated),
        token_hashes=[b""] * len(seated),
        seeds=[b""] * len(seated),
        tokens=[b""] * len(seated),
        seed_signatures=[b""] * len(seated),
    )
    for seat, one in enumerate(seated):
        if one.is_bot:
            _bind_bot(bench, made, Seat(seat))
    return made


async def _prepare(judge: Judge, terms: shuffler_pb2.RoundTerms) -> shuffler_pb2.PrepareRoundResponse:
    request = shuffler_pb2.PrepareRoundRequest(terms=terms)
    return await judge.ask(judge.shuffler.PrepareRound, request)


def _seat(one: Person, key: bytes) -> RoundSeat:
    has_key = key != NO_KEY
    private = one.signing_key if has_key and one.is_bot else b""
    return RoundSeat(one.person, one.name, one.is_bot, key if has_key else b"", private)


def _bind_bot(bench: Bench, made: Round, seat: Seat) -> None:
    seed = bench.entropy(SIZE)
    made.seeds[seat] = seed
    made.commitments[seat] = client_commitment(round_id=made.round_id, seat=seat, seed=seed)
    if bench.is_sealed:
        token = bench.entropy(SIZE)
        made.tokens[seat] = token
        made.token_hashes[seat] = seat_token_hash(round_id=made.round_id, seat=seat, token=token)


def bind(bench: Bench, state: RoomState, seat: int, command: Bind) -> None:
    """Note what a seat commits itself to before the deal."""
    made = state.round
    if state.phase != "BINDING" or made is None:
        raise RefusedError(Code.WRONG_PHASE)
    if bench.is_sealed and command.token_hash is None:
        raise RefusedError(Code.BAD_COMMAND, detail="a sealed table needs token_hash")
    made.commitments[seat] = bytes.fromhex(command.seed_commitment)
    made.token_hashes[seat] = bytes.fromhex(command.token_hash or "")


def show_seed(state: RoomState, seat: int, command: Seed) -> None:
    """Note the seed of a seat, if it is the one that the seat committed to."""
    made = state.round
    if state.phase != "SEEDING" or made is None:
        raise RefusedError(Code.WRONG_PHASE)
    seed = bytes.fromhex(command.seed)
    if client_commitment(round_id=made.round_id, seat=Seat(seat), seed=seed) != made.commitments[seat]:
        raise RefusedError(Code.BAD_COMMAND, detail="not the seed that the seat is bound to")
    made.seed_signatures[seat] = check_seed(made, seat, seed, command.signature)
    made.seeds[seat] = seed


async def opened(bench: Bench, made: Round) -> None:
    """Open the round in the log, with the server's commitment to its seed."""
    judge = bench.judge
    request = shuffler_pb2.OpenRoundRequest(
        header=round_pb2.RoundHeader.FromString(made.header),
        client_commitments=made.commitments,
        seat_tokens=made.token_hashes if bench.is_sealed else [],
    )
    answer = await judge.ask(judge.shuffler.OpenRound, request)
    made.server_commitment = answer.server_commitment
    sign_bot_seeds(made)


async def dealt(bench: Bench, made: Round) -> shuffler_pb2.DealRoundResponse:
    """Deal the round from all seats' seeds."""
    judge = bench.judge
    request = shuffler_pb2.DealRoundRequest(
        round={"table_id": made.table, "round_number": made.number},
        client_seeds=made.seeds,
        seed_signatures=made.seed_signatures,
    )
    answer: shuffler_pb2.DealRoundResponse = await judge.ask(judge.shuffler.DealRound, request)
    made.dealt_time = answer.dealt_time
    made.deck_root = deck_root_of(answer.certificate)
    return answer


async def contributed(bench: Bench, made: Round, seat: int) -> None:
    """Give the shuffler a seat's seed, so that an abort names only the seats that did not give theirs."""
    judge = bench.judge
    request = shuffler_pb2.ContributeSeedRequest(
        round={"table_id": made.table, "round_number": made.number},
        seat=seat,
        seed=made.seeds[seat],
        signature=made.seed_signatures[seat],
    )
    await judge.ask(judge.shuffler.ContributeSeed, request)


async def aborted(bench: Bench, made: Round) -> round_pb2.LogReceipt:
    """Abort the round, after the deal's deadline, because seats did not give their seeds."""
    judge = bench.judge
    request = shuffler_pb2.AbortRoundRequest(
        round={"table_id": made.table, "round_number": made.number},
        reason=shuffler_pb2.ABORT_REASON_SEED_MISSING,
    )
    answer: shuffler_pb2.AbortRoundResponse = await judge.ask(judge.shuffler.AbortRound, request)
    return answer.log_receipt


async def revealed(bench: Bench, *, table: str, number: int) -> None:
    """Return once the log has the server's seed of an ended round."""
    judge = bench.judge
    request = shuffler_pb2.RevealRoundRequest(round={"table_id": table, "round_number": number})
    await judge.ask(judge.shuffler.RevealRound, request)


async def is_aborted(bench: Bench, made: Round) -> bool:
    """Return whether the round is aborted in the log."""
    judge = bench.judge
    request = log_pb2.GetTableRoundRequest(round={"table_id": made.table, "round_number": made.number})
    try:
        found: log_pb2.GetTableRoundResponse = await judge.ask(judge.log.GetTableRound, request)
    except RefereeRefusedError:
        return False
    return found.stage == log_pb2.ROUND_STAGE_ABORTED
