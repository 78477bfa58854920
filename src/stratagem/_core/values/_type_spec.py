"""`tf.TypeSpec`: the base of the static descriptions of values, which are compared and merged part by part."""

import abc
from collections.abc import Sequence
from typing import Any, Self

import jax

from stratagem._base.exports import exported
from stratagem._core.values._tensor_shape import TensorShape


@exported("TypeSpec")
class TypeSpec(abc.ABC):
    """The static description of a value that is made of tensors, as `tf.TypeSpec`.

    What has one gives it as `_type_spec`. Two specs are of one type if they are of one class; their parts are then compared:
    shapes as far as they are known, specs in turn, all else by equality.
    """

    @property
    @abc.abstractmethod
    def value_type(self) -> type:
        """The class of the values."""

    @abc.abstractmethod
    def _parts(self) -> tuple[Any, ...]:
        """Returns the arguments that make this spec."""

    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Returns whether a value, or the values of another spec, may be described by this one."""
        other = spec_or_value if isinstance(spec_or_value, TypeSpec) else getattr(spec_or_value, "_type_spec", None)
        return type(other) is type(self) and _all(_compatible, self._parts(), other._parts())

    def is_subtype_of(self, other: Any) -> bool:
        """Returns whether every value of this spec is one of the other."""
        return type(other) is type(self) and _all(_subtype, self._parts(), other._parts())

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Self | None:
        """Returns the narrowest spec that has the values of all these; None if there is none."""
        if not all(type(other) is type(self) for other in others):
            return None
        try:
            parts: Any = self._parts()
            for other in others:
                parts = jax.tree.map(_common, parts, other._parts(), is_leaf=_is_leaf)
        except ValueError:  # another structure, or parts that differ
            return None
        return type(self)(*parts)

    def most_specific_compatible_type(self, other: Any) -> Self:
        """Returns the narrowest spec that has the values of both, the former name. Raises ValueError if there is none."""
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and _all(_equal, self._parts(), other._parts())

    def __hash__(self) -> int:
        return hash((type(self), tuple(jax.tree.leaves(self._parts(), is_leaf=_is_leaf))))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(_text, self._parts()))})"


def _is_leaf(part: Any) -> bool:
    return part is None or isinstance(part, TensorShape | TypeSpec)


def _all(holds: Any, first: Any, second: Any) -> bool:
    """Returns whether two nests have one structure, and this holds for all pairs of leaves."""
    try:
        return all(jax.tree.leaves(jax.tree.map(holds, first, second, is_leaf=_is_leaf)))
    except ValueError:  # another structure
        return False


def _equal(part: Any, other: Any) -> bool:
    return type(part) is type(other) and bool(part == other)


def _compatible(part: Any, other: Any) -> bool:
    return bool(part.is_compatible_with(other)) if isinstance(part, TensorShape | TypeSpec) else _equal(part, other)


def _subtype(part: Any, other: Any) -> bool:
    return bool(part.is_subtype_of(other)) if isinstance(part, TensorShape | TypeSpec) else _equal(part, other)


def _common(part: Any, other: Any) -> Any:
    if isinstance(part, TensorShape | TypeSpec):
        found = part.most_specific_common_supertype([other])
        if found is not None:
            return found
    elif _equal(part, other):
        return part
    raise ValueError(f"{part} and {other} have nothing in common.")


def _text(part: Any) -> str:
    """The text of a part: a NumPy dtype by TensorFlow's name."""
    return dtype_text(part) if hasattr(part, "itemsize") else repr(part)


def dtype_text(dtype: Any) -> str:
    """Returns TensorFlow's name of a NumPy dtype, such as "tf.float32"."""
    return f"tf.{'string' if dtype.hasobject else dtype.name}"
