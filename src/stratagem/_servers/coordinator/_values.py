"""What the coordinator hands out: results that will be there, and values that every worker has its own of."""

import contextlib
import enum
import logging
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, final

import jax
import numpy as np

from stratagem._base.errors import CancelledError, UnavailableError, UnimplementedError
from stratagem._core.step import RemoteArray
from stratagem._private import on_device

logger = logging.getLogger("stratagem.coordinator")


class RemoteValueStatus(enum.Enum):
    """How far a RemoteValue is (TF's names)."""

    NOT_READY = "NOT_READY"
    ABORTED = "ABORTED"
    READY = "READY"


@final
class RemoteValue:
    """The result of a scheduled function, as `tf.distribute.experimental.coordinator.RemoteValue`."""

    _ended: ClassVar = threading.Condition()  # one for all: to make one takes as long as much of a short step

    def __init__(self, name: str) -> None:
        self._name = name
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None

    def get(self) -> Any:
        """The result, as the function returned it. Blocks until it is there; raises what the function raised."""
        self._value = jax.tree.map(_as_tensor, self._returned())
        return self._value

    def fetch(self) -> Any:
        """The result with NumPy arrays in place of tensors; None for a function that returns nothing."""
        return jax.tree.map(lambda x: np.asarray(x) if isinstance(x, jax.Array | RemoteArray) else x, self._returned())

    def _returned(self) -> Any:
        if not self._done:
            with self._ended:
                self._ended.wait_for(lambda: self._done)
        if self._error is not None:
            raise self._error
        return self._value

    def _set(self, value: Any) -> None:
        self._value = value
        self._end()

    def _fail(self, error: BaseException) -> None:
        self._error = error
        self._end()

    def _end(self) -> None:
        with self._ended:
            self._done = True
            self._ended.notify_all()

    def _cancel(self, cause: str) -> None:
        self._fail(CancelledError(f"{self._name} was cancelled before it ran to its end: {cause}."))

    @property
    def _status(self) -> RemoteValueStatus:
        if not self._done:
            return RemoteValueStatus.NOT_READY
        return RemoteValueStatus.READY if self._error is None else RemoteValueStatus.ABORTED

    def __repr__(self) -> str:
        return f"<RemoteValue of {self._name}: {self._status.value}>"


def _as_tensor(leaf: Any) -> Any:
    """What has come from another process as a tensor."""
    return on_device(np.asarray(leaf), jax.local_devices()[0]) if isinstance(leaf, RemoteArray) else leaf


@final
class EveryValue:
    """All values of a coordinator that workers have their own of, while somebody uses them. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: weakref.WeakSet[PerWorkerValues] = weakref.WeakSet()

    def add(self, values: "PerWorkerValues") -> None:
        """New ones."""
        with self._lock:
            self._all.add(values)

    def lost(self, worker: int) -> None:
        """The worker is gone, and what it had."""
        with self._lock:
            every = list(self._all)
        for values in every:
            values.lost(worker)


class PerWorkerValues:
    """A value of its own for every worker: a scheduled function gets that of the worker that runs it.

    make(worker) is called when the worker first needs it, and again when it is a new one that took the old one's place, and
    when it has failed for the first time.
    """

    tries: ClassVar[int] = 2

    def __init__(self, make: Callable[[int], Any], name: str, workers: Sequence[int], every: EveryValue) -> None:
        """every: those of the coordinator, which it tells about workers that are gone."""
        self._make, self._name, self._workers, self._every = make, name, workers, every
        # The thread of a worker, and one that asks what its value looks like, may need it at the same time.
        self._making = {worker: threading.RLock() for worker in workers}
        self._made: dict[int, Any] = {}
        every.add(self)

    def of(self, worker: int) -> Any:
        """The value of a worker. Raises what making it raises, with a note that names the worker."""
        with self._making[worker]:
            with contextlib.suppress(KeyError):  # also where the worker is lost in this moment
                return self._made[worker]
            made = self._made[worker] = self._new(worker)
            return made

    def _new(self, worker: int) -> Any:
        for left in reversed(range(self.tries)):
            try:
                return self._make(worker)
            except UnavailableError:
                raise  # the worker is gone: another one gets another value
            except Exception as error:
                if left:
                    logger.warning("worker:%d: %s failed, and is tried once more: %r", worker, self._name, error)
                    continue
                if self.tries > 1:
                    error.add_note(f"worker:{worker} could not make {self._name}; it has tried twice.")
                raise
        raise AssertionError("the last try returns or raises")

    def lost(self, worker: int) -> None:
        """The worker is gone, and what it had."""
        self._made.pop(worker, None)

    def __repr__(self) -> str:
        return f"<PerWorkerValues {self._name}>"


@final
class PerWorkerDataset(PerWorkerValues):
    """A data set that every worker makes, and reads, by itself."""

    def __iter__(self) -> "PerWorkerIterator":
        name = f"iterator of {self._name}"
        return PerWorkerIterator(lambda worker: iter(self.of(worker)), name, self._workers, self._every)

    @property
    def element_spec(self) -> Any:
        """What its elements look like, by the data set of one worker: of one that has made its own, or the first."""
        return self.of(min(list(self._made), default=self._workers[0])).element_spec


@final
class PerWorkerIterator(PerWorkerValues):
    """An iterator for every worker: pass it to a scheduled function, and draw there."""

    tries = 1  # its data set has tried already

    def __next__(self) -> Any:
        raise UnimplementedError(
            "Iterating over an iterator of all workers on the coordinator is not supported: whose element would it be? "
            "Pass the iterator to a function that you schedule, and call next(iterator) there."
        )

    get_next = __next__

    def __iter__(self) -> "PerWorkerIterator":
        return self


def check_no_remote(values: Sequence[Any]) -> None:
    """Raise ValueError if a RemoteValue is among the leaves of the arguments."""
    for leaf in jax.tree.leaves(values, is_leaf=lambda x: isinstance(x, RemoteValue)):
        if isinstance(leaf, RemoteValue):
            raise ValueError(
                f"RemoteValue cannot be used as an argument of a scheduled function: {leaf}. Fetch it first "
                "(coordinator.fetch), or compute both in one function."
            )


def of_worker(values: Any, worker: int) -> Any:
    """The structure with every PerWorkerValues replaced by this worker's value."""
    return jax.tree.map(
        lambda leaf: leaf.of(worker) if isinstance(leaf, PerWorkerValues) else leaf,
        values,
        is_leaf=lambda x: isinstance(x, PerWorkerValues) or hasattr(x, "__next__"),
    )
