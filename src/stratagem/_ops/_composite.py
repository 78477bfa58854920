"""Rules for composite tensors: each class has functions of its own in place of tensor functions, by their names."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, ParamSpec, TypeVar

from stratagem._base.types import UserFunction
from stratagem._core.step import host_function_if_needed
from stratagem._core.values import CompositeTensor

P = ParamSpec("P")
T = TypeVar("T")


# What is a composite tensor, or may have one in it.
HOLDERS: set[type] = {list, tuple}
_RULES: dict[tuple[type, str], UserFunction] = {}


def hold(kind: type) -> type:
    """Lets calls of tensor functions look out for values of a class: a decorator of composite tensors."""
    HOLDERS.add(kind)
    return kind


def rule(kind: type, *names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes the decorated function the one that is called in place of these, given a composite tensor of this class.

    names: as those of tensor functions in `tf`, which accept composite tensors by `accept_symbols`.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        # In a step it may need row lengths, or be given strings.
        _RULES.update({(kind, name): host_function_if_needed(function) for name in names})
        return function

    return decorate


def composite_rules() -> Mapping[tuple[type, str], UserFunction]:
    """Returns all rules, by the class of composite tensors and the name of the tensor function."""
    return _RULES


def kind_among(values: Iterable[Any]) -> type | None:
    """Returns the class of the first composite tensor among values, also in lists and tuples; None if there is none."""
    for value in values:
        kind = type(value)
        if issubclass(kind, CompositeTensor):
            return kind
        if (kind is list or kind is tuple) and (found := kind_among(value)):
            return found
    return None


def rule_of(name: str, kind: type) -> UserFunction:
    """Returns what to call in place of a tensor function. Raises TypeError if it takes no composite tensors of this class."""
    found = _RULES.get((kind, name))
    if found is None and kind.__name__ == "DynamicRaggedShape":
        raise TypeError(
            f"tf.{name} takes no DynamicRaggedShape. Compute with `flat_values`, and use `with_flat_values`."
        )
    if found is None:
        dense = "x.to_tensor()" if kind.__name__ == "RaggedTensor" else "tf.sparse.to_dense(x)"
        mapped = "tf.ragged.map_flat_values" if kind.__name__ == "RaggedTensor" else "tf.sparse.map_values"
        raise TypeError(f"tf.{name} takes no {kind.__name__}. Give it {dense}, or call it by {mapped}.")
    return found
