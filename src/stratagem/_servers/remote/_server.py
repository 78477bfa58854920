"""VariableServer: holds variables and applies pushes to them, each exactly once."""

import dataclasses
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import Maker
from stratagem._servers.remote._export import as_argument, to_jax_array
from stratagem._servers.remote._push_log import History, PushLog
from stratagem._servers.remote._server_messages import Push, PushId, ReadReply
from stratagem._servers.remote._time_breakdown import BusyTimer
from stratagem._servers.remote._update import UpdateFunction


@final
class MissingVariableError(InvalidArgumentError):
    """A server does not have a variable: another one may hold it now, or the same one under another key."""

    def __init__(self, server: int, keys: Sequence[str], what: str = "") -> None:
        super().__init__(
            f"Server ps:{server} {what}has no variables {', '.join(keys)}. Were they dropped, or was the server started anew?"
        )
        self._arguments = server, keys, what

    def __reduce__(self) -> Any:
        return type(self), self._arguments


@dataclass(frozen=True)
class ServerStatistics:
    """The counts of a server's work so far.

    pushes: how many were applied. dropped: how many were not, because they were applied before or came too late. stale:
    the sum, over all pushes, of the number of other pushes applied between the step's read and its push. busy: seconds
    in which at least one call ran. received, sent: bytes of arrays. rows: how many were looked up in tables.
    """

    pushes: int
    dropped: int
    stale: int
    busy: float
    received: int
    sent: int
    rows: int

    def __sub__(self, before: "ServerStatistics") -> "ServerStatistics":
        pairs = zip(dataclasses.astuple(self), dataclasses.astuple(before), strict=True)
        return ServerStatistics(*(now - then for now, then in pairs))


@dataclass(frozen=True)
class VariableTransfer:
    """A variable that a server has given up: its value, and which pushes have changed it."""

    value: jax.Array
    history: History


