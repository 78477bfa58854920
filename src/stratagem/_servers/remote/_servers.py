"""Servers: the variable servers of a strategy as one, and which of them keeps what."""

import itertools
import threading
import weakref
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar, final

import jax
import numpy as np

from stratagem._core.values import InitializerProgram
from stratagem._servers.remote._actors import Actor, LocalActor
from stratagem._servers.remote._execution_plan import ServerLocation
from stratagem._servers.remote._export import exported, shapes_of
from stratagem._servers.remote._finalizers import Finalized
from stratagem._servers.remote._push import Origin, Push
from stratagem._servers.remote._server import NotHereError, Traffic
from stratagem._servers.remote._update import Lent, ServerUpdate, flat

Result = TypeVar("Result")


@final
class Servers:
    """Calls to several servers. A variable is kept by one of them; what the updates of other variables read, by all.

    Which those are is known when an update is compiled. Then the server of such a variable gives it up, with the history of
    what was done to it, and it is kept under another key where it is read. Whoever still looks for the old one is told that it
    is not there, and does what is left with the new one. So nothing that steps do meanwhile is lost, or counts twice.
    """

    def __init__(self, actors: Sequence[Actor]) -> None:
        self.actors = tuple(actors)
        self.local = all(isinstance(actor, LocalActor) for actor in actors)
        # Updates, with the shapes of gradients that their servers have programs for.
        self.ready: frozenset[Any] = frozenset()
        self._server_of: dict[int, int] = {}
        # Of variables that are elsewhere now, by their first key.
        self._places: dict[str, tuple[ServerLocation, ...]] = {}
        self._keys = itertools.count()
        self._turn = itertools.count()
        self.lock = threading.RLock()
        self._moving = threading.RLock()
        # How often something was changed that functions which are scheduled later have to see.
        self.changes = 0
        # How many variables got other places so far.
        self.moves = 0
        # Those that some program uses. What is gone, servers forget when something new comes.
        self._updates: weakref.WeakValueDictionary[Any, ServerUpdate] = weakref.WeakValueDictionary()
        self._numbered: weakref.WeakValueDictionary[int, ServerUpdate] = weakref.WeakValueDictionary()
        self._finalized = Finalized()
        self._makers: dict[tuple[str, int], bytes] = {}

    def __len__(self) -> int:
        return len(self.actors)

    def next_home(self) -> int:
        """Where the next variable goes: servers take turns, as in TF."""
        self._forget()
        return next(self._turn) % len(self.actors)

    def keep(self, placement: Any) -> None:
        """A new variable has this placement: while there is one that has it, its server keeps a value."""
        self._finalized.watch(placement, ("variable", placement.key, placement.home))

    def _forget(self) -> None:
        """Let the servers forget what nobody can use any more."""
        calls = []
        for kind, name, server in self._finalized.taken():
            if kind == "variable":
                places = self._places.pop(name, (ServerLocation(server, name),))
                calls += [self.actors[place.server].call("forget", [place.key]) for place in places]
            else:
                del self._server_of[name]
                calls.append(self.actors[server].call("forget_update", name))
        for call in calls:
            call.result()

    def places(self, placement: Any) -> tuple[ServerLocation, ...]:
        """Where a variable is kept. The first place is the one to read it from."""
        return self._places.get(placement.key) or (ServerLocation(placement.home, placement.key),)

    def home(self, placement: Any) -> int | None:
        """The server of a variable that was never anywhere else; None for others."""
        return None if placement.key in self._places else int(placement.home)

    def key(self, placement: Any) -> str:
        """The name of a variable at each server that keeps it."""
        return self.places(placement)[0].key

    def read(self, placements: Sequence[Any]) -> list[jax.Array]:
        """The values of variables, by placement; those of one server are of one moment."""
        return self.wherever(lambda: self._read(placements))

    def _read(self, placements: Sequence[Any]) -> list[jax.Array]:
        places = [self.places(p)[0] for p in placements]
        found: dict[str, jax.Array] = {}
        for index in sorted({place.server for place in places}):
            keys = [place.key for place in places if place.server == index]
            _, values = self.actors[index].call("read", keys).result()
            found.update(zip(keys, values, strict=True))
        return [found[place.key] for place in places]

    def traffic(self) -> list[Traffic]:
        """What each server has done so far."""
        calls = [actor.call("traffic") for actor in self.actors]
        return [call.result() for call in calls]

    def assign(self, placement: Any, value: jax.Array) -> None:
        """A new value, wherever the variable is kept."""
        with self._moving:
            self._everywhere(placement, "create", lambda key: (key, value))

    def push(self, origin: Origin | None, placement: Any, push: Callable[[str], Push]) -> None:
        """Send a push to all who keep a variable, whose key `push` is given."""
        # What moves was in one place: where it is not any more, nothing was applied.
        self.wherever(lambda: self._everywhere(placement, "push", lambda key: (origin, push(key))))

    def _everywhere(self, placement: Any, method: str, arguments: Callable[[str], tuple[Any, ...]]) -> None:
        calls = [self.actors[p.server].call(method, *arguments(p.key)) for p in self.places(placement)]
        for call in calls:
            call.result()

    def make(self, placement: Any, formula: InitializerProgram, start: int, rows: int) -> None:
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

    def keep_on(self, servers: Collection[int], placement: Any) -> None:
        """From now on, these servers keep a variable, unless all do: no update reads it elsewhere."""
        with self._moving:
            before = self.places(placement)
            if {place.server for place in before}.issuperset(servers):
                return
            key = f"{placement.key}, {next(self._keys)}"
            places = tuple(ServerLocation(i, key) for i in sorted(servers, key=lambda i: (i != placement.home, i)))
            first = self.actors[before[0].server]
            value, history = first.call("release", before[0].key).result()
            try:
                calls = [self.actors[place.server].call("create", key, value, history) for place in places]
                for call in calls:
                    call.result()
            except BaseException:  # the user's Ctrl-C, say
                first.call("create", before[0].key, value, history).result()
                for place in places:
                    self.actors[place.server].call("forget", [key]).result()
                raise
            self._places[placement.key] = places
            self.moves += 1

    def moved_since(self, moves: int) -> bool:
        """True if there are more moves than so many. Waits for one that is under way."""
        with self._moving:
            return self.moves != moves

    def wherever(self, act: Callable[[], Result]) -> Result:
        """What `act`, which calls servers for variables, returns. Called again if one of them moves meanwhile."""
        while True:
            moves = self.moves
            try:
                return act()
            except NotHereError:
                if not self.moved_since(moves):
                    raise

    def update(self, key: Any) -> ServerUpdate | None:
        """The update with this key, if its server knows it. It lives as long as somebody keeps it.

        key: server, optimizer, variables and kinds of gradients; by identity, for an update keeps these objects alive.
        """
        with self.lock:
            return self._updates.get(key)

    def trains(self, variable: Any) -> bool:
        """True if some update is of this variable."""
        with self.lock:
            return any(variable is v for update in self._updates.values() for v in update.variables)

    def readers(self, variable: Any) -> set[int]:
        """The servers some of whose updates read this variable beside their own."""
        with self.lock:
            known = list(self._updates.values())
            return {self._server_of[update.number] for update in known if any(variable is v for v in update.beside)}

    def teach(self, key: Any, server: int, made: ServerUpdate, keys: Sequence[str]) -> None:
        """Let a server know its part of an update, under the key of `update`. keys: of what it reads."""
        known: Any = Lent(made) if self.local else made.facts
        self.actors[server].call("learn", made.number, known, keys).result()
        with self.lock:
            self._server_of[made.number] = server
            self._finalized.watch(made, ("update", made.number, server))
            self._updates[key] = self._numbered[made.number] = made

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
