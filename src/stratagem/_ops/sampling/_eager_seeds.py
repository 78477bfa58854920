"""TensorFlow's rule for seeds of eager draws, so that they give its numbers after `tf.random.set_seed`.

A draw is a Philox stream whose key is the global seed, and whose upper half of the counter is the seed of the operation: the
one that is given, else the next number of Python's generator with the global seed. Draws with a given seed continue those
of the same operation, dtypes and seed. `set_seed` restarts all.
"""

import math
import random
import threading
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.types import ShapeLike
from stratagem._core.context import current
from stratagem._ops._convert import static_shape
from stratagem._ops.sampling._generator_state import BLOCKS_OF_A_NUMBER
from stratagem._ops.sampling._philox import Words
from stratagem._private import computes_at_once, current_recording, latest_whole_seed, seed_source

_LARGEST = 2**31 - 1
_WITHOUT_GLOBAL_SEED = 87654321  # the global seed of draws that have a seed, if none was set


class _EagerSeeds:
    """The draws of the process since the global seed was set."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seeding: tuple[int, int | None] = (0, None)
        self._numbers = random.Random(0)
        self._places: dict[tuple[tuple[str, ...], int], int] = {}

    def take(self, operation: tuple[str, ...], seed: Any | None, blocks: int) -> tuple[int, int, int] | None:
        """Returns the two seeds of a draw and its first block, and advances; None without any seed."""
        seeding = latest_whole_seed()
        first = seeding[1]
        if seed is None and first is None:
            return None
        with self._lock:
            if seeding != self._seeding:
                self._seeding, self._places = seeding, {}
                self._numbers = random.Random(first)
            if seed is None:
                return self._pair(first, self._numbers.randint(0, _LARGEST), 0)
            key = (operation, int(seed))
            place = self._places.get(key, 0)
            self._places[key] = place + blocks
            return self._pair(first, int(seed), place)

    @staticmethod
    def _pair(first: int | None, second: int, place: int) -> tuple[int, int, int]:
        one, two = (_WITHOUT_GLOBAL_SEED if first is None else first) % _LARGEST, second % _LARGEST
        return (one, two if one or two else _LARGEST, place)


_seeds = _EagerSeeds()


def _draws_eagerly() -> bool:
    """True outside of steps, replicas, functions of datasets, model_fns, first values and transformations; tapes may record."""
    here = current()
    step = here.recorder is not None or here.replica is not None or bool(here.host) or here.graph is not None
    if step or here.worker is not None or here.reading or here.first_value or seed_source() is not None:
        return False
    return computes_at_once() or current_recording() is not None


def eager_stream(operation: tuple[str, ...], seed: Any | None, blocks: int) -> Words | None:
    """Returns the stream of an eager draw that advances by so many blocks; None in a step, and if no seed was ever set.

    operation: its name and dtypes. seed: the one that the user gives it.
    """
    taken = _seeds.take(operation, seed, blocks) if _draws_eagerly() else None
    if taken is None:
        return None
    first, second, place = taken
    return jnp.asarray(np.array([first, 0, place % 2**32, place >> 32, second, 0], np.uint32))


def stream_of_numbers(name: str, shape: ShapeLike, dtype: str, seed: Any | None) -> Words | None:
    """Returns the stream of an eager draw of independent numbers, or None as `eager_stream` does."""
    kind = "int64" if str(getattr(shape, "dtype", "")) == "int64" else "int32"
    return eager_stream((name, dtype, kind), seed, math.prod(static_shape(shape)) * BLOCKS_OF_A_NUMBER)
