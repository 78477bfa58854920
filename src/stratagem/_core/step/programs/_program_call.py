"""The call of a program: the context that reports its steps, and the places of the tensors that all replicas share."""

import contextlib
import logging
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._base.job import Job, Phase, observer
from stratagem._base.slow_blocks import while_slow
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values import Separate, Stacked
from stratagem._private import on_device, reusing_executables, stores_programs, to_host_words

logger = logging.getLogger("stratagem")

_SAY_SECONDS = 5.0
_SAY_AGAIN_SECONDS = 10.0  # longer silence looks like a hang


def program_call(
    job: Job, *, first: bool, steps: int = 1, rows: int | None = None
) -> contextlib.AbstractContextManager[None]:
    """Returns the context of a program's call, which takes this many steps.

    first: it compiles. rows: of its batch, if known.
    """
    for _ in range(steps):
        job.begin_step()
    observer().begin_steps(steps)
    return _first_call(job, rows) if first else job.waiting()


@final
class _CompilingClock:
    """Adds up the time in which each thread traces or compiles steps."""

    def __init__(self) -> None:
        self._own = threading.local()  # seconds of a thread describe no running code, and last longer

    def __enter__(self) -> None:
        self._own.depth = getattr(self._own, "depth", 0) + 1
        if self._own.depth == 1:
            self._own.began = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self._own.depth -= 1
        if self._own.depth == 0:
            self._own.seconds = self.seconds + time.monotonic() - self._own.began

    @property
    def seconds(self) -> float:
        """The seconds of this thread so far."""
        return float(getattr(self._own, "seconds", 0.0))


_clock = _CompilingClock()


def compiling_seconds() -> float:
    """Returns for how many seconds this thread has traced and compiled steps so far."""
    return _clock.seconds


@contextlib.contextmanager
def _first_call(job: Job, rows: int | None) -> Iterator[None]:
    with compiling(job, rows), reusing_executables():
        yield


@contextlib.contextmanager
def compiling(job: Job, rows: int | None) -> Iterator[None]:
    """Reports that a step is traced or compiled; if that takes long, log lines say so. rows: of its batch, if known."""
    batches = "" if rows is None else f" for batches of {rows} rows"
    cache = "" if stores_programs() else " STRATAGEM_COMPILE_CACHE=1 keeps programs for the next start."
    explanations = iter([f" Every size of batches has a program of its own.{cache}"])  # once is enough

    def say(seconds: float) -> None:
        logger.info("%.0f s: compiling a step%s.%s", seconds, batches, next(explanations, ""))

    with job.phase(Phase.COMPILING), while_slow(say, after=_SAY_SECONDS, every=_SAY_AGAIN_SECONDS), _clock:
        yield


def rows_of(own: Sequence[Any], shared: Sequence[Any]) -> int | None:
    """Returns the rows on all replicas together of the first input that has rows; None if none has.

    own: arrays whose first dimension is the replicas', or values of the replicas. shared: arrays that all replicas have.
    """
    for value in own:
        if isinstance(value, Separate):
            if all(value.shapes):
                return sum(shape[0] for shape in value.shapes)
            continue
        array = value.array if isinstance(value, Stacked) else value
        if array.ndim > 1:
            return int(array.shape[0] * array.shape[1])
    return next((int(value.shape[0]) for value in shared if value.ndim), None)


def shared_argument(value: Any, mesh: ReplicaMesh) -> Any:
    """Returns a tensor that all replicas share, in the cheapest form that a compiled program takes it in.

    A NumPy array for one device stays one: JAX transfers it while it calls the program, in half the time of a transfer before
    the call. One of 64 bits, which it would cut, comes in words, which the program puts together.
    """
    if type(value) is np.ndarray and mesh.num_replicas == 1:
        return value if value.dtype.itemsize < 8 else to_host_words(value)
    return on_all_devices(value, mesh)


def on_all_devices(value: Any, mesh: ReplicaMesh) -> Any:
    """Returns a tensor that all replicas share, on all devices of the mesh."""
    if mesh.num_replicas > 1:
        return value if isinstance(value, jax.Array) and value.sharding == mesh.everywhere else mesh.replicate(value)
    if not isinstance(value, jax.Array):
        return on_device(np.asarray(value), mesh.devices[0])
    here = value.sharding.device_set == mesh.everywhere.device_set
    return value if here else jax.device_put(value, mesh.devices[0])
