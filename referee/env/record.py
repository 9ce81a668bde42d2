"""Record of episodes: each is played again through a referee, so that its log proves them.

It needs the extra ``server`` and the SDK, ``referee-client``. The referee runs in this process, at the episodes' time
and with their seeds, and so deals the same decks.
"""

import logging
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import structlog
from referee_client import Bet, Client, SeatSecrets, Terms

from referee.dealing.commitment import SEED_SIZE
from referee.env.episode import ORIGIN, TIME, Episode
from referee.env.registry import ACTIONS
from referee.rulesets import Catalogue, load_builtin
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions
from referee.server.settings.configuration import Configuration, LogSettings, ServeSettings


def record(episodes: Iterable[Episode], folder: Path) -> tuple[int, ...]:
    """Play finished episodes again, each at a table of its own, on a referee whose log is in a folder.

    Return the index of each episode's SETTLE leaf. Raise ValueError for an episode that is not over or that the log
    has already, RuntimeError if the referee deals or pays otherwise than the environment, and what the SDK raises.
    """
    episodes = list(episodes)
    rulesets = {ruleset.digest: ruleset for ruleset in (*load_builtin(), *[episode.ruleset for episode in episodes])}
    seeds: list[bytes] = []
    serving = ServeSettings(
        listen="127.0.0.1:0", services=("rulesets", "shuffler", "referee", "log"), drain_lead=0.0, quiet=True
    )
    options = ServerOptions(
        configuration=Configuration(log=LogSettings(data=str(folder), origin=ORIGIN), serve=serving),
        catalogue=Catalogue(rulesets.values()),
        clock=lambda: TIME,
        entropy=lambda size: seeds.pop() if size == SEED_SIZE and seeds else os.urandom(size),
        sweep=False,
    )
    if not structlog.is_configured():
        structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    with Application(options) as server, Client(server.address) as client:
        return tuple([_play(client, episode, seeds) for episode in episodes])


def _play(client: Client, episode: Episode, seeds: list[bytes]) -> int:
    outcome, header = episode.settle(), episode.header
    actions = ACTIONS[episode.game.name](episode.ruleset, header.seat_count)
    terms = Terms(
        table=header.table_id,
        ruleset=header.ruleset_id,
        version=header.ruleset_version,
        seats=header.seat_count,
        currency=header.currency,
        stake=header.stake,
        bets=[Bet(*bets) for bets in header.seat_stakes],
    )
    secrets = [replace(SeatSecrets.make(seat), seed=seed) for seat, seed in enumerate(episode.client_seeds)]
    played: Any = client.game(episode.game.name, terms, secrets=secrets)
    if played.prepare() != header.round_id:
        raise ValueError(
            f"the log has a round of table {header.table_id} already; an episode is recorded once in a log"
        )
    seeds.append(episode.server_seed)
    played.open()
    played.deal()
    for event in episode.events:
        answer = played.accept_event(played.event(**actions.message(event)))
        if not answer.event_number:
            raise RuntimeError(f"the referee refuses {event} of episode {header.table_id}: {answer.violations}")
    settled = played.settle()
    paid = [(one.payer, one.payee, one.amount_minor, one.reason) for one in settled.result.transfers]
    expected = [(one.payer, one.payee, one.amount, one.reason) for one in outcome.transfers]
    revealed = played.reveal()
    if (revealed.sections, paid) != (episode.deal.sections, expected):
        raise RuntimeError(f"the referee dealt or paid episode {header.table_id} otherwise: {paid}, not {expected}")
    return int(settled.receipt.index)
