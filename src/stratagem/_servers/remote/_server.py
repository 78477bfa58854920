"""VariableServer: keeps variables and applies updates to them, each exactly once."""

import dataclasses
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import Maker
from stratagem._servers.remote._export import given, local
from stratagem._servers.remote._push import Origin, Push
from stratagem._servers.remote._push_log import History, PushLog
from stratagem._servers.remote._time_breakdown import Busy
from stratagem._servers.remote._update import Applicable


@final
class NotHereError(InvalidArgumentError):
    """A server is asked for a variable that it does not have: it is kept elsewhere now, perhaps, or under another key."""

    def __init__(self, server: int, keys: Sequence[str], what: str = "") -> None:
        super().__init__(
            f"Server ps:{server} {what}has no variables {', '.join(keys)}. Were they dropped, or was the server started anew?"
        )
        self._given = server, keys, what

    def __reduce__(self) -> Any:
        return type(self), self._given


@dataclass(frozen=True)
class Traffic:
    """What a server has done so far.

    pushes: applied; dropped: those that were applied before, or came too late. stale: for all pushes together, how many of
    others were applied between what a step read and what it pushed. busy: seconds in which it served somebody. received,
    sent: bytes of arrays. rows: of tables that were looked up.
    """

    pushes: int
    dropped: int
    stale: int
    busy: float
    received: int
    sent: int
    rows: int

    def __sub__(self, before: "Traffic") -> "Traffic":
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(before), strict=True)
        return Traffic(*(now - then for now, then in pairs))


