"""Servers: all variable servers of a strategy, and the location of every variable on them."""

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
from stratagem._servers.remote._export import export_program, shapes_of
from stratagem._servers.remote._finalizers import FinalizationQueue
from stratagem._servers.remote._server import MissingVariableError, ServerStatistics
from stratagem._servers.remote._server_messages import Push, PushId
from stratagem._servers.remote._update import ServerUpdate, WeakUpdateReference, flat

Result = TypeVar("Result")


@final
class Servers:
    """Calls to several servers. One of them holds each variable; all hold the variables that updates of others read.

    Which variables those are is known when an update is compiled. Then the server of such a variable gives it up, with the
    history of its pushes, and the servers that read it hold it under another key. A call that uses the old key raises
    MissingVariableError, and is repeated with the new one. So no change of a step under way is lost, or counted twice.
    """

    def __init__(self, actors: Sequence[Actor]) -> None:
        self.actors = tuple(actors)
        self.local = all(isinstance(actor, LocalActor) for actor in actors)
        # Numbers of updates, with the shapes of gradients for which their servers have programs.
        self.ready: frozenset[Any] = frozenset()
        self._server_of: dict[int, int] = {}
        # The locations of variables that have moved, by their first key.
        self._moved: dict[str, tuple[ServerLocation, ...]] = {}
        self._keys = itertools.count()
        self._turn = itertools.count()
        self.lock = threading.RLock()
        self._moving = threading.RLock()
        # The number of changes so far; functions scheduled later have to see them.
        self.change_count = 0
        # The number of moves of variables so far.
        self.moves = 0
        # The updates that some program uses. Servers drop others when the next variable is made.
        self._updates: weakref.WeakValueDictionary[Any, ServerUpdate] = weakref.WeakValueDictionary()
        self._numbered: weakref.WeakValueDictionary[int, ServerUpdate] = weakref.WeakValueDictionary()
        self._finalized = FinalizationQueue()
        self._makers: dict[tuple[str, int], bytes] = {}

    def __len__(self) -> int:
        return len(self.actors)

    def next_home(self) -> int:
        """Returns the server of the next variable: servers take turns, as in TF."""
        self._drop_unused()
        return next(self._turn) % len(self.actors)

    def track(self, placement: Any) -> None:
        """Has the server drop the variable with this placement when the placement is garbage-collected."""
        self._finalized.watch(placement, ("variable", placement.key, placement.home))

    def _drop_unused(self) -> None:
        """Lets the servers drop variables and updates whose objects here were garbage-collected."""
        calls = []
        for kind, name, server in self._finalized.drain():
            if kind == "variable":
                locations = self._moved.pop(name, (ServerLocation(server, name),))
                calls += [self.actors[location.server].call("forget", [location.key]) for location in locations]
            else:
                del self._server_of[name]
                calls.append(self.actors[server].call("forget_update", name))
        for call in calls:
            call.result()

    def locations(self, placement: Any) -> tuple[ServerLocation, ...]:
        """Returns the locations of a variable. It is read from the first one."""
        return self._moved.get(placement.key) or (ServerLocation(placement.home, placement.key),)

    def home(self, placement: Any) -> int | None:
        """Returns the server of a variable that has never moved; None for others."""
        return None if placement.key in self._moved else int(placement.home)

    def key(self, placement: Any) -> str:
        """Returns the key of a variable, which is the same at each server that holds it."""
        return self.locations(placement)[0].key

    def read(self, placements: Sequence[Any]) -> list[jax.Array]:
        """Returns the values of the variables with these placements; those of one server are read at the same moment."""
        return self.retry_after_move(lambda: self._read(placements))

    def _read(self, placements: Sequence[Any]) -> list[jax.Array]:
        locations = [self.locations(p)[0] for p in placements]
        found: dict[str, jax.Array] = {}
        for index in sorted({location.server for location in locations}):
            keys = [location.key for location in locations if location.server == index]
            values = self.actors[index].call("read", keys).result().values
            found.update(zip(keys, values, strict=True))
        return [found[location.key] for location in locations]

    def traffic(self) -> list[ServerStatistics]:
        """Returns the traffic of each server so far."""
        calls = [actor.call("traffic") for actor in self.actors]
        return [call.result() for call in calls]

    def assign(self, placement: Any, value: jax.Array) -> None:
        """Assigns a value at all locations of a variable."""
        with self._moving:
            self._everywhere(placement, "create", lambda key: (key, value))

    def push(self, push_id: PushId | None, placement: Any, push: Callable[[str], Push]) -> None:
        """Sends a push to all servers that hold a variable. `push` makes it from the variable's key."""
        # Only variables with one location move, so a push that did not find its variable there was applied nowhere.
        self.retry_after_move(lambda: self._everywhere(placement, "push", lambda key: (push_id, push(key))))

    def _everywhere(self, placement: Any, method: str, arguments: Callable[[str], tuple[Any, ...]]) -> None:
        calls = [self.actors[p.server].call(method, *arguments(p.key)) for p in self.locations(placement)]
        for call in calls:
            call.result()

    def make(self, placement: Any, initializer: InitializerProgram, start: int, rows: int) -> None:
        """Lets its server make the first value of a new variable: these rows of the initializer's result."""
        arguments, maker = initializer.arguments(start), initializer.maker(rows)
        sent: Any = maker
        if not self.local:  # equal initializers send equal bytes, whose compiled program the server has cached
            name = (initializer.text, rows)
            with self.lock:
                if name not in self._makers:
                    self._makers[name] = export_program(maker, *arguments)
                sent = self._makers[name]
        self.actors[placement.home].call("make", placement.key, sent, arguments).result()

    def count_change(self) -> int:
        """Counts a change that is complete; returns the number of changes so far."""
        with self.lock:
            self.change_count += 1
            return self.change_count

    def move_to(self, servers: Collection[int], placement: Any) -> None:
        """Moves a variable to these servers, unless all of them hold it already."""
        with self._moving:
            before = self.locations(placement)
            if {location.server for location in before}.issuperset(servers):
                return
            key = f"{placement.key}, {next(self._keys)}"
            after = tuple(ServerLocation(i, key) for i in sorted(servers, key=lambda i: (i != placement.home, i)))
            first = self.actors[before[0].server]
            released = first.call("release", before[0].key).result()
            value, history = released.value, released.history
            try:
                calls = [self.actors[location.server].call("create", key, value, history) for location in after]
                for call in calls:
                    call.result()
            except BaseException:  # such as the user's Ctrl-C
                first.call("create", before[0].key, value, history).result()
                for location in after:
                    self.actors[location.server].call("forget", [key]).result()
                raise
            self._moved[placement.key] = after
            self.moves += 1

    def moved_since(self, moves: int) -> bool:
        """Returns whether a variable has moved since there were this many moves. Waits for a move that is under way."""
        with self._moving:
            return self.moves != moves

    def retry_after_move(self, act: Callable[[], Result]) -> Result:
        """Returns the result of `act`, which calls servers for variables; calls it again if a variable has moved meanwhile."""
        while True:
            moves = self.moves
            try:
                return act()
            except MissingVariableError:
                if not self.moved_since(moves):
                    raise

    def update(self, key: Any) -> ServerUpdate | None:
        """Returns the update with this key if its server knows it, else None. It is referred to weakly here.

        key: ids of optimizer, settings and variables, the server, and the kinds of the gradients. The update keeps
        these objects alive, so that their ids stay theirs.
        """
        with self.lock:
            return self._updates.get(key)

    def trains(self, variable: Any) -> bool:
        """Returns whether an update is of this variable."""
        with self.lock:
            return any(variable is v for update in self._updates.values() for v in update.variables)

    def readers(self, variable: Any) -> set[int]:
        """Returns the servers some of whose updates read this variable without updating it."""
        with self.lock:
            known = list(self._updates.values())
            return {
                self._server_of[update.number] for update in known if any(variable is v for v in update.extra_reads)
            }

    def teach(self, key: Any, server: int, made: ServerUpdate, keys: Sequence[str]) -> None:
        """Registers a part of an update at its server, and here under its key. keys: of the variables that it reads."""
        sent: Any = WeakUpdateReference(made) if self.local else made.spec
        self.actors[server].call("learn", made.number, sent, keys).result()
        with self.lock:
            self._server_of[made.number] = server
            self._finalized.watch(made, ("update", made.number, server))
            self._updates[key] = self._numbered[made.number] = made

    def prepare(self, number: int, gradients: Sequence[Any]) -> None:
        """Traces an update for gradients of these shapes, and sends the program if the server is in another process.

        So no server has to wait for it during a push.
        """
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
            program = export_program(made.run, *made.spec.split(values), arrays)
            self.actors[self._server_of[number]].call("extend", number, shapes, program).result()
            self.ready = self.ready | {(number, shapes)}
