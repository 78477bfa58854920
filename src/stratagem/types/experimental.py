"""tf.types.experimental: what values are called in annotations and `isinstance`."""

from typing import Any as _Any

from stratagem._core.step import ConcreteFunction as ConcreteFunction
from stratagem._core.step import Function as Callable  # noqa: F401
from stratagem._core.step import Function as GenericFunction  # noqa: F401
from stratagem._core.step import Function as PolymorphicFunction  # noqa: F401
from stratagem._ops import TensorLike as TensorLike
from stratagem._ops import not_provided as _not_provided


def __getattr__(name: str) -> _Any:
    raise _not_provided("types.experimental", name)
