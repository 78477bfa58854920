"""Reference: what `x.ref()` returns, a hashable reference that compares by identity."""

from typing import Any, final

from stratagem._private import add_tensor_methods


@final
class Reference:
    """A tensor or variable as a key of a dict or a member of a set, where it counts by its identity."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped: Any) -> None:
        self._wrapped = wrapped

    def deref(self) -> Any:
        """Returns the tensor or variable."""
        return self._wrapped

    def __eq__(self, other: object) -> bool:
        return self._wrapped is other._wrapped if isinstance(other, Reference) else NotImplemented

    def __hash__(self) -> int:
        return id(self._wrapped)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._wrapped!r}>"


def attach_methods() -> None:
    """Let JAX's arrays and Keras' variables have the methods that TensorFlow's have."""
    add_tensor_methods(Reference)
