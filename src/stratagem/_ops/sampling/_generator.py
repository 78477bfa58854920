"""`tf.random.Generator`: random numbers whose state is a variable, so that steps advance it and checkpoints save it."""

import math
import secrets
from collections.abc import Iterable
from typing import Any, Self, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops._convert import Tensor, static_int, static_shape, tensor
from stratagem._ops._dtypes import as_dtype, float32, int32, int64, uint64
from stratagem._ops.sampling._algorithms import Algorithm, algorithm_number, refuse_threefry
from stratagem._ops.sampling._generator_state import (
    BLOCKS_OF_A_NUMBER,
    advance,
    create_rng_state,
    state_size,
    stream_of_state,
)
from stratagem._ops.sampling._keyed_sampling import key_of
from stratagem._ops.sampling._philox import Words, words
from stratagem._ops.sampling._stream_draws import draw_full_range, draw_normal, draw_truncated_normal, draw_uniform
from stratagem._private import seed_state


@exported("random.Generator", "random.experimental.Generator")
@final
class Generator:
    """`tf.random.Generator`: random numbers from a state that advances by itself, even inside a step.

    Its state and numbers are TensorFlow's: three int64, two of a counter and the key of Philox. In replicas each draws
    numbers of its own, those of TensorFlow for a generator that was made in the strategy's scope.
    Drawing raises UnimplementedError if the algorithm is ThreeFry.
    """

    def __init__(self, copy_from: "Generator | None" = None, state: Any = None, alg: Any = None) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise ValueError("A generator is a copy of another one, or has a state and an algorithm, but not both.")
            self._alg = copy_from.algorithm
            first = tensor(copy_from.state)
        else:
            if state is None or alg is None:
                raise ValueError("Give `copy_from`, or both of `state` and `alg`; or call Generator.from_seed(seed).")
            self._alg = algorithm_number(alg)
            first = _checked(tensor(state), self._alg)
        self._state_var = seed_state(first)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Self:
        """Returns a generator with this state, (3,). Raises ValueError for another shape or an unknown algorithm."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Self:
        """Returns a generator with this seed, for which see `create_rng_state`. alg: None is Philox."""
        number = _number(alg)
        return cls(state=create_rng_state(seed, number), alg=number)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Self:
        """Returns a generator with a random state."""
        return cls.from_seed(secrets.randbits(192), alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Self:
        """Returns a generator with this key, an integer, and counter, (2,). Raises ValueError for other shapes."""
        number = algorithm_number(alg)
        return cls(state=_joined(key, counter, number), alg=number)

    @property
    def state(self) -> Any:
        """The variable that holds the state: (3,) int64, two numbers of a counter and the key; for ThreeFry (2,)."""
        return self._state_var

    @property
    def key(self) -> Tensor:
        """The key: the last number of the state, int64."""
        return tensor(self.state)[-1]

    @property
    def algorithm(self) -> int:
        """The number of the algorithm."""
        return self._alg

    def reset(self, state: Any) -> None:
        """Continues from this state, even inside a step. Raises ValueError unless it has the shape of `state`."""
        self._state_var.assign(_checked(tensor(state), self._alg))

    def reset_from_seed(self, seed: Any) -> None:
        """Restarts with this seed, even inside a step."""
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Continues from this key and counter, (2,), even inside a step. Raises ValueError for other shapes."""
        self._state_var.assign(_joined(key, counter, self._alg))

    def skip(self, delta: Any) -> Tensor:
        """Advances the counter by 256 * delta, as a draw of `delta` numbers does. Returns the state before."""
        refuse_threefry(self._alg)
        return advance(self._state_var, tensor(delta, int64) * BLOCKS_OF_A_NUMBER)

    def make_seeds(self, count: int = 1) -> Tensor:
        """Returns seeds for stateless functions, one per column: (2, count) int64."""
        keys = self._keys(count)
        return jnp.stack([keys, jnp.zeros_like(keys)])

    def split(self, count: int = 1) -> list["Generator"]:
        """Returns this many new generators, each with a key of its own. The numbers of the keys have to be known now."""
        keys: Iterable[Any] = np.asarray(self._keys(count))
        return [Generator(state=np.array([0] * (state_size(self._alg) - 1) + [key]), alg=self._alg) for key in keys]

    def normal(
        self,
        shape: ShapeLike,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Returns normally distributed numbers. Raises ValueError for a dtype that is not floating point."""
        return draw_normal(self._next(shape), shape, mean, stddev, dtype)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Returns normal numbers within two standard deviations of the mean. Raises ValueError as `normal` does."""
        return draw_truncated_normal(self._next(shape), shape, mean, stddev, dtype)

    def uniform(
        self,
        shape: ShapeLike,
        minval: Any = 0,
        maxval: Any = None,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Returns uniform numbers of [minval, maxval); integers over their whole range if both are None.

        Raises ValueError for integers with one bound, InvalidArgumentError for an empty range.
        """
        return draw_uniform(self._next(shape), shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = uint64, name: str | None = None) -> Tensor:
        """Returns integers of 32 or 64 bits over all values of their type. Raises ValueError for other types."""
        return draw_full_range(self._next(shape), shape, dtype)

    def binomial(
        self, shape: ShapeLike, counts: Any, probs: Any, dtype: DTypeLike = int32, name: str | None = None
    ) -> Tensor:
        """Returns the number of successes in `counts` trials with probability `probs`: tensors that broadcast to `shape`.

        The numbers are not TensorFlow's, but the state after them is.
        """
        trials, chance = tensor(counts).astype(np.float32), tensor(probs).astype(np.float32)
        sizes = static_shape(shape)
        batches = math.prod(jnp.broadcast_shapes(trials.shape, chance.shape))
        each = math.prod(sizes) // max(batches, 1)
        stream = self._stream_before(batches * 2 * 100 * (each + 3) // 4 * BLOCKS_OF_A_NUMBER)
        key = key_of(words(stream, 2))
        return jax.random.binomial(key, trials, chance, sizes).astype(as_dtype(dtype).dtype)

    def _keys(self, count: Any) -> Tensor:
        size = static_int(count, "a tensor is the number of seeds")
        return draw_full_range(self._next((size,)), (size,), int64)

    def _next(self, shape: ShapeLike) -> Words:
        return self._stream_before(math.prod(static_shape(shape)) * BLOCKS_OF_A_NUMBER)

    def _stream_before(self, blocks: int) -> Words:
        """Returns the stream of the present state, and advances that by this many blocks."""
        refuse_threefry(self._alg)
        stream = stream_of_state(self._state_var)
        advance(self._state_var, blocks)
        return stream


def _number(alg: Any) -> int:
    return Algorithm.PHILOX.value if alg is None else algorithm_number(alg)


def _checked(state: Tensor, number: int) -> Tensor:
    size = state_size(number)
    if state.shape != (size,):
        raise ValueError(
            f"The state of this generator has the shape ({size},), a counter and a key, but got {tuple(state.shape)}. "
            "Take it from `generator.state`, or start from a seed: reset_from_seed(seed)."
        )
    return state.astype(np.int64)


def _joined(key: Any, counter: Any, number: int) -> Tensor:
    """Returns the state of a key and a counter. Raises ValueError for other shapes."""
    size, count, word = state_size(number) - 1, tensor(counter), tensor(key)
    if count.shape != (size,) or word.shape != ():
        raise ValueError(
            f"A generator has a counter of shape ({size},) and a scalar as its key, but got {tuple(count.shape)} and "
            f"{tuple(word.shape)}."
        )
    return jnp.concatenate([count.astype(np.int64), word.astype(np.int64).reshape(1)])


_global: list[Generator] = []  # created at first use: the devices may not have been chosen earlier


@exported("random.get_global_generator", "random.experimental.get_global_generator")
def get_global_generator() -> Generator:
    """Returns the generator of the process; its state is random until `set_global_generator` is called."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


@exported("random.set_global_generator", "random.experimental.set_global_generator")
def set_global_generator(generator: Generator) -> None:
    """Makes `get_global_generator` return this generator from now on."""
    _global[:] = [generator]
