"""ShardLayout: how the value of a variable lies in shards, of which every replica keeps one."""

import math
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np


@final
@dataclass(frozen=True)
class ShardLayout:
    """The flat value of a variable of this shape, cut into `count` shards of one length; zeros fill up the last ones."""

    shape: tuple[int, ...]
    count: int

    @property
    def size(self) -> int:
        """The number of elements of the value."""
        return math.prod(self.shape)

    @property
    def length(self) -> int:
        """The number of elements of a shard."""
        return -(-self.size // self.count)

    @property
    def filled(self) -> int:
        """The number of zeros behind the last element."""
        return self.length * self.count - self.size

    def cut(self, value: np.ndarray) -> np.ndarray:
        """Returns the shards of a value, (count, length)."""
        return np.pad(np.reshape(value, -1), (0, self.filled)).reshape(self.count, self.length)

    def cut_in_program(self, value: jax.Array) -> jax.Array:
        """Returns the shards of a value, (count, length), inside a trace."""
        flat = jnp.reshape(value, -1)
        return jnp.reshape(jnp.pad(flat, (0, self.filled)) if self.filled else flat, (self.count, self.length))

    def joined(self, shards: Any) -> Any:
        """Returns the value of which these are the shards, (count, length); NumPy's of NumPy's."""
        return shards.reshape(-1)[: self.size].reshape(self.shape)
