"""Servers: the variable servers of a strategy as one, and which of them keeps what."""

import itertools
import threading
from collections.abc import Sequence
from typing import Any, final

import jax

from stratagem.remote._server import Origin, Push, VariableServer
from stratagem.remote._update import ServerUpdate


@final
class Servers:
    """Calls to several servers. A variable lies on one; what all updates of an optimizer count by, on each of them."""

    def __init__(self, servers: Sequence[VariableServer]) -> None:
        self._servers = list(servers)
        self._copies: dict[str, set[int]] = {}
        self._moved: dict[str, int] = {}
        self._turn = itertools.count()
        self._updates = itertools.count()
        self.lock = threading.RLock()
        # By server, optimizer, variables and kinds of gradients (by identity: an update keeps these objects alive).
        self.known_updates: dict[Any, tuple[int, ServerUpdate]] = {}

    def __len__(self) -> int:
        return len(self._servers)

    def __getitem__(self, index: int) -> VariableServer:
        return self._servers[index]

    def next_home(self) -> int:
        """Where the next variable goes: servers take turns, as in TF."""
        return next(self._turn) % len(self._servers)

    def next_update(self) -> int:
        """A number for an update, new for all servers."""
        return next(self._updates)

    def rows(self, wanted: Sequence[tuple[Any, Any]]) -> list[jax.Array]:
        """For every (placement, ids) the rows at these ids; one call a server."""
        found: list[Any] = [None] * len(wanted)
        homes = [self.home(p) for p, _ in wanted]
        for index in sorted(set(homes)):
            mine = [i for i, home in enumerate(homes) if home == index]
            given = self._servers[index].rows([(wanted[i][0].key, wanted[i][1]) for i in mine])
            for i, rows in zip(mine, given, strict=True):
                found[i] = rows
        return found

    def copies(self, placement: Any) -> set[int]:
        """The servers whose updates count up a copy of this variable."""
        return self._copies.get(placement.key, set())

    def home(self, placement: Any) -> int:
        """The index of the server that is asked for a variable."""
        return self._moved.get(placement.key, placement.home)

    def read(self, placements: Sequence[Any]) -> list[jax.Array]:
        """The values of variables, by placement; those of one server are of one moment."""
        homes = [self.home(p) for p in placements]
        found: dict[str, jax.Array] = {}
        for index in sorted(set(homes)):
            keys = [p.key for p, home in zip(placements, homes, strict=True) if home == index]
            found.update(zip(keys, self._servers[index].read(keys), strict=True))
        return [found[p.key] for p in placements]

    def assign(self, placement: Any, value: jax.Array) -> None:
        """A new value, wherever the variable is kept."""
        for index in self.sharing(placement):
            self._servers[index].create(placement.key, value)

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
            self._servers[index].create(placement.key, self.read([placement])[0])
            if copies is None:  # from now on it is where the updates are
                self._servers[placement.home].forget([placement.key])
                self._moved[placement.key] = index
            self._copies[placement.key] = {*(copies or ()), index}

    def push(self, origin: Origin | None, pushes: dict[int, Push]) -> None:
        """Send every server its push."""
        for index, push in pushes.items():
            self._servers[index].push(origin, push)
