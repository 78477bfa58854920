"""Windows of a pool or a convolution, and their elements."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import jax
import jax.numpy as jnp


@final
@dataclass(frozen=True)
class Windows:
    """For every dimension of an operand: the windows' size, distance, padding around the operand, distance of elements."""

    size: tuple[int, ...]
    strides: tuple[int, ...]
    padding: tuple[tuple[int, int], ...]
    dilation: tuple[int, ...]

    def places(self) -> list[tuple[int, ...]]:
        """Returns the places in a window, in row-major order."""
        return list(itertools.product(*map(range, self.size)))

    def counts(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Returns how many windows an operand of that shape has in each dimension."""
        axes = (shape, self.size, self.strides, self.padding, self.dilation)
        return tuple(
            max(0, (n + low + high - (w - 1) * d - 1) // s + 1) for n, w, s, (low, high), d in zip(*axes, strict=True)
        )

    def elements(self, x: jax.Array, around: float = 0.0) -> list[jax.Array]:
        """Returns, for every place in a window, the elements at that place in all windows; windows beyond the end are none.

        around: the padding's value.
        """
        x = jax.lax.pad(x, jnp.array(around, x.dtype), [(low, high, 0) for low, high in self.padding])
        reach = [(w - 1) * d for w, d in zip(self.size, self.dilation, strict=True)]
        ends = [(n - r - 1) // s * s + 1 for n, r, s in zip(x.shape, reach, self.strides, strict=True)]
        found = []
        for place in self.places():
            starts = [at * d for at, d in zip(place, self.dilation, strict=True)]
            found.append(jax.lax.slice(x, starts, [a + e for a, e in zip(starts, ends, strict=True)], self.strides))
        return found

    def sum_of(self, elements: Sequence[jax.Array], shape: tuple[int, ...]) -> jax.Array:
        """Returns the transpose of `elements` with zeros around: an operand of that shape, to which each has been added."""
        zero = jnp.zeros((), elements[0].dtype)
        total = jnp.zeros(shape, zero.dtype)
        for place, added in zip(self.places(), elements, strict=True):
            around = []
            axes = (shape, added.shape, self.strides, self.padding, self.dilation, place)
            for n, m, s, (low, _), d, at in zip(*axes, strict=True):
                before = at * d - low  # negative where elements are of the padding
                around.append((before, n - before - ((m - 1) * s + 1), s - 1))
            total += jax.lax.pad(added, zero, around)
        return total

    def are_disjoint(self) -> bool:
        """Returns whether each element is in one window at most, next to the others of it, and none between two windows."""
        return self.size == self.strides and all(d == 1 for d in self.dilation)

    def repeated(self, y: jax.Array, shape: tuple[int, ...]) -> jax.Array:
        """Returns an operand of that shape, each of whose elements is that of its window; 0 where there is none.

        y: an element for each window. These are disjoint.
        """
        pairs = [(n, w) for n, w in zip(y.shape, self.size, strict=True)]
        apart = jnp.broadcast_to(y.reshape([n for n, _ in pairs for n in (n, 1)]), [n for pair in pairs for n in pair])
        whole = apart.reshape([n * w for n, w in pairs])
        # Padding is cut off. Elements past the last window are in none.
        around = [
            (-low, n + low - n_whole, 0) for n, n_whole, (low, _) in zip(shape, whole.shape, self.padding, strict=True)
        ]
        return jax.lax.pad(whole, jnp.zeros((), y.dtype), around)
