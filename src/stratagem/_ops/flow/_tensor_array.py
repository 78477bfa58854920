"""`tf.TensorArray`: tensors by number, which a loop writes and reads one at a time."""

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError, OutOfRangeError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.context import current
from stratagem._core.values import Tensor, TensorShape
from stratagem._ops._arrays import concat, size, split, stack
from stratagem._ops._convert import is_traced, need_value, static_int, tensor
from stratagem._ops._dtypes import DType, as_dtype


class Unallocated(enum.Enum):
    """In place of the buffer of an array to which nothing was written yet, and whose elements' shape is not known."""

    BUFFER = "a buffer of zeros, of a shape that the first write tells"


@final
@dataclass(frozen=True)
class _Facts:
    """The type of an array, which stays the same in all rounds of a compiled loop."""

    dtype: np.dtype
    size: int
    dynamic_size: bool
    infer_shape: bool
    element_shape: TensorShape

    def __repr__(self) -> str:
        dynamic = ", dynamic_size=True" if self.dynamic_size else ""
        return f"TensorArray(dtype={self.dtype.name}, size={self.size}, element_shape={self.element_shape}{dynamic})"


@exported("TensorArray")
@final
class TensorArray:
    """An array of tensors of one dtype, by their number. In compiled code `write` and the like return a new array.

    dtype: of the elements. size: how many there are, known when the step is compiled. dynamic_size: whether a write past the
    end makes the array longer; in a compiled loop the number must be known then, elsewhere the function runs in Python.
    element_shape: of every element; without it, the first that is written tells. infer_shape: whether all elements must
    have one shape. An element that was never written is zeros, once the shape is known. Elements can be read any number of
    times; TensorFlow's other options are accepted and have no effect. Strings are for code that is not compiled.

    As in TensorFlow, outside of compiled code writing changes the array itself; so use what `write` returns, everywhere.
    If only the running program knows the number, a write past the end is dropped, and what is read there is the last element.
    """

    def __init__(
        self,
        dtype: DTypeLike,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: object = None,
        tensor_array_name: object = None,
        handle: object = None,
        flow: object = None,
        infer_shape: bool = True,
        element_shape: ShapeLike | None = None,
        colocate_with_first_write_call: object = True,
        name: object = None,
    ) -> None:
        if handle is not None or flow is not None:
            raise NotImplementedError(
                "tf.TensorArray: handle and flow belong to TensorFlow's graphs. Pass the array itself."
            )
        if size is None:
            raise ValueError("tf.TensorArray: size must be given. With dynamic_size=True it may be 0.")
        count = _whole(size, "the size of a TensorArray is a tensor")
        if count < 0:
            raise InvalidArgumentError(f"tf.TensorArray: size must not be negative, got {count}.")
        shape = TensorShape(element_shape)
        self._facts = _Facts(as_dtype(dtype).dtype, count, bool(dynamic_size), infer_shape, shape)
        # A list as long as the numbers are known, else one tensor of all elements.
        self._elements: list[Any] | jax.Array = [None] * count

    def write(self, index: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Returns the array with this element.

        Raises: InvalidArgumentError for another dtype, ValueError for another shape, OutOfRangeError past the end.
        """
        element = self._checked(value)
        where = _number(index, "write")
        if is_traced(where):
            if self._facts.dynamic_size:
                need_value(
                    "a tensor is the number at which a TensorArray with dynamic_size=True is written; with size= it may be"
                )
            buffer = self._allocated(element.shape)
            return self._with(buffer.at[_from_start(where)].set(element, mode="drop"))
        number, elements = int(where), self._as_list()
        if number < 0:
            raise OutOfRangeError(f"TensorArray.write: index {number} is negative.")
        if number >= len(elements):
            if not self._facts.dynamic_size:
                raise OutOfRangeError(
                    f"TensorArray.write: index {number}, but the array has {len(elements)} elements and no dynamic_size=True."
                )
            elements += [None] * (number + 1 - len(elements))
        elements[number] = element
        return self._with(elements, element)

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """Returns an element.

        Raises: OutOfRangeError past the end; ValueError, in a step InvalidArgumentError, for one that was not written and whose
        shape is not known.
        """
        where = _number(index, "read")
        if is_traced(where):
            return self._buffer("read")[_from_start(where)]
        number = int(where)
        if not 0 <= number < self._facts.size:
            raise OutOfRangeError(f"TensorArray.read: index {number}, but the array has {self._facts.size} elements.")
        element = self._elements[number]
        return self._zeros(number, "read") if element is None else element

    def stack(self, name: str | None = None) -> Tensor:
        """Returns all elements as one tensor, [size, *element_shape].

        Raises: ValueError, in a step InvalidArgumentError, if none was written and their shape is not known; outside of steps
        an array without elements is the tensor [].
        """
        return self._buffer("stack")

    def unstack(self, value: Any, name: str | None = None) -> "TensorArray":
        """Returns the array with the rows of a tensor as its elements."""
        rows = self._converted(value)
        if not rows.ndim:
            raise ValueError("TensorArray.unstack needs a tensor with rows, got a scalar.")
        self._checked(rows[0]) if len(rows) else self._check_dtype(rows)
        if len(rows) > self._facts.size and not self._facts.dynamic_size:
            raise ValueError(f"TensorArray.unstack: {len(rows)} rows for an array of {self._facts.size} elements.")
        return self._with(rows)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """Returns the elements with these numbers, a 1-D tensor, as one tensor."""
        wanted = tensor(indices)
        if is_traced(wanted):
            return self._buffer("gather")[_from_start(wanted)]
        return (
            self._joined([self.read(i) for i in np.asarray(wanted).tolist()]) if len(wanted) else self._empty("gather")
        )

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> "TensorArray":
        """Returns the array with row `i` of a tensor as the element with number `indices[i]`, a 1-D tensor."""
        where, rows = tensor(indices), self._converted(value)
        if len(where) != len(rows):
            raise ValueError(f"TensorArray.scatter: {len(where)} indices for {len(rows)} rows.")
        array = self
        for i in range(len(rows)):
            array = array.write(where[i] if is_traced(where) else int(where[i]), rows[i])
        return array

    def concat(self, name: str | None = None) -> Tensor:
        """Returns the elements, which may be of different lengths, one after the other as one tensor.

        Raises: InvalidArgumentError if there is none, and the shape of their rows is not known.
        """
        parts = [self.read(i) for i in range(self._facts.size)] or [self._no_rows()]
        return tensor(np.concatenate(parts)) if self._facts.dtype == object else concat(parts, 0)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> "TensorArray":
        """Returns the array with consecutive parts of a tensor, of these lengths, as its elements."""
        rows = self._converted(value)
        self._check_dtype(rows)
        if not rows.ndim:
            raise InvalidArgumentError("TensorArray.split needs a tensor with rows, got a scalar.")
        parts = split(rows, lengths)
        if len(parts) != self._facts.size and not self._facts.dynamic_size:
            raise InvalidArgumentError(
                f"TensorArray.split: {len(parts)} parts for an array of {self._facts.size} elements without dynamic_size=True."
            )
        return self._with(list(parts))

    def size(self, name: str | None = None) -> Any:
        """Returns the number of elements, an int32 scalar, which is always known."""
        return size(np.empty(self._facts.size, np.bool_))

    def identity(self) -> "TensorArray":
        """Returns an array with the same elements."""
        return _array(self._facts, list(self._elements) if isinstance(self._elements, list) else self._elements)

    def close(self, name: str | None = None) -> None:
        """Does nothing: the memory is freed with the array."""

    @property
    def dtype(self) -> DType:
        """The dtype of the elements."""
        return as_dtype(self._facts.dtype)

    @property
    def dynamic_size(self) -> bool:
        """True if a write past the end makes the array longer."""
        return self._facts.dynamic_size

    @property
    def infer_shape(self) -> bool:
        """True if all elements must have one shape."""
        return self._facts.infer_shape

    @property
    def element_shape(self) -> TensorShape:
        """The shape of every element, as far as it is known."""
        found = self._found_shape() if self._facts.infer_shape else None
        return self._facts.element_shape if found is None else TensorShape(found)

    @property
    def flow(self) -> Tensor:
        """The number 0, without a meaning: in TensorFlow's graphs it orders reads and writes."""
        return tensor(0)

    @property
    def handle(self) -> None:
        """None: in TensorFlow 1 it names the array in its graph."""
        return None

    def grad(self, source: str, flow: object = None, name: str | None = None) -> NoReturn:
        """Raises NotImplementedError, as in TensorFlow 2: a tf.GradientTape goes through arrays."""
        raise NotImplementedError("TensorArray.grad is of TensorFlow 1's graphs. Use tf.GradientTape.")

    def __len__(self) -> int:
        return self._facts.size

    def __iter__(self) -> NoReturn:
        raise TypeError("A tf.TensorArray cannot be iterated over. Iterate over array.stack().")

    def __repr__(self) -> str:
        return repr(replace(self._facts, element_shape=self.element_shape))

    def _with(self, elements: Any, written: Any = None) -> "TensorArray":
        """Returns the array with these elements: this one, as in TensorFlow, unless code is being compiled.

        written: the only one that is new. (To look at all of them at each write would take as long as their square.)
        """
        facts = replace(self._facts, size=len(elements))
        if current().recorder is not None or is_traced(elements if written is None else written):
            return _array(facts, elements)
        self._facts, self._elements = facts, elements
        return self

    def _checked(self, value: Any) -> jax.Array:
        """Returns an element to be written, of the right dtype and shape."""
        element = self._converted(value)
        self._check_dtype(element)
        expected = self.element_shape
        if self._facts.infer_shape and not expected.is_compatible_with(TensorShape(element.shape)):
            raise ValueError(f"TensorArray.write: an element of shape {tuple(element.shape)}, expected {expected}.")
        return element

    def _converted(self, value: Any) -> jax.Array:
        """Returns a tensor; numbers and NumPy arrays get the dtype of the elements."""
        return tensor(value) if isinstance(value, jax.Array) else tensor(value, self._facts.dtype)

    def _check_dtype(self, found: jax.Array) -> None:
        if found.dtype != self._facts.dtype:
            raise InvalidArgumentError(
                f"TensorArray.write: an element of dtype {found.dtype} for an array of dtype {self._facts.dtype}."
            )

    def _found_shape(self) -> tuple[int, ...] | None:
        """The shape of the elements that are there; None if that is not known, or none for all."""
        if not isinstance(self._elements, list):
            return tuple(self._elements.shape[1:])
        if not self._facts.infer_shape and len({e.shape for e in self._elements if e is not None}) > 1:
            return None
        first = next((tuple(e.shape) for e in self._elements if e is not None), None)
        return (
            tuple(self._facts.element_shape)
            if first is None and self._facts.element_shape.is_fully_defined()
            else first
        )

    def _as_list(self) -> list[Any]:
        """The elements in a list of their own: this array's, if writing changes it."""
        if not isinstance(self._elements, list):
            return [self._elements[i] for i in range(self._facts.size)]
        return list(self._elements) if current().recorder is not None else self._elements

    def _zeros(self, number: int, method: str) -> jax.Array:
        shape = self._found_shape()
        if shape is None:
            raise (ValueError if current().recorder is None else InvalidArgumentError)(
                f"TensorArray.{method}: element {number} was not written, and its shape is not known. Write it, or give "
                "element_shape."
            )
        if self._facts.dtype == object:
            return tensor(np.full(shape, b"", object))
        return jnp.zeros(shape, self._facts.dtype)

    def _buffer(self, method: str = "stack") -> jax.Array:
        """All elements as one tensor."""
        if not isinstance(self._elements, list):
            return self._elements
        if not self._elements:
            return self._empty(method)
        if all(e is None for e in self._elements):
            zero = self._zeros(0, method)
            whole = (self._facts.size, *zero.shape)
            return (
                tensor(np.broadcast_to(zero, whole)) if self._facts.dtype == object else jnp.broadcast_to(zero, whole)
            )
        return self._joined([self.read(i) for i in range(len(self._elements))])

    def _empty(self, method: str) -> jax.Array:
        """A tensor of no elements."""
        shape = self._found_shape()
        if shape is None and current().recorder is not None:
            raise InvalidArgumentError(
                f"TensorArray.{method}: there are no elements, and their shape is {self._facts.element_shape}. Give "
                "element_shape."
            )
        return self._nothing(shape or ())

    def _no_rows(self) -> jax.Array:
        """A tensor of no rows of elements."""
        shape = self._found_shape() or self._facts.element_shape
        rows = TensorShape(shape)[1:] if TensorShape(shape).rank else TensorShape(None)
        if not rows.is_fully_defined():
            raise InvalidArgumentError(
                f"TensorArray.concat: there are no elements, and their shape is {self._facts.element_shape}. Give "
                "element_shape, all of it but the first size."
            )
        return self._nothing(tuple(rows))

    def _nothing(self, inner: Sequence[int]) -> jax.Array:
        shape = (0, *inner)
        return tensor(np.empty(shape, object)) if self._facts.dtype == object else jnp.zeros(shape, self._facts.dtype)

    def _joined(self, elements: list[Any]) -> jax.Array:
        return tensor(np.stack(elements)) if self._facts.dtype == object else stack(elements)

    def _allocated(self, shape: Sequence[int]) -> jax.Array:
        """All elements as one tensor, if those that are not there have this shape."""
        return jnp.zeros((self._facts.size, *shape), self._facts.dtype) if self._is_unallocated() else self._buffer()

    def _is_unallocated(self) -> bool:
        return self._found_shape() is None and not any(e is not None for e in self._elements)


def _number(index: Any, method: str) -> jax.Array:
    """Returns the number of an element as a tensor. Raises TypeError if it is no integer."""
    number = tensor(index)
    if number.dtype.kind not in "iu":
        raise TypeError(f"TensorArray.{method}: the index must be an integer, got {number.dtype}: {index!r:.100}.")
    return number


def _whole(size: Any, reason: str) -> int:
    """Returns a size. Raises TypeError if it is no integer."""
    if not is_traced(size) and np.asarray(size).dtype.kind not in "iu":
        raise TypeError(f"tf.TensorArray: size must be an integer, got {size!r:.100}.")
    return static_int(size, reason)


def _from_start(index: jax.Array) -> jax.Array:
    """Returns an index that does not count from the end: what is negative is out of range."""
    return jnp.where(index < 0, np.iinfo(index.dtype).max, index)


def _array(facts: _Facts, elements: Any) -> TensorArray:
    array = object.__new__(TensorArray)
    array._facts, array._elements = facts, elements
    return array


def _leaves(array: TensorArray) -> tuple[tuple[Any, ...], tuple[_Facts, bool]]:
    """JAX's view: one leaf with all elements; or, if they have several shapes, each for itself."""
    several = array._found_shape() is None and any(e is not None for e in array._elements)
    if several:
        return tuple(array._elements), (array._facts, several)
    return (Unallocated.BUFFER if array._is_unallocated() else array._buffer(),), (array._facts, several)


def _from_leaves(kind: tuple[_Facts, bool], leaves: Sequence[Any]) -> TensorArray:
    facts, several = kind
    if several:
        return _array(facts, list(leaves))
    return _array(facts, [None] * facts.size if leaves[0] is Unallocated.BUFFER else leaves[0])


def is_array(value: Any) -> bool:
    """Returns whether a value is a TensorArray."""
    return isinstance(value, TensorArray)


def element_shapes(tree: Any) -> list[tuple[int, ...] | None]:
    """Returns for every TensorArray in a structure the shape of its elements, None if that is not known yet."""
    return [v._found_shape() for v in jax.tree.leaves(tree, is_leaf=is_array) if is_array(v)]


def with_buffers(tree: Any, shapes: Sequence[tuple[int, ...] | None]) -> Any:
    """Returns the structure with buffers for elements of these shapes in its arrays.

    Raises: InvalidArgumentError for an array without such a shape.
    """
    left = iter(shapes)

    def allocate(value: Any) -> Any:
        if not is_array(value):
            return value
        shape = next(left)
        if shape is None:
            raise InvalidArgumentError(
                "A TensorArray that a compiled loop carries is not written in it, and has no element_shape."
            )
        return _array(value._facts, value._allocated(shape))

    return jax.tree.map(allocate, tree, is_leaf=is_array)


jax.tree_util.register_pytree_node(TensorArray, _leaves, _from_leaves)
