# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._core.step import ConcreteFunction as ConcreteFunction
from stratagem._core.step import Function as Callable
from stratagem._core.step import Function as GenericFunction
from stratagem._core.step import Function as PolymorphicFunction
from stratagem._ops import TensorLike as TensorLike

__all__ = [
    "Callable", "ConcreteFunction", "GenericFunction", "PolymorphicFunction", "TensorLike"
]  # fmt: skip
