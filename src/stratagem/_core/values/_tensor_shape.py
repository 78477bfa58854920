"""TensorShape: the shape of a tensor, a tuple with TensorFlow's methods, in which sizes and the rank may be unknown."""

import dis
import math
import operator
import sys
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, SupportsIndex, final, overload

from stratagem._base.exports import exported
from stratagem._base.types import ShapeLike
from stratagem._private import intercept_shapes


@exported(v1=["Dimension"])
@final
class Dimension:
    """One size of a shape, None if it is unknown: an element of `TensorShape.dims`, as TensorFlow 1 has them."""

    def __init__(self, value: Any) -> None:
        self.value: int | None = _size(value)

    def __eq__(self, other: object) -> bool:
        try:
            return self.value == _size(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.value)

    def __index__(self) -> int:
        if self.value is None:
            raise TypeError("The size of an unknown dimension was asked for.")
        return self.value

    __int__ = __index__

    def __repr__(self) -> str:
        return f"Dimension({self.value})"

    def __str__(self) -> str:
        return "?" if self.value is None else str(self.value)


@exported("TensorShape")
@final
class TensorShape(tuple[Any, ...]):
    """The sizes of a tensor's dimensions; None is an unknown size, and `TensorShape(None)` has an unknown rank.

    It is a tuple wherever JAX, Keras and NumPy take one: it equals a tuple of its sizes (and a list), hashes as that, and
    is false if it has no dimensions, where TensorFlow's is true. There is one object of unknown rank.
    """

    __slots__ = ()

    def __new__(cls, dims: ShapeLike | None) -> "TensorShape":
        if dims is None:
            return _UNKNOWN
        if isinstance(dims, TensorShape):
            return dims
        sizes: Any = dims if hasattr(dims, "__iter__") and not _is_scalar(dims) else (dims,)
        return tuple.__new__(cls, map(_size, sizes))

    def __reduce__(self) -> tuple[Any, ...]:
        return restored, (None if self is _UNKNOWN else tuple(self),)

    def tree_flatten(self) -> tuple[tuple[Any, ...], bool]:
        """Returns the sizes, the children of this node of a tree, and whether the rank is unknown."""
        return ((), True) if self is _UNKNOWN else (tuple(self), False)

    @classmethod
    def tree_unflatten(cls, unknown: bool, children: Iterable[Any]) -> "TensorShape":
        """Returns the node with these children, which may be anything."""
        return _UNKNOWN if unknown else tuple.__new__(cls, children)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if unknown."""
        return None if self is _UNKNOWN else tuple.__len__(self)

    ndims = rank

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions as objects with a `value`, or None if the rank is unknown; `as_list` has the numbers."""
        return None if self is _UNKNOWN else [Dimension(size) for size in self]

    def as_list(self) -> list[int | None]:
        """The sizes as a list, None for an unknown one. Raises ValueError if the rank is unknown."""
        if self is _UNKNOWN:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return [size if isinstance(size, int) else None for size in self]

    def num_elements(self) -> int | None:
        """The number of elements, or None if it is not known."""
        return math.prod(self) if self.is_fully_defined() else None

    def is_fully_defined(self) -> bool:
        """Returns whether the rank and every size are known."""
        return self is not _UNKNOWN and all(isinstance(size, int) for size in tuple(self))

    def is_compatible_with(self, other: ShapeLike | None) -> bool:
        """Returns whether there is a shape that both can be: of equal sizes where both are known."""
        shape = TensorShape(other)
        if self is _UNKNOWN or shape is _UNKNOWN:
            return True
        return len(self) == len(shape) and all(None in (a, b) or a == b for a, b in zip(self, shape, strict=True))

    def is_subtype_of(self, other: Any) -> bool:
        """Returns whether every tensor of this shape has the other shape, too."""
        if not isinstance(other, TensorShape) or other is _UNKNOWN:
            return other is _UNKNOWN
        return self.rank == other.rank and all(b is None or a == b for a, b in zip(self, other, strict=True))

    def most_specific_common_supertype(self, others: Sequence[Any]) -> "TensorShape | None":
        """Returns the shape with the sizes in which all agree, None if one of the others is not a TensorShape."""
        if not all(isinstance(other, TensorShape) for other in others):
            return None
        if self is _UNKNOWN or any(other.rank != self.rank for other in others):
            return _UNKNOWN
        return TensorShape([sizes[0] if len({*sizes}) == 1 else None for sizes in zip(self, *others, strict=True)])

    def most_specific_compatible_shape(self, other: ShapeLike | None) -> "TensorShape":
        """Returns the shape with the sizes in which both agree."""
        shape = TensorShape(other)
        if self is _UNKNOWN or shape is _UNKNOWN or len(self) != len(shape):
            return _UNKNOWN
        return TensorShape([a if a == b else None for a, b in zip(self, shape, strict=True)])

    def merge_with(self, other: ShapeLike | None) -> "TensorShape":
        """Returns the shape with the sizes that either knows. Raises ValueError if they are not compatible."""
        shape = TensorShape(other)
        if self is _UNKNOWN:
            return shape
        if shape is _UNKNOWN:
            return self
        if not self.is_compatible_with(shape):
            raise ValueError(f"Shapes {self} and {shape} are not compatible")
        return TensorShape([b if a is None else a for a, b in zip(self, shape, strict=True)])

    def concatenate(self, other: ShapeLike | None) -> "TensorShape":
        """Returns the dimensions of this shape, followed by the other's; the rank is unknown if one of theirs is."""
        shape = TensorShape(other)
        if self is _UNKNOWN or shape is _UNKNOWN:
            return _UNKNOWN
        return restored(tuple.__add__(self, shape))

    def with_rank(self, rank: int) -> "TensorShape":
        """Returns the shape, of this rank if it was unknown. Raises ValueError if the rank is another."""
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self is _UNKNOWN else self

    def with_rank_at_least(self, rank: int) -> "TensorShape":
        """Returns the shape. Raises ValueError if its rank is known and smaller."""
        if self is not _UNKNOWN and len(self) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> "TensorShape":
        """Returns the shape. Raises ValueError if its rank is known and larger."""
        if self is not _UNKNOWN and len(self) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raise ValueError if the rank is known and another."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: ShapeLike | None) -> None:
        """Raise ValueError if both ranks are known and different."""
        shape = TensorShape(other)
        if None not in (self.rank, shape.rank) and self.rank != shape.rank:
            raise ValueError(f"Shapes {self} and {shape} must have the same rank")

    def assert_is_compatible_with(self, other: ShapeLike | None) -> None:
        """Raise ValueError if no shape can be both."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {TensorShape(other)} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """Raise ValueError if the rank or a size is unknown."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def __len__(self) -> int:
        if self is _UNKNOWN:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return tuple.__len__(self)

    def __bool__(self) -> bool:
        return tuple.__len__(self) > 0

    def __iter__(self) -> Iterator[Any]:
        if self is _UNKNOWN:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return tuple.__iter__(self)

    @overload
    def __getitem__(self, key: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, key: slice) -> "TensorShape": ...
    def __getitem__(self, key: SupportsIndex | slice) -> Any:
        if self is _UNKNOWN:
            return _part_of_unknown(key) if isinstance(key, slice) else None
        part = tuple.__getitem__(self, key)
        return tuple.__new__(TensorShape, part) if isinstance(key, slice) else part

    def __add__(self, other: Any) -> "TensorShape":
        if not isinstance(other, _ADDED):
            return NotImplemented
        # A tuple may hold what is no size, as in NumPy's idiom `x.reshape(x.shape[:-1] + (-1,))`.
        if isinstance(other, tuple) and _UNKNOWN is not self and _UNKNOWN is not other:
            return restored((*self, *other))
        return self.concatenate(other)

    def __radd__(self, other: Any) -> "TensorShape":
        if not isinstance(other, _ADDED) or (isinstance(other, list) and _adds_in_place(sys._getframe(1))):
            return NotImplemented
        if isinstance(other, tuple) and self is not _UNKNOWN:
            return restored((*other, *self))
        return TensorShape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if self is _UNKNOWN or other is _UNKNOWN:
            return self is other
        return tuple.__eq__(self, tuple(other) if isinstance(other, list) else other)

    def __ne__(self, other: object) -> bool:
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def __hash__(self) -> int:
        return tuple.__hash__(self)

    def __repr__(self) -> str:
        return "TensorShape(None)" if self is _UNKNOWN else f"TensorShape({list(self)})"

    def __str__(self) -> str:
        return "<unknown>" if self is _UNKNOWN else tuple.__repr__(self)


