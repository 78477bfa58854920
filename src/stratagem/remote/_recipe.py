"""Recipe: all that a worker has to do for one step, without the objects that the step was traced from.

Values have numbers: a worker keeps them in a dict while it runs. Variables are known by server and key.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._errors import InvalidArgumentError
from stratagem.remote._actors import Actor
from stratagem.remote._look_up import Room, wanted_rows
from stratagem.remote._server import Push
from stratagem.remote._travel import local
from stratagem.remote._update import Rows
from stratagem.remote._worker import Worker

Number = int
Values = dict[Number, Any]


@dataclass(frozen=True)
class Place:
    """Where a variable is kept: the server's index, and its name there."""

    server: int
    key: str


@dataclass(frozen=True)
class CompiledPiece:
    """run(list of the values `reads`) -> list of the values `makes`."""

    reads: tuple[Number, ...]
    makes: tuple[Number, ...]
    run: Callable[[list[Any]], list[Any]]


@dataclass(frozen=True)
class TableLookUp:
    """The rows of a table that some ids ask for, after piece `call`.

    name: of the table. shards: where they are, and how many rows each has. ids: values; inverse: for each, where in all rows
    its own are. rows: the distinct rows by shard; which: their ids there.
    """

    call: int
    name: str
    shards: tuple[tuple[Place, int], ...]
    ids: tuple[Number, ...]
    inverse: tuple[Number, ...]
    rows: tuple[Number, ...]
    which: tuple[Number, ...]
    room: Room = field(default_factory=Room)


@dataclass(frozen=True)
class SentUpdate:
    """An optimizer's update, whose gradients are there after piece `call`.

    finite: a value, false if one of them is no number. gradients: by variable its path, value, and the ids of its rows (None:
    it is a gradient of all rows). parts: by server the number of its part, and which of the gradients that takes.
    """

    call: int
    optimizer: str
    finite: Number
    gradients: tuple[tuple[str, Number, Number | None], ...]
    parts: tuple[tuple[int, int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class SentChange:
    """A value that is added to a variable, or takes its place, on all servers that keep it."""

    places: tuple[Place, ...]
    value: Number
    adds: bool


@final
@dataclass(frozen=True)
class Recipe:
    """One step.

    inputs: values that the call brings. constants: values that are always the same. whole: values that are read from servers
    in the beginning; late: after the piece with this number, and the updates before it. seeds and kept: values of variables
    that a worker has for itself, before and after the step. results: values that go back.
    """

    inputs: tuple[Number, ...]
    constants: tuple[tuple[Number, Any], ...]
    whole: tuple[tuple[Number, Place], ...]
    late: tuple[tuple[int, Number, Place], ...]
    seeds: tuple[tuple[Number, Any], ...]
    kept: tuple[tuple[Number, Any], ...]
    pieces: tuple[CompiledPiece, ...]
    look_ups: tuple[TableLookUp, ...]
    updates: tuple[SentUpdate, ...]
    changes: tuple[SentChange, ...]
    results: tuple[Number, ...]

    def run(
        self,
        inputs: Sequence[Any],
        servers: Sequence[Actor],
        worker: Worker,
        prepare: Callable[[int, Sequence[Any]], None],
    ) -> list[Any]:
        """Take the step. Waits until the servers have taken what it changes.

        prepare(number, gradients) is called before a part of an update is sent.

        Raises InvalidArgumentError for an id that no row has, and a gradient that is no number: then nothing is sent but
        updates of the same step whose results were read before.
        """
        values: Values = {**dict(self.constants), **dict(zip(self.inputs, inputs, strict=True))}
        self._read(self.whole, values, servers)
        values.update((number, worker.value(variable)) for number, variable in self.seeds)
        sent = 0
        for i, piece in enumerate(self.pieces):
            if i:
                sent = self._between(i - 1, values, servers, worker, prepare, sent)
            if piece.makes:
                made = piece.run([values[n] for n in piece.reads])
                values.update(zip(piece.makes, made, strict=True))
        self._push(self.updates[sent:], self.changes, values, servers, worker, prepare)
        for number, variable in self.kept:
            worker.keep(variable, values[number])
        return [values[n] for n in self.results]

    def _read(self, wanted: Sequence[tuple[Number, Place]], values: Values, servers: Sequence[Actor]) -> None:
        by_server: dict[int, list[tuple[Number, str]]] = defaultdict(list)
        for number, place in wanted:
            by_server[place.server].append((number, place.key))
        calls = [(each, servers[s].call("read", [key for _, key in each])) for s, each in by_server.items()]
        for each, call in calls:
            values.update((n, local(x)) for (n, _), x in zip(each, call.result(), strict=True))

    def _between(
        self, call: int, values: Values, servers: Sequence[Actor], worker: Worker, prepare: Any, sent: int
    ) -> int:
        """What the servers do after piece `call`: look-ups, and updates whose results are read. Returns how many were sent."""
        for look_up in self.look_ups:
            if look_up.call == call:
                self._look_up(look_up, values, servers)
        late = [(number, place) for after, number, place in self.late if after == call]
        if late:
            due = [u for u in self.updates[sent:] if u.call <= call]
            self._push(due, (), values, servers, worker, prepare)
            self._read(late, values, servers)
            sent += len(due)
        return sent

    def _look_up(self, look_up: TableLookUp, values: Values, servers: Sequence[Actor]) -> None:
        sizes = [rows for _, rows in look_up.shards]
        wanted = wanted_rows([values[n] for n in look_up.ids], sizes, look_up.name, look_up.room)
        places = [place for place, _ in look_up.shards]
        calls = [servers[p.server].call("rows", [(p.key, r)]) for p, r in zip(places, wanted.rows, strict=True)]
        values.update(zip(look_up.inverse, map(jnp.asarray, wanted.inverse), strict=True))
        values.update(zip(look_up.which, wanted.rows, strict=True))
        values.update((n, local(call.result()[0])) for n, call in zip(look_up.rows, calls, strict=True))

    def _push(
        self,
        updates: Sequence[SentUpdate],
        changes: Sequence[SentChange],
        values: Values,
        servers: Sequence[Actor],
        worker: Worker,
        prepare: Any,
    ) -> None:
        sends: dict[int, list[tuple[int, list[Any]]]] = defaultdict(list)
        for update in updates:
            if not bool(values[update.finite]):
                raise InvalidArgumentError(_not_finite(update, values))
            given = [values[v] if ids is None else Rows(values[ids], values[v]) for _, v, ids in update.gradients]
            for server, number, mine in update.parts:
                gradients = [given[i] for i in mine]
                prepare(number, gradients)
                sends[server].append((number, gradients))
        added: dict[int, dict[str, Any]] = defaultdict(dict)
        kept: dict[int, dict[str, Any]] = defaultdict(dict)
        for change in changes:
            for place in change.places:
                (added if change.adds else kept)[place.server][place.key] = values[change.value]
        pushed = sorted({*sends, *added, *kept})
        if pushed:
            origin = worker.next_origin()
            calls = [servers[s].call("push", origin, Push(sends[s], added[s], kept[s])) for s in pushed]
            for call in calls:
                call.result()


def _not_finite(update: SentUpdate, values: Values) -> str:
    """The error for a gradient that is no number."""
    names = [path for path, value, _ in update.gradients if not np.isfinite(np.asarray(values[value])).all()]
    return (
        f"{update.optimizer}: the gradient of {', '.join(names)} has NaN or infinity, so no server got this update. "
        "Look for a division by zero or a logarithm of it, or a learning rate that is too large."
    )
