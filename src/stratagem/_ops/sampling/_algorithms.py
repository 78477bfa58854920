"""The algorithms of random numbers by name, and the streams that stateless seeds stand for."""

import enum
from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._ops._convert import tensor
from stratagem._ops.sampling._philox import Words, stream_of


@exported("random.Algorithm", "random.experimental.Algorithm")
class Algorithm(enum.Enum):
    """The algorithms of random numbers, with TensorFlow's numbers (`tf.random.Algorithm`).

    Here AUTO_SELECT is PHILOX on all devices, as in TensorFlow on a CPU or GPU, and THREEFRY draws nothing, as there.
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_NAMES = {"philox": Algorithm.PHILOX, "threefry": Algorithm.THREEFRY, "autoselect": Algorithm.AUTO_SELECT}


def algorithm_number(alg: Any) -> int:
    """Returns TensorFlow's number of an algorithm, given as a name, a number or an `Algorithm`; None is AUTO_SELECT.

    Raises ValueError for another name or number, TypeError for anything else.
    """
    found = _NAMES.get(alg.strip().lower().replace("-", "").replace("_", "")) if isinstance(alg, str) else alg
    if alg is None:
        return Algorithm.AUTO_SELECT.value
    if isinstance(found, Algorithm):
        return int(found.value)
    if isinstance(found, int) and found in (a.value for a in Algorithm):
        return found
    if alg is found and not isinstance(alg, int):
        raise TypeError(f"`alg` is a name, a number or a tf.random.Algorithm, not {alg!r} of {type(alg)}.")
    raise ValueError(f"There is no algorithm {alg!r}: `alg` is 'philox', 'threefry' or 'auto_select' (or 1, 2, 3).")


def refuse_threefry(number: int) -> None:
    """Raises UnimplementedError for ThreeFry, which TensorFlow has on TPUs only."""
    if number == Algorithm.THREEFRY.value:
        raise UnimplementedError(
            "The algorithm 'threefry' draws no numbers here, nor in TensorFlow on CPUs and GPUs. Use 'philox', or "
            "jax.random, whose keys are ThreeFry's."
        )


def stateless_stream(seed: Any, alg: Any = None) -> Words:
    """Returns the stream of a stateless function. seed: two integers, shape (2,).

    Raises InvalidArgumentError for a seed that is not, UnimplementedError for ThreeFry.
    """
    refuse_threefry(algorithm_number(alg))
    numbers = tensor(seed)
    if numbers.shape != (2,) or not jnp.issubdtype(numbers.dtype, np.integer):
        raise InvalidArgumentError(
            f"A stateless seed is two integers, got {numbers.dtype} of shape {tuple(numbers.shape)}. "
            "For a single number n use seed=[n, 0]."
        )
    return stream_of(numbers[0], numbers[1])