# What is concatenated with `+`; an array adds a shape to its elements, as it does a tuple.
_ADDED = (tuple, list, int, Dimension, type(None))
_ADD_IN_PLACE = next(
    bytes((instruction.opcode, instruction.arg or 0))
    for instruction in dis.get_instructions(compile("a += b", "", "exec"))
    if instruction.opname == "BINARY_OP"
)
_UNKNOWN: TensorShape = tuple.__new__(TensorShape)


def restored(sizes: tuple[Any, ...] | None) -> TensorShape:
    """Returns a shape of these sizes, which are not checked; None is an unknown rank."""
    return _UNKNOWN if sizes is None else tuple.__new__(TensorShape, sizes)


@exported("compat.dimension_value", v1=["dimension_value", "compat.dimension_value"])
def dimension_value(dimension: Any) -> Any:
    """Returns the number of a Dimension; anything else as it is."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


@exported("compat.dimension_at_index", v1=["dimension_at_index", "compat.dimension_at_index"])
def dimension_at_index(shape: TensorShape, index: int) -> Dimension:
    """Returns one of the shape's dimensions, an unknown one if its rank is unknown."""
    return Dimension(shape[index])


def attach_shapes() -> None:
    """Let tensors, variables and Keras' symbolic tensors have TensorShapes, and trees take these apart as tuples."""
    intercept_shapes(TensorShape)


def _adds_in_place(frame: FrameType) -> bool:
    """Returns whether the frame is at `a += b`, where a list is to be extended by a shape as by a tuple.

    TensorFlow's `[1] + shape` is a shape. JAX extends its own lists by shapes, and Python asks `__radd__` first for both.
    """
    return frame.f_code.co_code[frame.f_lasti :][:2] == _ADD_IN_PLACE


def _is_scalar(value: Any) -> bool:
    """Returns whether the value is one size though it has an `__iter__`: an array without dimensions."""
    return getattr(value, "ndim", None) == 0


def _size(value: Any) -> int | None:
    """Returns a size as a number.

    Raises:
        TypeError: it is not an integer.
        ValueError: it is negative.
    """
    if value is None:
        return None
    if isinstance(value, Dimension):
        return value.value
    try:
        size = operator.index(value)
    except TypeError:
        raise TypeError(
            "Dimension value must be integer or None or have an __index__ method, got value "
            f"'{value!r}' with type '{type(value)!r}'"
        ) from None
    if size < 0:
        raise ValueError(f"Dimension {size} must be >= 0")
    return size


def _part_of_unknown(key: slice) -> TensorShape:
    """Returns a slice of a shape of unknown rank: of known rank if its ends say so, as in TensorFlow."""
    if key.step is not None:
        raise ValueError("Steps are not yet handled")
    start = 0 if key.start is None else key.start
    if key.stop is None or start < 0 or key.stop < 0:
        return _UNKNOWN
    return TensorShape([None] * (key.stop - start))
