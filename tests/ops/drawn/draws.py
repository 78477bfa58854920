"""Inputs of functions, drawn by a name and a number alone: the same in TensorFlow's recording and in the tests."""

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

FLOATS = ("float32", "float64")
INTEGERS = ("int32", "int64")
# What arithmetic treats in a way of its own.
SPECIAL = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, 1e-30, 1e30)
MAX_SIZE = 4  # of a dimension: the recorded answers are text


class Draw:
    """Draws the arguments of one call."""

    def __init__(self, name: str, number: int) -> None:
        self.number = number
        self._random = np.random.default_rng([zlib.crc32(name.encode()), number])

    def choice(self, options: Sequence[Any]) -> Any:
        """One of the options."""
        return options[int(self._random.integers(len(options)))]

    def flag(self) -> bool:
        """True or False."""
        return bool(self._random.integers(2))

    def integer(self, low: int, high: int) -> int:
        """A number from `low` to `high`, both included."""
        return int(self._random.integers(low, high + 1))

    def real(self, low: float, high: float) -> float:
        """A number between these, exact in float32."""
        return float(np.float32(self._random.uniform(low, high)))

    def shape(
        self, min_rank: int = 0, max_rank: int = 3, min_size: int = 0, max_size: int = MAX_SIZE
    ) -> tuple[int, ...]:
        """A shape. One in eight has a dimension without entries, if `min_size` is 0."""
        sizes = [self.integer(max(1, min_size), max_size) for _ in range(self.integer(min_rank, max_rank))]
        if sizes and min_size == 0 and self.integer(0, 7) == 0:
            sizes[self.integer(0, len(sizes) - 1)] = 0
        return tuple(sizes)

    def broadcastable(self, count: int = 2, **shape: Any) -> list[tuple[int, ...]]:
        """Shapes that broadcast to one: some have dimensions of size 1, or fewer dimensions."""
        whole = self.shape(**shape)
        found = []
        for _ in range(count):
            own = tuple(1 if size != 0 and self.integer(0, 3) == 0 else size for size in whole)
            found.append(own[self.integer(0, len(own)) :] if self.flag() else own)
        found[self.integer(0, count - 1)] = whole
        return found

    def axis(self, rank: int) -> int:
        """A dimension of a tensor with this rank, counted from either end."""
        return self.integer(-rank, rank - 1)

    def array(
        self, shape: Sequence[int], dtype: str, low: float = -3.0, high: float = 3.0, *, special: bool = True
    ) -> np.ndarray:
        """Numbers between `low` and `high`. special: every third array of floats has infinities, NaN and the like in places."""
        shape = tuple(shape)
        if dtype == "bool":
            return self._random.integers(0, 2, shape).astype(bool)
        if np.dtype(dtype).kind in "iu":
            return self._random.integers(int(low), int(high) + 1, shape).astype(dtype)
        values = self._random.uniform(low, high, shape)
        if np.dtype(dtype).kind == "c":
            return (values + 1j * self._random.uniform(low, high, shape)).astype(dtype)
        if special and self._random.integers(3) == 0:
            places = self._random.random(shape) < 0.3
            values = np.where(places, self._random.choice(SPECIAL, shape), values)
        return np.asarray(values).astype(np.float32).astype(dtype)  # exact in both


@dataclass(frozen=True)
class Built:
    """An argument that is an object of the library itself: `tf.<name>(*args, **kwargs)`."""

    name: str
    args: Sequence[Any]
    kwargs: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Function:
    """A function whose answers are recorded.

    call(draw) draws the arguments and returns `(args, kwargs)`; arrays among the arguments, also in lists and in what is
    `Built`, become tensors.
    name: with its namespace, below `tf`. called(tf, *args, **kwargs): what is called in place of what has this name.
    count: how many calls. within: the relative tolerance by dtype, and the absolute one
    by the largest number of the answer. compared(tf, result, *tensors): what is compared in place of the result, if parts of
    it are not determined (the signs of eigenvectors). gradients: also compare the gradients of the sum of all that is
    compared by all arguments of floating point.
    differ: numbers of calls that differ from TensorFlow, with the reason. quick: the numbers of calls that `make test` runs;
    None is one, of the functions of a table in turns in Python and compiled. The others are thorough.
    """

    name: str
    call: Callable[[Draw], tuple[Sequence[Any], Mapping[str, Any]]]
    count: int = 12
    within: Mapping[str, float] = field(default_factory=lambda: {"float32": 2e-6, "float64": 1e-12})
    compared: Callable[..., Any] | None = None
    gradients: bool = False
    differ: Mapping[int, str] = field(default_factory=dict)
    quick: Sequence[int] | None = None
    called: Callable[..., Any] | None = None


def elementwise(
    name: str, low: float = -3.0, high: float = 3.0, dtypes: Sequence[str] = FLOATS, **options: Any
) -> Function:
    """A function of one tensor."""

    def call(draw: Draw) -> Any:
        return [draw.array(draw.shape(), draw.choice(dtypes), low, high)], {}

    return Function(name, call, **options)


def binary(
    name: str, first: tuple[float, float] = (-3.0, 3.0), second: tuple[float, float] = (-3.0, 3.0),
    dtypes: Sequence[str] = FLOATS, **options: Any,
) -> Function:  # fmt: skip
    """A function of two tensors of one dtype that broadcast."""

    def call(draw: Draw) -> Any:
        a, b = draw.broadcastable()
        dtype = draw.choice(dtypes)
        return [draw.array(a, dtype, *first), draw.array(b, dtype, *second)], {}

    return Function(name, call, **options)
