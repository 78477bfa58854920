"""The unknown sizes of what is exported: those of arguments, and of what functions of the host make of strings.

Which sizes of a host function's result depend on what, only the function knows. It is called for a few examples of
different sizes and contents: a size that is the same for all is known, one that follows an unknown size of an argument is
that, and any other is unknown by itself.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import jax
import numpy as np
from jax import export

from stratagem._base.errors import UnimplementedError
from stratagem._core.step.keys._host_values import HostValue
from stratagem._core.values import TensorSpec

# The names of sizes that only strings tell.
_UNKNOWN: Final = "host"

# How often a function is traced with examples.
RUNS: Final = 3

# The sizes that stand for the unknown ones, by run.
_SIZES: Final = ((2, 3, 5), (7, 11, 13), (17, 19, 23), (29, 31, 37))

# Long enough for whoever takes a part of it.
_WORD: Final = b"1" * 64

# How many words the first string of an argument has, by run: at first, and for every further argument. They follow no size.
_WORDS: Final = ((5, 3), (4, 7), (9, 2))


@final
@dataclass(frozen=True)
class ArgumentSizes:
    """The sizes of the tensors of a call: numbers, and names of unknown ones, alike where they are taken to be equal."""

    shapes: tuple[tuple[int | str, ...], ...]

    @classmethod
    def of(cls, specs: Sequence[TensorSpec], equal: Sequence[int]) -> "ArgumentSizes":
        """Returns the sizes of specs. equal: axes that have one unknown size for all tensors."""
        shapes, count = [], 0
        for spec in specs:
            names: list[int | str] = []
            for axis, size in enumerate(spec.shape):
                if size is None and axis not in equal:
                    names.append(f"size{count}")
                    count += 1
                else:
                    names.append(f"axis{axis}" if size is None else size)
            shapes.append(tuple(names))
        return cls(tuple(shapes))

    @property
    def by_run(self) -> dict[str, tuple[int, ...]]:
        """The sizes that stand for the unknown ones in each run, by name."""
        names = [*dict.fromkeys(size for shape in self.shapes for size in shape if isinstance(size, str))]
        if len(names) > len(_SIZES):
            raise UnimplementedError(
                f"a function of strings with {len(names)} independent unknown sizes. Give its signature those that are known."
            )
        return dict(zip(names, _SIZES, strict=False))

    def example(self, structure: Any, run: int, strings: Callable[[np.ndarray], Any]) -> Any:
        """Returns arguments of the sizes of a run. structure: with specs in place of tensors. strings: makes a tensor."""
        known, shapes, numbers = self.by_run, iter(self.shapes), iter(range(len(self.shapes)))

        def example(leaf: Any) -> Any:
            if not isinstance(leaf, TensorSpec):
                return leaf
            shape = [known[size][run] if isinstance(size, str) else size for size in next(shapes)]
            number = next(numbers)
            if leaf.dtype == object:
                return strings(example_strings(shape, number, run))
            return example_zeros(shape, leaf.dtype)

        return jax.tree.map(example, structure)

    def symbols(
        self, host: Mapping[HostValue, Sequence[int | str]], told: Sequence[str] = ()
    ) -> tuple[list[Sequence[Any]], dict[HostValue, Sequence[Any]]]:
        """Returns the shapes of arguments and of values of the host, with symbols of one scope in place of names.

        told: what JAX does not find out about them by itself, see `undecided`.
        """
        scope = export.SymbolicScope(told)

        def shape(sizes: Sequence[int | str]) -> Sequence[Any]:
            return export.symbolic_shape(",".join(map(str, sizes)), scope=scope)

        return [shape(sizes) for sizes in self.shapes], {value: shape(sizes) for value, sizes in host.items()}


def undecided(error: Exception) -> str | None:
    """Returns what JAX could not find out of sizes that only strings tell: that one of them is not negative. None for all else.

    Where it is told so, it compares the sizes of each call.
    """
    found = re.search(r"comparison '([^']*)' >= '0' is inconclusive", str(error))
    return f"{found[1]} >= 0" if found and _UNKNOWN in found[1] else None


def axis_sizes(axis: int) -> tuple[int, ...]:
    """Returns the sizes that stand for an unknown one of this axis, by run; there are four such axes."""
    return _SIZES[axis]


def example_zeros(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Returns a tensor of numbers that stands for an argument's."""
    # One number, shown as often as the shape asks for: it takes no memory.
    return np.broadcast_to(np.zeros((), dtype), shape)


def example_strings(shape: Sequence[int], number: int, run: int) -> np.ndarray:
    """Returns strings that stand for those of the argument with this number: words, as many in no other argument."""
    counts = iter(example_counts(int(np.prod(shape)), number, run))
    found = np.empty(shape, object)
    for place in np.ndindex(*shape):
        found[place] = b" ".join([_WORD] * next(counts))
    return found


def example_counts(rows: int, number: int, run: int) -> Iterator[int]:
    """Yields for each row of the argument with this number how many entries it has in a run."""
    first, further = _WORDS[run]
    longest = first + number * further
    return (max(longest - row, 1) for row in range(rows))


def host_sizes(
    runs: Sequence[Mapping[HostValue, tuple[int, ...]]], arguments: ArgumentSizes
) -> dict[HostValue, tuple[int | str, ...]]:
    """Returns the sizes of what functions of the host make, numbers or texts of sums of names, from their shapes by run.

    Raises UnimplementedError for a value whose number of dimensions is not always the same.
    """
    unknown: dict[tuple[int, ...], str] = {}
    found = {}
    for value in runs[0]:
        shapes = [run.get(value) for run in runs]
        if any(shape is None or len(shape) != len(shapes[0] or ()) for shape in shapes):
            raise UnimplementedError(
                "how many dimensions a result of a function of strings has depends on the strings."
            )
        sizes = zip(*(shape for shape in shapes if shape is not None), strict=True)
        found[value] = tuple(
            size if (size := size_of_runs(each, arguments.by_run)) is not None else named_size(each, unknown)
            for each in sizes
        )
    return found


def size_of_runs(sizes: tuple[int, ...], names: Mapping[str, tuple[int, ...]]) -> int | str | None:
    """Returns a size, a number or the text of a sum of a name, by its values in all runs; None if only strings tell it.

    names: of unknown sizes of arguments.
    """
    if len(set(sizes)) == 1:
        return sizes[0]
    for name, known in names.items():
        factor, rest = divmod(sizes[1] - sizes[0], known[1] - known[0])
        added = sizes[0] - factor * known[0]
        if factor > 0 and not rest and all(factor * k + added == size for k, size in zip(known, sizes, strict=True)):
            return f"{factor}*{name}{added:+d}" if added else f"{factor}*{name}" if factor > 1 else name
    return None


def named_size(sizes: tuple[int, ...], unknown: dict[tuple[int, ...], str], number: int | None = None) -> str:
    """Returns the text of a size that only strings tell. unknown: those so far, to which this may be added.

    number: that of the next name, if there are names in other places.
    """
    name = f"{_UNKNOWN}{len(unknown) if number is None else number}"
    return unknown.setdefault(sizes, f"{name}-1")  # symbols are positive, and there may be no entries
