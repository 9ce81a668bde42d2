"""Everybody who has a page open or is in a room, and the page that each of them has.

A person is identified by a secret, of which only the hash is kept. Each person has one stream: a newer one replaces it.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from referee.evidence.ed25519 import is_public_key
from referee_table.commands import Hello
from referee_table.names import clean_name
from referee_table.state import Person
from referee_table.words import notice


class Stream(Protocol):
    """One page that is connected."""

    def say(self, message: dict[str, Any]) -> None:
        """Send the message, in order."""

    def refresh(self) -> None:
        """Send the page its new view."""

    def end(self, code: str) -> None:
        """Close the stream with a last message."""


@dataclass(slots=True)
class Visitors:
    """People and their streams, by the hash of their secrets. ``restored`` are those that a restart has kept."""

    entropy: Callable[[int], bytes]
    people: dict[str, Person] = field(default_factory=dict)
    streams: dict[str, Stream] = field(default_factory=dict)
    restored: set[str] = field(default_factory=set)

    def welcome(self, hello: Hello) -> Person:
        """Return the person with the hello's secret, or a new one; set the person's name and key.

        A key that cannot verify anything is left out.
        """
        name = clean_name(hello.person_name) or "?"
        key, seat_key = hashlib.sha256(hello.secret.encode()).hexdigest(), bytes.fromhex(hello.seat_key or "")
        person = self.people.get(key)
        if person is None:
            person = self.people[key] = Person(person=f"p{self.entropy(8).hex()}", key=key, name=name)
        person.name = name
        person.seat_key = seat_key if seat_key and is_public_key(seat_key) else b""
        return person

    def restore(self, person: Person, *, now: int) -> None:
        """Add a person whom a room's file has, and who is absent since then or since now."""
        person.away_time = now if person.away_time is None else person.away_time
        self.people[person.key] = person
        self.restored.add(person.key)

    def arrive(self, person: Person, stream: Stream) -> None:
        """Make this page the person's current one."""
        before = self.streams.get(person.key)
        self.streams[person.key] = stream
        if before is not None:
            before.end("TAKEN_OVER")
        if person.key in self.restored:
            self.restored.discard(person.key)
            stream.say(notice("RESTARTED"))

    def depart(self, person: Person, stream: Stream) -> bool:
        """Forget the page of a stream that has ended; return whether it was the person's current one."""
        is_current = self.streams.get(person.key) is stream
        if is_current:
            del self.streams[person.key]
            self._forget(person)
        return is_current

    def say(self, person: Person, message: dict[str, Any]) -> None:
        """Send a message to the person's page."""
        if person.key in self.streams:
            self.streams[person.key].say(message)

    def refresh(self, person: Person) -> None:
        """Have the person's page shown what it may see now."""
        if person.key in self.streams:
            self.streams[person.key].refresh()

    def leave(self, person: Person) -> None:
        """Take a person out of the room, into the lobby."""
        person.room = ""
        self.refresh(person)
        self._forget(person)

    def _forget(self, person: Person) -> None:
        """Forget a person without a page and without a room."""
        if person.key not in self.streams and not person.room:
            self.people.pop(person.key, None)
