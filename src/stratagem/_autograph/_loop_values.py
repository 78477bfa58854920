"""The values of the names that a branch or loop sets: which of them are tensors, and which stay what Python has."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from malt.operators.variables import Undefined, UndefinedReturnValue

from stratagem._core.step import TracedPerReplica
from stratagem._core.values import is_per_replica
from stratagem._ops import tensor
from stratagem._ops.flow import Unallocated

GetState = Callable[[], tuple[Any, ...]]
SetState = Callable[[Sequence[Any]], None]
Kind = jax.ShapeDtypeStruct


class MismatchError(Exception):
    """Values that a compiled branch or loop cannot have: the text says of which name, and why."""


def is_undefined(value: Any) -> bool:
    """Returns whether a name has no value."""
    return isinstance(value, Undefined | UndefinedReturnValue)


@final
@dataclass(frozen=True)
class NamedValues:
    """The values of names, taken apart into leaves. kinds: of each leaf the type that it has as a tensor, or None."""

    names: tuple[str, ...]
    structures: tuple[Any, ...]
    leaves: tuple[tuple[Any, ...], ...]
    kinds: tuple[tuple[Kind | None, ...], ...]

    @classmethod
    def of(cls, names: Sequence[str], values: Sequence[Any]) -> "NamedValues":
        flat = [jax.tree.flatten(value, is_leaf=_is_leaf) for value in values]
        leaves = tuple(tuple(found) for found, _ in flat)
        kinds = tuple(tuple(map(_kind, found)) for found in leaves)
        return cls(tuple(names), tuple(structure for _, structure in flat), leaves, kinds)

    @property
    def arrays(self) -> list[jax.Array]:
        """The tensors among the leaves, and the numbers as tensors."""
        return [
            _array(leaf)
            for leaves, kinds in zip(self.leaves, self.kinds, strict=True)
            for leaf, kind in zip(leaves, kinds, strict=True)
            if kind is not None
        ]


@final
@dataclass(frozen=True)
class Layout:
    """The way in which the values of names are passed to and from a compiled branch or loop body.

    values: those of one moment. kinds: for each leaf the type of the tensor that stands for it, None for one that Python keeps.
    """

    values: NamedValues
    kinds: tuple[tuple[Kind | None, ...], ...]

    def selected(self, found: NamedValues, arrays: Sequence[jax.Array]) -> list[jax.Array]:
        """Returns the tensors of this layout, given `found.arrays`. Those of a name without a value are zeros."""
        left, chosen = iter(arrays), []
        for leaves, own, kinds in zip(found.leaves, found.kinds, self.kinds, strict=True):
            if len(leaves) == 1 and is_undefined(leaves[0]):
                chosen += [jnp.zeros(kind.shape, kind.dtype) for kind in kinds if kind is not None]
                continue
            given = [None if kind is None else next(left) for kind in own]
            chosen += [_cast(g, kind) for g, kind in zip(given, kinds, strict=True) if kind is not None]
        return chosen

    def arrays(self, values: Sequence[Any]) -> list[jax.Array]:
        """Returns the tensors of this layout among these values, before a loop."""
        found = NamedValues.of(self.values.names, values)
        return self.selected(found, found.arrays)

    def python(self, arrays: Sequence[jax.Array]) -> tuple[Any, ...]:
        """Returns the values that Python code sees, with these tensors."""
        left = iter(arrays)
        leaves = [
            [leaf if kind is None else _like(leaf, next(left)) for leaf, kind in zip(mine, kinds, strict=True)]
            for mine, kinds in zip(self.values.leaves, self.kinds, strict=True)
        ]
        pairs = zip(self.values.structures, leaves, strict=True)
        return tuple(jax.tree.unflatten(structure, mine) for structure, mine in pairs)


def merged(names: Sequence[str], first: NamedValues, second: NamedValues) -> Layout:
    """Returns the layout of values that two branches agree on. Raises MismatchError with a name otherwise."""
    columns: list[Any] = []
    for i, name in enumerate(names):
        one, two = _column(first, i), _column(second, i)
        if _without_result(one) != _without_result(two):
            known = two if _without_result(one) else one
            columns.append((*known, known[2]))
            continue
        if _lacks_value(one) != _lacks_value(two):
            raise MismatchError(f"'{name}' gets a value on one path only. Set it on both, or before")
        if one[0] != two[0]:
            raise MismatchError(
                f"'{name}' is {_shown_structure(one)} on one path and {_shown_structure(two)} on the other"
            )
        kinds = tuple(_merged_kind(name, a, b) for a, b in zip(_leaves(one), _leaves(two), strict=True))
        columns.append((*one, kinds))
    return _layout(names, columns)


def carried(names: Sequence[str], before: NamedValues, after: NamedValues) -> Layout:
    """Returns the layout of values that a loop carries from one round to the next. Raises MismatchError otherwise.

    A Python number before the loop gets the dtype that it has after a round.
    """
    columns: list[Any] = []
    for i, name in enumerate(names):
        one, two = _column(before, i), _column(after, i)
        if _lacks_value(one):
            columns.append((*two, two[2]))
            continue
        if one[0] != two[0]:
            raise MismatchError(
                f"'{name}' is {_shown_structure(one)} before the loop and {_shown_structure(two)} after a round"
            )
        kinds = tuple(_carried_kind(name, a, b) for a, b in zip(_leaves(one), _leaves(two), strict=True))
        columns.append((*one, kinds))
    return _layout(names, columns)


def _layout(names: Sequence[str], columns: Sequence[tuple[Any, ...]]) -> Layout:
    structures, leaves, own, kinds = (tuple(column[i] for column in columns) for i in range(4))
    return Layout(NamedValues(tuple(names), structures, leaves, own), kinds)


def all_tensors(values: NamedValues) -> Layout:
    """Returns the layout in which every number is a tensor, for the first round of a loop."""
    return Layout(values, values.kinds)


def _column(values: NamedValues, i: int) -> tuple[Any, tuple[Any, ...], tuple[Kind | None, ...]]:
    return values.structures[i], values.leaves[i], values.kinds[i]


def _leaves(column: Any) -> list[tuple[Any, Kind | None]]:
    return list(zip(column[1], column[2], strict=True))


def _lacks_value(column: Any) -> bool:
    return len(column[1]) == 1 and is_undefined(column[1][0])


def _without_result(column: Any) -> bool:
    """Returns whether the name is that of the function's result, and no `return` was reached."""
    return len(column[1]) == 1 and isinstance(column[1][0], UndefinedReturnValue)


