"""Converts elements of another library to nests of arrays, and checks that they are alike."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn, final

import jax
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import PerReplica, TensorSpec
from stratagem._data.elements._nest import Array, frozen, leaves, map_leaves, packer, spec_of, to_numpy
from stratagem._data.foreign._torch_tensors import from_torch, is_torch_tensor


@final
@dataclass(frozen=True)
class ElementConventions:
    """The interpretation of a library's elements.

    what: the source, for errors ("the torch DataLoader").

    batches: True if an element is a global batch: all its leaves have the same, arbitrary number of rows.

    lists_are_rows: a list is always the rows of one tensor. Otherwise a list of arrays is a tuple, as torch collates them.

    texts_are_rows: a tuple of strings is a column of a batch, as torch collates them.

    fresh: nobody else can write to the arrays, so they need not be copied.
    """

    what: str
    batches: bool
    lists_are_rows: bool = False
    texts_are_rows: bool = False
    fresh: bool = False


@final
class ElementConverter:
    """Reads the elements of one source. The first one determines the spec of all."""

    def __init__(self, conventions: ElementConventions) -> None:
        self._conventions = conventions
        self.spec: Any | None = None
        self._specs: list[TensorSpec] = []
        self._structure: Any = None

    def read(self, element: Any, number: int) -> Any:
        """Converts element `number` to a nest of read-only arrays.

        Raises:
            TypeError: another structure or dtype than the first element, or a value that is not a tensor.
            InvalidArgumentError: a shape that does not match the others.
        """
        nest = _Conversion(self._conventions, number).nest(element, "")
        found, structure = leaves(nest), jax.tree.structure(nest)
        if self._conventions.batches:
            self._check_rows(nest, number)
        if self.spec is None:
            if not found:
                raise TypeError(f"Element {number} of {self._conventions.what} has no tensor in it: {element!r:.200}.")
            self._specs, self._structure = [self._common(TensorSpec.from_tensor(leaf)) for leaf in found], structure
            self.spec = packer(nest)(self._specs)
        elif structure != self._structure:
            raise TypeError(
                f"Element {number} of {self._conventions.what} has another structure than the first one: "
                f"{spec_of(nest)} instead of {self.spec}. All elements need the same keys and members."
            )
        elif not all(map(_fits, found, self._specs)):
            raise self._misfit(nest, number)
        return nest

    def _common(self, spec: TensorSpec) -> TensorSpec:
        return TensorSpec((None, *spec.shape[1:]), spec.dtype) if self._conventions.batches else spec

    def _misfit(self, nest: Any, number: int) -> Exception:
        for (path, leaf), spec in zip(jax.tree_util.tree_leaves_with_path(nest), self._specs, strict=True):
            where = f"{self._conventions.what} has at {jax.tree_util.keystr(path) or 'its only component'}"
            if leaf.dtype != spec.dtype:
                return TypeError(
                    f"Element {number} of {where} the dtype {leaf.dtype}, and the first one had {spec.dtype}. "
                    "Convert all to one dtype in the source."
                )
            if not _fits(leaf, spec):
                break
        return InvalidArgumentError(
            f"Element {number} of {where} the shape {leaf.shape}, and the first one had {spec.shape}. Pad them "
            "to one shape in the source, as padded_batch does for a tf.data.Dataset; only the number of rows "
            "of a batch may differ."
        )

    def _check_rows(self, nest: Any, number: int) -> None:
        found = jax.tree_util.tree_leaves_with_path(nest)
        for path, leaf in found:
            if leaf.ndim == 0:
                raise ValueError(
                    f"Element {number} of {self._conventions.what} has a scalar of dtype {leaf.dtype} at "
                    f"{jax.tree_util.keystr(path) or 'its only component'}, so it looks like an example. Every element "
                    "of the source is taken for a global batch; pass batch_size=… when an element is one example."
                )
        if len({len(leaf) for _, leaf in found}) > 1:
            rows = ", ".join(f"{len(leaf)} at {jax.tree_util.keystr(path)}" for path, leaf in found)
            raise InvalidArgumentError(
                f"The components of element {number} of {self._conventions.what} have different numbers of rows: {rows}. "
                "Every element of the source is taken for a global batch, whose rows are examples; "
                "pass batch_size=… when an element is one example."
            )


@final
class _Conversion:
    """Converts one element to a nest; knows its number for errors."""

    def __init__(self, conventions: ElementConventions, number: int) -> None:
        self._conventions = conventions
        self._number = number
        self._protect: Callable[[Array], Array] = _read_only if conventions.fresh else frozen

    def nest(self, value: Any, path: str) -> Any:
        if isinstance(value, Mapping):
            return {key: self.nest(member, f"{path}[{key!r}]") for key, member in value.items()}
        if isinstance(value, tuple) and not (self._conventions.texts_are_rows and _are_texts(value)):
            members = [self.nest(member, f"{path}[{i}]") for i, member in enumerate(value)]
            return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
        if isinstance(value, list) and _has_parts(value):
            members = [self.nest(member, f"{path}[{i}]") for i, member in enumerate(value)]
            return self._stacked(members, path) if self._conventions.lists_are_rows else tuple(members)
        if isinstance(value, np.ndarray) and value.dtype == object and _has_parts(value):
            return self._stacked([self.nest(member, path) for member in value], path)
        return self._protect(self._array(value, path))

    def _array(self, value: Any, path: str) -> Array:
        if value is None:
            self._fail("is None", "Leave it out, or give it a value that stands for missing", path)
        if isinstance(value, PerReplica):
            self._fail("is divided among the replicas already", "Pass the dataset that was distributed first", path)
        try:
            return from_torch(value) if is_torch_tensor(value) else to_numpy(value)
        except (TypeError, ValueError) as error:
            if "inhomogeneous" in str(error):
                self._fail("has rows of different lengths", "Pad them to one length, as padded_batch does", path)
            remedy = "Give numbers, booleans, strings or arrays of them"
            self._fail(f"cannot become a tensor ({error})", remedy, path)

    def _stacked(self, members: list[Any], path: str) -> Any:
        try:
            return map_leaves(lambda *rows: np.stack(rows), *members)
        except ValueError:
            self._fail("has rows of different shapes", "Pad them to one shape, as padded_batch does", path)

    def _fail(self, problem: str, remedy: str, path: str) -> NoReturn:
        where = f"{path} in element" if path else "Element"
        kind = InvalidArgumentError if "rows" in problem else TypeError
        raise kind(f"{where} {self._number} of {self._conventions.what} {problem}. {remedy}.")


def _fits(leaf: Array, spec: TensorSpec) -> bool:
    return leaf.dtype == spec.dtype and spec.shape.is_compatible_with(leaf.shape)


def _has_parts(value: Any) -> bool:
    """Returns whether a list contains arrays or nests of them; a list of plain values is a tensor itself."""
    if len(value) == 0:
        return False
    first = value[0]
    if isinstance(first, list | tuple):
        return _has_parts(first)
    return isinstance(first, Mapping | np.ndarray | jax.Array) or is_torch_tensor(first)


def _are_texts(value: tuple[Any, ...]) -> bool:
    return bool(value) and all(isinstance(member, str | bytes) for member in value)


def _read_only(array: Array) -> Array:
    """A read-only view."""
    view = array.view()
    view.setflags(write=False)
    return view