@final
class VariableServer:
    """The variables of one task, by key. Thread-safe; every method is atomic: no call sees half a push."""

    def __init__(self, index: int) -> None:
        self.index = index
        self.pushes = self.dropped = 0
        self.busy = BusyTimer()
        self._stale = self._received = self._sent = self._rows = 0
        self._lock = threading.Lock()
        self._values: dict[str, jax.Array] = {}
        self._sizes: dict[str, int] = {}  # bytes of each: every call needs them, and `nbytes` of JAX's arrays is slow
        # By number: an update, and the keys of the variables that it reads, in its order and as a set.
        self._updates: dict[int, tuple[UpdateFunction, tuple[str, ...], frozenset[str]]] = {}
        self._tables: set[str] = set()
        self._push_log = PushLog()

    def create(self, key: str, value: Any, history: History | None = None) -> None:
        """Sets the value of a new or known variable. history: that of a variable which another server had before."""
        with self._lock:
            if history is not None:
                self._push_log.inherit(key, history)
            self._values[key] = self._own(key, value)
            self._sizes[key] = self._values[key].nbytes
            self._received += _bytes([value])

    def make(self, key: str, maker: Maker, arguments: Sequence[Any]) -> None:
        """Adds a variable, whose first value is `maker(*arguments)`."""
        with self.busy:
            value = jax.block_until_ready(maker(*jax.tree.map(as_argument, arguments)))
            with self._lock:
                self._values[key] = value
                self._sizes[key] = value.nbytes

    def forget(self, keys: Iterable[str]) -> None:
        """Drops variables that are not used any more."""
        with self._lock:
            for key in keys:
                self._drop(key)

    def release(self, key: str) -> VariableTransfer:
        """Drops a variable that gets another key; returns its value and history.

        Raises MissingVariableError if it is not here.
        """
        with self._lock:
            self._find([key])
            value = self._values[key]
            self._sent += self._sizes[key]
            history = self._push_log.history(key)
            self._drop(key)
            return VariableTransfer(value, history)

    def read(self, keys: Sequence[str]) -> ReadReply:
        """Returns the values of these variables. Raises MissingVariableError if a variable is not here."""
        with self.busy, self._lock:
            self._find(keys)
            values = [jnp.copy(self._values[k]) if k in self._tables else self._values[k] for k in keys]
            self._sent += sum(self._sizes[k] for k in keys)
            return ReadReply(self.pushes, values)

    def rows(self, wanted: Sequence[tuple[str, Any]]) -> ReadReply:
        """Returns for every (key, ids) the rows with these ids.

        ids: NumPy arrays. The id just behind the last row gives zeros. Raises InvalidArgumentError for others that are
        out of range; MissingVariableError if a variable is not here.
        """
        with self.busy, self._lock:
            self._find([key for key, _ in wanted])
            for key, ids in wanted:
                if ids.size and (ids.min() < 0 or ids.max() > self._values[key].shape[0]):
                    raise InvalidArgumentError(f"Server ps:{self.index}: ids of rows of {key!r} are out of range.")
            rows = [_rows_at(self._values[key], ids) for key, ids in wanted]
            self._sent += _bytes(rows)
            self._rows += sum(ids.size for _, ids in wanted)
            return ReadReply(self.pushes, rows)

    def learn(self, number: int, update: UpdateFunction, keys: Sequence[str]) -> None:
        """Registers an update, which pushes refer to by its number. keys: of the variables that it reads, in its order."""
        with self._lock:
            missing = [k for k in keys if k not in self._values]
            if missing:
                raise InvalidArgumentError(
                    f"Server ps:{self.index} has no variables {missing}, which update {number} needs."
                )
            self._updates[number] = (update, tuple(keys), frozenset(keys))
            tables = {k for k, i in zip(keys, update.spec.by_rows, strict=True) if i is not None}
            new, self._tables = tables - self._tables, tables | self._tables
            self._values.update((k, self._own(k, self._values[k])) for k in new if k in self._values)

    def forget_update(self, number: int) -> None:
        """Drops an update that is not used any more."""
        with self._lock:
            self._updates.pop(number, None)

    def push(self, push_id: PushId | None, push: Push) -> bool:
        """Applies what was not applied before of a push. Returns False if that is nothing, or its closure has ended.

        Raises InvalidArgumentError, and changes nothing, if anything in it does not fit; MissingVariableError if it changes a
        variable that is not here.
        """
        with self.busy, self._lock:
            if push_id is not None:
                remaining = self._push_log.remaining(push_id, push)
                if remaining is None:
                    self.dropped += 1
                    return False
                push = remaining
            self._check(push)
            self._stale += 0 if push.seen is None else self.pushes - push.seen
            for pushed in push.updates:
                update, keys, _ = self._updates[pushed.update]
                self._update(update, keys, pushed.gradients)
            if push.added or push.set:
                self._change(push.added, push.set)
            if push_id is not None:
                self._push_log.record(push_id, push)
            self.pushes += 1
            return True

    def _update(self, update: UpdateFunction, keys: tuple[str, ...], gradients: Sequence[Any]) -> None:
        values, spec = self._values, update.spec
        for i, value in zip(spec.written, update([values[k] for k in keys], gradients), strict=True):
            values[keys[i]] = value
        self._received += spec.nbytes(gradients)

    def _change(self, added: dict[str, Any], replaced: dict[str, Any]) -> None:
        if added:
            sums = _add([self._values[k] for k in added], list(added.values()))
            self._values.update(zip(added, sums, strict=True))
        self._values.update((k, self._own(k, v)) for k, v in replaced.items())
        self._received += _bytes(added.values()) + _bytes(replaced.values())

    def push_and_read(self, push_id: PushId | None, push: Push, keys: Sequence[str]) -> ReadReply:
        """Calls `push`, then `read`."""
        self.push(push_id, push)
        return self.read(keys)

    def traffic(self) -> ServerStatistics:
        """Returns what the server has done so far."""
        with self._lock:
            counts = self.pushes, self.dropped, self._stale
            return ServerStatistics(*counts, self.busy.seconds, self._received, self._sent, self._rows)

    def _find(self, keys: Sequence[str], what: str = "") -> None:
        missing = [key for key in keys if key not in self._values]
        if missing:
            raise MissingVariableError(self.index, missing, what)

    def _drop(self, key: str) -> None:
        self._values.pop(key, None)
        self._sizes.pop(key, None)
        self._tables.discard(key)
        self._push_log.forget(key)

    def _own(self, key: str, value: Any) -> Any:
        """Returns a value as a JAX array; for a table, whose updates write in place, as a copy that nothing else refers to."""
        array = to_jax_array(value)
        return jnp.copy(array) if key in self._tables else array

    def _check(self, push: Push) -> None:
        refused = "refuses a push, and has changed nothing: it "
        if push.added or push.set:
            self._find(sorted({*push.added, *push.set}), refused)
        known = [self._updates[u.update] for u in push.updates if u.update in self._updates]
        for _, keys, as_set in known:
            if not as_set <= self._values.keys():
                self._find(keys, refused)
        try:
            for pushed in push.updates:
                if pushed.update not in self._updates:
                    raise ValueError(f"update {pushed.update} is not known here")
                self._updates[pushed.update][0].spec.check(pushed.gradients)
            for key, value in (*push.added.items(), *push.set.items()):
                present = self._values[key]
                if tuple(value.shape) != tuple(present.shape) or value.dtype != present.dtype:
                    raise ValueError(
                        f"variable {key!r} has shape {tuple(present.shape)} and dtype {present.dtype}, its change "
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
