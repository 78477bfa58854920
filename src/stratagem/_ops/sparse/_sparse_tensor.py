"""`tf.SparseTensor`: some entries of a tensor with their indices, all others being zero; and its spec."""

from collections.abc import Callable
from typing import Any, NamedTuple, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.step import host_function, named_host_function
from stratagem._core.values import CompositeTensor, TensorShape, TypeSpec
from stratagem._ops._composite import hold
from stratagem._ops._convert import StringTensor, Tensor, is_tensor, is_traced, known_sizes, need_value, on_host, tensor
from stratagem._ops._dtypes import as_dtype


@exported(v1=["SparseTensorValue"])
class SparseTensorValue(NamedTuple):
    """The parts of a sparse tensor as NumPy arrays: indices, (n, rank), values, (n,), and the shape. A session gives it."""

    indices: Any
    values: Any
    dense_shape: Any


@exported("SparseTensor", "sparse.SparseTensor")
@final
@hold
class SparseTensor(CompositeTensor):
    """Entries of a tensor by their indices, as `tf.SparseTensor`; all others are zero, or empty strings.

    indices: (n, rank), int64, usually in row-major order, which `tf.sparse.reorder` makes. values: (n,). dense_shape: (rank,),
    int64. Raises ValueError for other shapes, and for indices that are no integers.

    In compiled code the number of entries is known, but indices and `dense_shape` may be known to the running program only;
    what needs a shape that depends on them takes a `tf.function` to host mode, and is a TracedDecisionError in a replica.
    """

    __slots__ = ("_indices", "_shape", "_values")

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        self._indices, self._shape = _integers(indices), _integers(dense_shape)
        is_host = isinstance(values, np.ndarray) and (
            isinstance(values, StringTensor) or values.dtype.kind not in "OSU"
        )
        self._values: Any = values if is_host else tensor(values)
        parts = [np.shape(part) for part in (self._indices, self._values, self._shape)]
        if [len(shape) for shape in parts] != [2, 1, 1] or parts[0] != (parts[1][0], parts[2][0]):
            raise ValueError(
                "A SparseTensor has indices (n, rank), values (n,) and a dense_shape (rank,), got the shapes "
                f"{', '.join(str(list(shape)) for shape in parts)}."
            )

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> "SparseTensor":
        """Returns the SparseTensor of what has its parts, as `tf.compat.v1.SparseTensorValue`. Raises TypeError for others."""
        if not all(hasattr(sparse_tensor_value, part) for part in ("indices", "values", "dense_shape")):
            raise TypeError(f"Neither a SparseTensor nor SparseTensorValue: {sparse_tensor_value!r:.100}.")
        found = sparse_tensor_value
        return cls(found.indices, found.values, found.dense_shape)

    @property
    def indices(self) -> Tensor:
        """The places of the entries: (n, rank), int64."""
        if isinstance(self._indices, np.ndarray):
            self._indices = tensor(self._indices)
        return self._indices

    @property
    def values(self) -> Tensor:
        """The entries: (n,)."""
        if isinstance(self._values, np.ndarray):
            self._values = tensor(self._values)
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The sizes of the dense tensor: (rank,), int64."""
        if isinstance(self._shape, np.ndarray):
            self._shape = tensor(self._shape)
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of the values."""
        return np.dtype(self._values.dtype)

    @property
    def shape(self) -> TensorShape:
        """The sizes of the dense tensor, None where a trace does not know them."""
        rank = int(np.shape(self._shape)[0])
        return TensorShape([None] * rank if is_traced(self._shape) else [int(d) for d in np.asarray(self._shape)])

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    def with_values(self, new_values: Any) -> "SparseTensor":
        """Returns a tensor with other values at the same indices. Raises ValueError for another number of them."""
        return SparseTensor(self._indices, new_values, self._shape)

    @property
    def _differentiable(self) -> Tensor:
        return self.values

    def _with_differentiable(self, values: Tensor) -> "SparseTensor":
        return self.with_values(values)

    def _with_parts(self, function: Callable[[Any], Any]) -> "SparseTensor":
        return _from_leaves(None, [function(part) for part in (self._indices, self._values, self._shape)])

    def known_indices(self, what: str) -> np.ndarray:
        """Returns the indices in NumPy. what: what depends on them, for the message if a trace does not know them."""
        return _known(self._indices, what)

    def known_shape(self, what: str) -> tuple[int, ...]:
        """Returns the sizes of the dense tensor. what: what depends on them, for the message if a trace does not know them."""
        sizes = known_sizes(self._shape)
        if sizes is None:
            sizes = known_sizes(_noted(self._shape, what))
        return tuple((_known(self._shape, what) if sizes is None else sizes).tolist())

    def __repr__(self) -> str:
        return f"SparseTensor(indices={self.indices}, values={self.values}, dense_shape={self.dense_shape})"


def _integers(numbers: Any) -> Any:
    """Indices or sizes as int64, in the host's memory if they are there."""
    if is_tensor(numbers):
        found: Any = tensor(numbers)
    else:
        found = on_host([int(d) for d in numbers] if isinstance(numbers, TensorShape) else numbers)
        found = found.astype(np.int64) if not found.size and found.dtype.kind == "f" else found
    if np.dtype(found.dtype).kind not in "iu":
        raise ValueError(f"The indices and sizes of a SparseTensor are integers, got {found.dtype}.")
    return found if found.dtype == np.int64 else found.astype(np.int64)


def _known(numbers: Any, what: str) -> np.ndarray:
    if is_traced(numbers):
        need_value(f"{what} depends on the indices or the shape of a SparseTensor")
    return np.asarray(numbers)


@host_function
def _noted(sizes: Any, what: str) -> np.ndarray:
    """The sizes as a value that the host knows before a step: then they may be those of the step's tensors."""
    return _known(sizes, what)


named_host_function("sparse.sizes", _noted)


def _leaves(sparse: SparseTensor) -> tuple[tuple[Any, Any, Any], None]:
    return (sparse.indices, sparse.values, sparse.dense_shape), None


def _from_leaves(nothing: None, leaves: Any) -> SparseTensor:
    made: SparseTensor = object.__new__(SparseTensor)
    made._indices, made._values, made._shape = leaves
    return made


jax.tree_util.register_pytree_node(SparseTensor, _leaves, _from_leaves)


@exported("SparseTensorSpec")
@final
class SparseTensorSpec(TypeSpec):
    """The shape and dtype of a `tf.SparseTensor`, as `tf.SparseTensorSpec`."""

    def __init__(self, shape: ShapeLike | None = None, dtype: DTypeLike = np.float32) -> None:
        self.shape, self.dtype = TensorShape(shape), as_dtype(dtype).dtype

    @staticmethod
    def from_value(value: SparseTensor) -> "SparseTensorSpec":
        """Returns the spec of a sparse tensor. Raises TypeError for what is none."""
        if not isinstance(value, SparseTensor):
            raise TypeError(f"Expected SparseTensor, got {type(value).__name__}")
        return SparseTensorSpec(value.shape, value.dtype)

    @property
    def value_type(self) -> type[SparseTensor]:
        """SparseTensor."""
        return SparseTensor

    def _parts(self) -> tuple[Any, ...]:
        return self.shape, self.dtype


SparseTensor._type_spec = property(SparseTensorSpec.from_value)  # type: ignore[assignment]