def _shown_structure(column: Any) -> str:
    return _shown(column[1][0], column[2][0]) if len(column[1]) == 1 else str(column[0])


def _is_leaf(value: Any) -> bool:
    return value is None or is_per_replica(value) or is_undefined(value)


def _kind(leaf: Any) -> Kind | None:
    if not isinstance(leaf, jax.Array | np.ndarray | np.generic | bool | int | float | complex | TracedPerReplica):
        return None
    array = _array(leaf)
    return None if array.dtype == object else Kind(tuple(array.shape), array.dtype)


def _array(leaf: Any) -> jax.Array:
    return tensor(leaf.local if isinstance(leaf, TracedPerReplica) else leaf)


def _is_python(leaf: Any) -> bool:
    return isinstance(leaf, bool | int | float | complex)


def _same(a: Any, b: Any) -> bool:
    """Returns whether Python can keep a value: both are one object, which no branch has made, or equal constants."""
    if a is b:
        return True
    return (_is_python(a) or isinstance(a, str | bytes)) and type(a) is type(b) and bool(a == b)


def _merged_kind(name: str, one: tuple[Any, Kind | None], two: tuple[Any, Kind | None]) -> Kind | None:
    (a, found), (b, other) = one, two
    if _same(a, b):
        return None
    if a is Unallocated.BUFFER or b is Unallocated.BUFFER:
        return found or other
    if found is None or other is None:
        raise MismatchError(f"'{name}' is {_shown(a, found)} on one path and {_shown(b, other)} on the other")
    dtype = _common(a, b, found, other)
    if dtype is None or found.shape != other.shape:
        raise MismatchError(
            f"'{name}' is {_shown(a, found)} on one path and {_shown(b, other)} on the other: a compiled program has one "
            "shape and dtype"
        )
    return Kind(found.shape, dtype)


def _carried_kind(name: str, one: tuple[Any, Kind | None], two: tuple[Any, Kind | None]) -> Kind | None:
    (before, found), (after, other) = one, two
    if before is Unallocated.BUFFER or after is Unallocated.BUFFER:
        return found or other
    if found is None or other is None:
        if _same(before, after):
            return None
        raise MismatchError(
            f"'{name}' is {_shown(before, found)} before the loop and {_shown(after, other)} after a round"
        )
    dtype = _common(before, after, found, other) if _is_python(before) else found.dtype
    if found.shape != other.shape or dtype != other.dtype:
        raise MismatchError(
            f"'{name}' has shape {found.shape} and dtype {found.dtype} before the loop, and shape {other.shape} and dtype "
            f"{other.dtype} after a round: in a compiled loop they stay the same"
        )
    return Kind(found.shape, dtype)


def _common(a: Any, b: Any, found: Kind, other: Kind) -> Any:
    """Returns the dtype of both: a Python number takes the other's if that can hold its kind. None if there is none."""
    if found.dtype == other.dtype:
        return found.dtype
    for number, dtype in ((a, other.dtype), (b, found.dtype)):
        if _is_python(number) and not isinstance(number, bool) and jnp.result_type(number, dtype) == dtype:
            return dtype
    return None


def _cast(array: jax.Array | None, kind: Kind) -> jax.Array:
    # A leaf that becomes a tensor is one, or a number; or it is the buffer of a TensorArray that was not written.
    return jnp.zeros(kind.shape, kind.dtype) if array is None else array.astype(kind.dtype)


def _like(leaf: Any, array: jax.Array) -> Any:
    return TracedPerReplica(array, leaf.replicas) if isinstance(leaf, TracedPerReplica) else array


def _shown(value: Any, kind: Kind | None) -> str:
    if kind is None or _is_python(value):
        return repr(value)
    return f"a tensor of shape {kind.shape} and dtype {kind.dtype}"
