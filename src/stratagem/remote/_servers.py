"""Servers: the variable servers of a strategy as one, and which of them keeps what."""

import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, final

import jax
import numpy as np

from stratagem.remote._actors import Actor, LocalActor
from stratagem.remote._gone import Gone
from stratagem.remote._server import NotHereError, Traffic
from stratagem.remote._travel import exported, shapes_of
from stratagem.remote._update import Lent, ServerUpdate, flat
from stratagem.values import Formula

Result = TypeVar("Result")


@final
class Servers:
    """Calls to several servers. A variable lies on one; what all updates of an optimizer count by, on each of them."""

    def __init__(self, actors: Sequence[Actor]) -> None:
        self.actors = tuple(actors)
        self.local = all(isinstance(actor, LocalActor) for actor in actors)
        # Updates, with the shapes of gradients that their servers have programs for.
        self.ready: frozenset[Any] = frozenset()
        self._server_of: dict[int, int] = {}
        self._copies: dict[str, set[int]] = {}
        self._moved: dict[str, int] = {}
        self._turn = itertools.count()
        self.lock = threading.RLock()
        # How often something was changed that functions which are scheduled later have to see.
        self.changes = 0
        # How often a variable has moved to another server, or got one more copy.
        self.moves = 0
        # Those that some program uses. What is gone, servers forget when something new comes.
        self._updates: weakref.WeakValueDictionary[Any, ServerUpdate] = weakref.WeakValueDictionary()
        self._numbered: weakref.WeakValueDictionary[int, ServerUpdate] = weakref.WeakValueDictionary()
        self._gone = Gone()
        self._makers: dict[tuple[str, int], bytes] = {}

    def __len__(self) -> int:
        return len(self.actors)

    def next_home(self) -> int:
        """Where the next variable goes: servers take turns, as in TF."""
        self._forget()
        return next(self._turn) % len(self.actors)

    def keep(self, placement: Any) -> None:
        """A new variable has this placement: while there is one that has it, its server keeps a value."""
        self._gone.watch(placement, ("variable", placement.key, placement.home))

    def _forget(self) -> None:
        """Let the servers forget what nobody can use any more."""
        calls = []
        for kind, name, server in self._gone.taken():
            if kind == "variable":
                self._moved.pop(name, None)
                calls += [self.actors[i].call("forget", [name]) for i in self._copies.pop(name, {server})]
            else:
                del self._server_of[name]
                calls.append(self.actors[server].call("forget_update", name))
        for call in calls:
            call.result()

    def copies(self, placement: Any) -> set[int]:
        """The servers whose updates count up a copy of this variable."""
        return self._copies.get(placement.key, set())

    def home(self, placement: Any) -> int:
        """The index of the server that is asked for a variable."""
        return self._moved.get(placement.key, placement.home)

    def read(self, placements: Sequence[Any]) -> list[jax.Array]:
        """The values of variables, by placement; those of one server are of one moment."""
        return self.wherever(lambda: self._read(placements))

    def _read(self, placements: Sequence[Any]) -> list[jax.Array]:
        homes = [self.home(p) for p in placements]
        found: dict[str, jax.Array] = {}
        for index in sorted(set(homes)):
            keys = [p.key for p, home in zip(placements, homes, strict=True) if home == index]
            _, values = self.actors[index].call("read", keys).result()
            found.update(zip(keys, values, strict=True))
        return [found[p.key] for p in placements]

    def traffic(self) -> list[Traffic]:
        """What each server has done so far."""
        calls = [actor.call("traffic") for actor in self.actors]
        return [call.result() for call in calls]

    def assign(self, placement: Any, value: jax.Array) -> None:
        """A new value, wherever the variable is kept."""
        while True:
            moves = self.moves
            for index in self.sharing(placement):
                self.actors[index].call("create", placement.key, value).result()
            if not self.moved_since(moves):
                return

    def make(self, placement: Any, formula: Formula, start: int, rows: int) -> None:
        """Let its server make the first value of a new variable: these rows of the formula's."""
        arguments, maker = formula.arguments(start), formula.maker(rows)
        sent: Any = maker
        if not self.local:  # for an equal formula the same program, which the server knows again
            name = (formula.text, rows)
            with self.lock:
                if name not in self._makers:
                    self._makers[name] = exported(maker, *arguments)
                sent = self._makers[name]
        self.actors[placement.home].call("make", placement.key, sent, arguments).result()

    def changed(self) -> int:
        """A change is over; returns how many were until now."""
        with self.lock:
            self.changes += 1
            return self.changes

    def sharing(self, placement: Any) -> set[int]:
        """The servers that keep a variable."""
        return self._copies.get(placement.key, {placement.home})

    def share(self, placement: Any, index: int) -> None:
        """Let a server keep a copy of a variable that its updates read, and count up as those of all other copies do."""
        with self.lock:
            copies = self._copies.get(placement.key)
            if copies is not None and index in copies:
                return
            if copies is None and index == placement.home:
                self._copies[placement.key] = {index}
                return
            if copies is None:
                # From now on it is where the updates are: whoever still looks for it at home tries again.
                value = self.actors[placement.home].call("release", placement.key).result()
            else:
                value = self.read([placement])[0]
            self.actors[index].call("create", placement.key, value).result()
            if copies is None:
                self._moved[placement.key] = index
            self._copies[placement.key] = {*(copies or ()), index}
            self.moves += 1

    def moved_since(self, moves: int) -> bool:
        """True if there are more moves than so many. Waits for one that is under way."""
        with self.lock:
            return self.moves != moves

    def wherever(self, act: Callable[[], Result]) -> Result:
        """What `act`, which calls servers for variables, returns. It is called again if one of them moves meanwhile."""
        while True:
            moves = self.moves
            try:
                return act()
            except NotHereError:
                if not self.moved_since(moves):
                    raise

    def update(self, key: Any, make: Callable[[], ServerUpdate]) -> tuple[int, ServerUpdate, bool]:
        """The update with this key, its number, and whether it was made just now. It lives as long as somebody keeps it.

        key: server, optimizer, variables and kinds of gradients; by identity, for an update keeps these objects alive.
        """
        with self.lock:
            known = self._updates.get(key)
            if known is not None:
                return known.number, known, False
            made = make()
            self._updates[key] = self._numbered[made.number] = made
            return made.number, made, True

    def teach(self, server: int, number: int, made: ServerUpdate, keys: Sequence[str]) -> None:
        """Let a server know its part of an update."""
        self._server_of[number] = server
        self._gone.watch(made, ("update", number, server))
        known: Any = Lent(made) if self.local else made.facts
        self.actors[server].call("learn", number, known, keys).result()

    def prepare(self, number: int, gradients: Sequence[Any]) -> None:
        """Make an update ready for such gradients, before a server waits for it."""
        made = self._numbered[number]
        made.prepare(gradients)
        if self.local:
            return
        arrays = flat(gradients)
        shapes = shapes_of(arrays)
        with self.lock:
            if (number, shapes) in self.ready:
                return
            values = [np.broadcast_to(np.zeros((), v._dtype), v.shape) for v in made.state]
            program = exported(made.run, *made.facts.split(values), arrays)
            self.actors[self._server_of[number]].call("extend", number, shapes, program).result()
            self.ready = self.ready | {(number, shapes)}
