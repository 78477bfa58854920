"""`tf.random.Generator`: random numbers whose state is a variable, so that steps advance it and checkpoints save it."""

from collections.abc import Iterable
from typing import Any, final

import jax
import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.types import DTypeLike, ShapeLike, TensorLike, Unused
from stratagem._ops._convert import Tensor, static_int, static_shape, tensor
from stratagem._ops._dtypes import as_dtype, float32, int32, uint64
from stratagem._ops.sampling._keyed_sampling import draw_normal, draw_truncated_normal, draw_uniform, key_of

THREEFRY = 2  # TensorFlow's number for the algorithm


@final
class Generator:
    """`tf.random.Generator`: random numbers from a state that advances by itself, even inside a step.

    Its state is two uint32 numbers, the key and the number of draws so far; TensorFlow's Philox has three. The numbers
    are not TensorFlow's, but as there the same seed gives the same numbers, and every replica draws different ones.
    """

    def __init__(self, generator: TensorLike) -> None:
        self._generator = generator

    @classmethod
    def from_seed(cls, seed: int, alg: Unused = None) -> "Generator":
        """A generator with this seed."""
        return cls(keras.random.SeedGenerator(int(seed) % 2**32))

    @classmethod
    def from_non_deterministic_state(cls, alg: Unused = None) -> "Generator":
        """A generator with a random state."""
        return cls(keras.random.SeedGenerator())

    @classmethod
    def from_state(cls, state: TensorLike, alg: Unused = None) -> "Generator":
        """A generator that continues from the state of another one. Raises ValueError unless the state is two numbers."""
        made = cls.from_seed(0)
        made.reset(state)
        return made

    @classmethod
    def from_key_counter(cls, key: TensorLike, counter: TensorLike, alg: Unused = None) -> "Generator":
        """A generator with this key that has made `counter` draws (a number, or several of which the first counts)."""
        made = cls.from_seed(0)
        made.reset_from_key_counter(key, counter)
        return made

    @property
    def state(self) -> TensorLike:
        """The variable that holds the state: (2,) uint32."""
        return self._generator.state

    @property
    def key(self) -> Tensor:
        """The first number of the state."""
        return tensor(self.state)[0]

    @property
    def algorithm(self) -> int:
        """TensorFlow's number for Threefry."""
        return THREEFRY

    def reset(self, state: TensorLike) -> None:
        """Continues from this state, even inside a step. Raises ValueError unless it is two numbers, as `state` is."""
        given = tensor(state)
        if given.shape != (2,):
            raise ValueError(
                f"The state of a tf.random.Generator is two numbers here, a key and a count, but got {given.shape}. "
                "Take it from `generator.state`, or start from a seed: reset_from_seed(seed)."
            )
        self.state.assign(given.astype(np.uint32))

    def reset_from_seed(self, seed: TensorLike) -> None:
        """Restarts with this seed, even inside a step."""
        first = tensor(int(seed) % 2**32, np.uint32) if isinstance(seed, int) else tensor(seed).astype(np.uint32)
        self.state.assign(jnp.stack([first, jnp.zeros((), np.uint32)]))

    def reset_from_key_counter(self, key: TensorLike, counter: TensorLike) -> None:
        """Continues from this key and count (a number, or several of which the first counts)."""
        count = jnp.ravel(tensor(counter))[0]
        self.state.assign(jnp.stack([tensor(key).astype(np.uint32), count.astype(np.uint32)]))

    def skip(self, delta: TensorLike) -> None:
        """Advances the state as if there had been this many more draws."""
        self.state.assign(tensor(self.state) + jnp.stack([0, tensor(delta)]).astype(np.uint32))

    def make_seeds(self, count: int = 1) -> Tensor:
        """Seeds for stateless functions, one per column: (2, count) int64."""
        return self._keys(count).T

    def split(self, count: int = 1) -> list["Generator"]:
        """This many new generators, each with a key of its own."""
        rows: Iterable[Any] = np.asarray(self._keys(count))
        return [Generator.from_state(row) for row in rows]

    def normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Normally distributed numbers."""
        return draw_normal(self._next(), shape, mean, stddev, dtype)

    def truncated_normal(
        self,
        shape: ShapeLike,
        mean: TensorLike = 0.0,
        stddev: TensorLike = 1.0,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Normally distributed numbers within two standard deviations of the mean."""
        return draw_truncated_normal(self._next(), shape, mean, stddev, dtype)

    def uniform(
        self,
        shape: ShapeLike,
        minval: TensorLike = 0,
        maxval: TensorLike = None,
        dtype: DTypeLike = float32,
        name: str | None = None,
    ) -> Tensor:
        """Uniform numbers in [minval, maxval). Raises ValueError for integers without `maxval`."""
        return draw_uniform(self._next(), shape, minval, maxval, dtype)

    def uniform_full_int(self, shape: ShapeLike, dtype: DTypeLike = uint64, name: str | None = None) -> Tensor:
        """Uniform over all values of an integer type of 32 or 64 bits. Raises ValueError for other types."""
        kind = as_dtype(dtype)
        if not kind.is_integer or kind.dtype.itemsize < 4:
            raise ValueError(f"uniform_full_int draws int32, int64, uint32 or uint64, not {kind!r}.")
        words = jax.random.bits(self._next(), (*static_shape(shape), kind.dtype.itemsize // 4), np.uint32)
        return jax.lax.bitcast_convert_type(words if words.shape[-1] == 2 else words[..., 0], kind.dtype)

    def binomial(
        self, shape: ShapeLike, counts: TensorLike, probs: TensorLike, dtype: DTypeLike = int32, name: str | None = None
    ) -> Tensor:
        """The number of successes in `counts` trials with probability `probs`: tensors that broadcast to `shape`."""
        trials, chance = tensor(counts).astype(np.float32), tensor(probs).astype(np.float32)
        return jax.random.binomial(self._next(), trials, chance, static_shape(shape)).astype(as_dtype(dtype).dtype)

    def _keys(self, count: Any) -> Tensor:
        keys = jax.random.split(self._next(), static_int(count, "a tensor is the number of seeds"))
        return jnp.asarray(jax.random.key_data(keys), dtype=np.int64)

    def _next(self) -> jax.Array:
        return key_of(self._generator.next())


_global: list[Generator] = []  # created at first use: the devices may not have been chosen earlier


def get_global_generator() -> Generator:
    """The generator of the process; its state is random until `set_global_generator` is called."""
    if not _global:
        _global.append(Generator.from_non_deterministic_state())
    return _global[0]


def set_global_generator(generator: Generator) -> None:
    """Makes `get_global_generator` return this generator from now on."""
    _global[:] = [generator]
