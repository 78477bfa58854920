"""RemoteValue and PerWorkerValues: results of scheduled functions, and values that every worker has its own of."""

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
from stratagem._base.exports import exported
from stratagem._core.step import ReceivedArray
from stratagem._private import on_device

logger = logging.getLogger("stratagem.coordinator")


class RemoteValueStatus(enum.Enum):
    """The state of a RemoteValue (TF's names)."""

    NOT_READY = "NOT_READY"
    ABORTED = "ABORTED"
    READY = "READY"


@exported("distribute.coordinator.RemoteValue")
@final
class RemoteValue:
    """The result of a scheduled function, as `tf.distribute.experimental.coordinator.RemoteValue`."""

    _ended: ClassVar = threading.Condition()  # shared by all: making one takes a large part of a short step's time

    def __init__(self, name: str) -> None:
        self._name = name
        self._done = False
        self._value: Any = None
        self._error: BaseException | None = None

    def get(self) -> Any:
        """Returns what the function returned, when it is there. Raises what the function raised."""
        self._value = jax.tree.map(_as_tensor, self._returned())
        return self._value

    def fetch(self) -> Any:
        """Returns the result with NumPy arrays in place of tensors; None for a function that returns nothing."""
        return jax.tree.map(
            lambda x: np.asarray(x) if isinstance(x, jax.Array | ReceivedArray) else x, self._returned()
        )

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
    """Returns an array that came from another process as a tensor; other leaves as they are."""
    return on_device(np.asarray(leaf), jax.local_devices()[0]) if isinstance(leaf, ReceivedArray) else leaf


@final
class PerWorkerRegistry:
    """The PerWorkerValues of a coordinator, by weak reference. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: weakref.WeakSet[PerWorkerValues] = weakref.WeakSet()

    def add(self, values: "PerWorkerValues") -> None:
        """Registers new values."""
        with self._lock:
            self._all.add(values)

    def lost(self, worker: int) -> None:
        """Drops what a lost worker had."""
        with self._lock:
            registered = list(self._all)
        for values in registered:
            values.lost(worker)


@exported("distribute.coordinator.PerWorkerValue", "distribute.coordinator.PerWorkerValues")
class PerWorkerValues:
    """One value for each worker: a scheduled function gets that of the worker that runs it.

    `make(worker)` is called when a worker first needs its value, once more if that fails, and again for a new process that
    has taken a lost worker's place.
    """

    tries: ClassVar[int] = 2

    def __init__(
        self, make: Callable[[int], Any], name: str, workers: Sequence[int], registry: PerWorkerRegistry
    ) -> None:
        """registry: the coordinator's; it reports lost workers to these values."""
        self._make, self._name, self._workers, self._registry = make, name, workers, registry
        # The worker's thread and one that asks for the element spec may need a value at the same time.
        self._locks = {worker: threading.RLock() for worker in workers}
        self._made: dict[int, Any] = {}
        registry.add(self)

    def of(self, worker: int) -> Any:
        """Returns the value of a worker. Raises the error of `make`, with a note that names the worker."""
        with self._locks[worker]:
            with contextlib.suppress(KeyError):  # `lost` may drop it at any moment
                return self._made[worker]
            made = self._made[worker] = self._new(worker)
            return made

    def _new(self, worker: int) -> Any:
        for tries_left in reversed(range(self.tries)):
            try:
                return self._make(worker)
            except UnavailableError:
                raise  # the worker is lost: its replacement gets a new value
            except Exception as error:
                if tries_left:
                    logger.warning("worker:%d: %s failed, and is tried once more: %r", worker, self._name, error)
                    continue
                if self.tries > 1:
                    error.add_note(f"worker:{worker} could not make {self._name}; it has tried twice.")
                raise
        raise AssertionError("the last try returns or raises")

    def lost(self, worker: int) -> None:
        """Drops the value of a lost worker."""
        self._made.pop(worker, None)

    def __repr__(self) -> str:
        return f"<PerWorkerValues {self._name}>"


@final
class PerWorkerDataset(PerWorkerValues):
    """A dataset that every worker makes and reads itself."""

    def __iter__(self) -> "PerWorkerIterator":
        name = f"iterator of {self._name}"
        return PerWorkerIterator(lambda worker: iter(self.of(worker)), name, self._workers, self._registry)

    @property
    def element_spec(self) -> Any:
        """The element spec of one worker's dataset: of a worker that has made its own already, else of the first."""
        return self.of(min(list(self._made), default=self._workers[0])).element_spec


@final
class PerWorkerIterator(PerWorkerValues):
    """One iterator for each worker: pass it to a scheduled function, and draw elements there."""

    tries = 1  # its dataset has tried twice already

    def __next__(self) -> Any:
        raise UnimplementedError(
            "Iterating over an iterator of all workers on the coordinator is not supported: whose element would it be? "
            "Pass the iterator to a function that you schedule, and call next(iterator) there."
        )

    get_next = __next__

    def __iter__(self) -> "PerWorkerIterator":
        return self


def check_no_remote(values: Sequence[Any]) -> None:
    """Raises ValueError if a RemoteValue is among the leaves of the arguments."""
    for leaf in jax.tree.leaves(values, is_leaf=lambda x: isinstance(x, RemoteValue)):
        if isinstance(leaf, RemoteValue):
            raise ValueError(
                f"RemoteValue cannot be used as an argument of a scheduled function: {leaf}. Fetch it first "
                "(coordinator.fetch), or compute both in one function."
            )


def values_for_worker(values: Any, worker: int) -> Any:
    """Returns the structure with every PerWorkerValues replaced by this worker's value."""
    return jax.tree.map(
        lambda leaf: leaf.of(worker) if isinstance(leaf, PerWorkerValues) else leaf,
        values,
        is_leaf=lambda x: isinstance(x, PerWorkerValues) or hasattr(x, "__next__"),
    )