@final
class VariableServer:
    """One task's variables, by key. Thread-safe; each method is one whole: nobody sees half a push."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.pushes = self.dropped = 0
        self.busy = Busy()
        self._stale = self._received = self._sent = self._rows = 0
        self._lock = threading.Lock()
        self._values: dict[str, jax.Array] = {}
        self._sizes: dict[str, int] = {}  # their bytes: every call counts them, and JAX's arrays take long to say
        # By number, with the keys of what it reads, in its order and as a set.
        self._updates: dict[int, tuple[Applicable, tuple[str, ...], frozenset[str]]] = {}
        self._tables: set[str] = set()
        self._push_log = PushLog()

    def create(self, key: str, value: Any, history: History | None = None) -> None:
        """Keep a variable under this key; also a new value for one that is there. history: of one that was elsewhere before."""
        with self._lock:
            if history is not None:
                self._push_log.inherit(key, history)
            self._values[key] = self._own(key, value)
            self._sizes[key] = self._values[key].nbytes
            self._received += _bytes([value])

    def make(self, key: str, maker: Maker, arguments: Sequence[Any]) -> None:
        """Keep a new variable under this key, whose first value `maker` makes of the arguments."""
        with self.busy:
            value = jax.block_until_ready(maker(*jax.tree.map(given, arguments)))
            with self._lock:
                self._values[key] = value
                self._sizes[key] = value.nbytes

    def forget(self, keys: Iterable[str]) -> None:
        """Drop variables that nobody uses any more."""
        with self._lock:
            for key in keys:
                self._drop(key)

    def release(self, key: str) -> tuple[jax.Array, History]:
        """The value of a variable that gets another key, and its history. Raises NotHereError if it is not here."""
        with self._lock:
            self._find([key])
            value = self._values[key]
            self._sent += self._sizes[key]
            history = self._push_log.history(key)
            self._drop(key)
            return value, history

    def read(self, keys: Sequence[str]) -> tuple[int, list[jax.Array]]:
        """How many pushes were applied so far, and the values after them. Raises NotHereError if one is not here."""
        with self.busy, self._lock:
            self._find(keys)
            values = [jnp.copy(self._values[k]) if k in self._tables else self._values[k] for k in keys]
            self._sent += sum(self._sizes[k] for k in keys)
            return self.pushes, values

    def rows(self, wanted: Sequence[tuple[str, Any]]) -> tuple[int, list[jax.Array]]:
        """As `read`: for every (key, ids) the rows at these ids; zeros for an id just behind the last row, which has none.

        ids: NumPy's. Raises InvalidArgumentError for others that are no row's.
        """
        with self.busy, self._lock:
            self._find([key for key, _ in wanted])
            for key, ids in wanted:
                if ids.size and (ids.min() < 0 or ids.max() > self._values[key].shape[0]):
                    raise InvalidArgumentError(f"Server ps:{self.index}: ids of rows of {key!r} are out of range.")
            rows = [_rows_at(self._values[key], ids) for key, ids in wanted]
            self._sent += _bytes(rows)
            self._rows += sum(ids.size for _, ids in wanted)
            return self.pushes, rows

    def learn(self, number: int, update: Applicable, keys: Sequence[str]) -> None:
        """An update that pushes may ask for by its number. keys: of what it reads, in its order."""
        with self._lock:
            missing = [k for k in keys if k not in self._values]
            if missing:
                raise InvalidArgumentError(
                    f"Server ps:{self.index} has no variables {missing}, which update {number} needs."
                )
            self._updates[number] = (update, tuple(keys), frozenset(keys))
            tables = {k for k, i in zip(keys, update.facts.by_rows, strict=True) if i is not None}
            new, self._tables = tables - self._tables, tables | self._tables
            self._values.update((k, self._own(k, self._values[k])) for k in new if k in self._values)

    def forget_update(self, number: int) -> None:
        """Nobody asks for it any more."""
        with self._lock:
            self._updates.pop(number, None)

    def push(self, origin: Origin | None, push: Push) -> bool:
        """Apply what of a push was not applied before; False if that is nothing, or its closure is over.

        Raises InvalidArgumentError, and changes nothing, if anything in it does not fit; NotHereError if it changes a variable
        that is not here.
        """
        with self.busy, self._lock:
            if origin is not None:
                left = self._push_log.left(origin, push)
                if left is None:
                    self.dropped += 1
                    return False
                push = left
            self._check(push)
            self._stale += 0 if push.seen is None else self.pushes - push.seen
            for number, gradients in push.updates:
                update, keys, _ = self._updates[number]
                self._update(update, keys, gradients)
            if push.added or push.set:
                self._change(push.added, push.set)
            if origin is not None:
                self._push_log.note(origin, push)
            self.pushes += 1
            return True

    def _update(self, update: Applicable, keys: tuple[str, ...], gradients: Sequence[Any]) -> None:
        values, facts = self._values, update.facts
        for i, value in zip(facts.written, update([values[k] for k in keys], gradients), strict=True):
            values[keys[i]] = value
        self._received += facts.nbytes(gradients)

    def _change(self, added: dict[str, Any], kept: dict[str, Any]) -> None:
        if added:
            sums = _add([self._values[k] for k in added], list(added.values()))
            self._values.update(zip(added, sums, strict=True))
        self._values.update((k, self._own(k, v)) for k, v in kept.items())
        self._received += _bytes(added.values()) + _bytes(kept.values())

    def push_and_read(self, origin: Origin | None, push: Push, keys: Sequence[str]) -> tuple[int, list[jax.Array]]:
        """Both, in one call."""
        self.push(origin, push)
        return self.read(keys)

    def traffic(self) -> Traffic:
        """What it has done so far."""
        with self._lock:
            counts = self.pushes, self.dropped, self._stale
            return Traffic(*counts, self.busy.seconds, self._received, self._sent, self._rows)

    def _find(self, keys: Sequence[str], what: str = "") -> None:
        missing = [key for key in keys if key not in self._values]
        if missing:
            raise NotHereError(self.index, missing, what)

    def _drop(self, key: str) -> None:
        self._values.pop(key, None)
        self._sizes.pop(key, None)
        self._tables.discard(key)
        self._push_log.forget(key)

    def _own(self, key: str, value: Any) -> Any:
        """JAX's array; one that nobody else has for a variable whose updates write into its array."""
        array = local(value)
        return jnp.copy(array) if key in self._tables else array

    def _check(self, push: Push) -> None:
        refused = "refuses a push, and has changed nothing: it "
        if push.added or push.set:
            self._find(sorted({*push.added, *push.set}), refused)
        for number, _ in push.updates:
            if number in self._updates and not self._updates[number][2] <= self._values.keys():
                self._find(self._updates[number][1], refused)
        try:
            for number, gradients in push.updates:
                if number not in self._updates:
                    raise ValueError(f"update {number} is not known here")
                self._updates[number][0].facts.check(gradients)
            for key, value in (*push.added.items(), *push.set.items()):
                kept = self._values[key]
                if tuple(value.shape) != tuple(kept.shape) or value.dtype != kept.dtype:
                    raise ValueError(
                        f"variable {key!r} has shape {tuple(kept.shape)} and dtype {kept.dtype}, its change "
                        f"{tuple(value.shape)} and {value.dtype}"
                    )
        except ValueError as error:
            raise InvalidArgumentError(
                f"Server ps:{self.index} refuses a push, and has changed nothing: {error}."
            ) from None


def _bytes(arrays: Iterable[Any]) -> int:
    return sum(getattr(array, "nbytes", 0) for array in arrays)


@jax.jit
def _add(values: list[Any], amounts: list[Any]) -> list[Any]:
    return [v + a for v, a in zip(values, amounts, strict=True)]


@jax.jit
def _rows_at(table: Any, ids: Any) -> Any:
    return table.at[ids].get(mode="fill", fill_value=0)
