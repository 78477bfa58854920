"""UnmadeTensor: what stands for a tensor that a program cannot make, as one whose size is a tensor."""

import abc
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

_OPERATORS = (
    *(f"__{side}{name}__" for side in ("", "r") for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow")),
    *(f"__{side}{name}__" for side in ("", "r") for name in ("and", "or", "xor", "matmul")),
    *(f"__{name}__" for name in ("neg", "pos", "abs", "invert", "lt", "le", "gt", "ge", "eq", "ne", "getitem", "len")),
)


class UnmadeTensor(abc.ABC):
    """Stands for a tensor, for what needs no more of it than the class has. All other code gets the tensor.

    Where that is impossible, because the trace knows no size of it, the function goes on in Python.
    """

    __hash__ = object.__hash__

    @abc.abstractmethod
    def __jax_array__(self) -> jax.Array:
        """Returns the tensor, or leaves the trace."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the tensor."""
        return self.__jax_array__().shape

    @property
    def ndim(self) -> int:
        """The number of its dimensions."""
        return self.__jax_array__().ndim

    def numpy(self) -> np.ndarray:
        """The values of the tensor."""
        return np.asarray(self.__jax_array__())


def _operator(name: str) -> Callable[..., Any]:
    def operate(self: UnmadeTensor, *operands: Any) -> Any:
        return getattr(self.__jax_array__(), name)(*operands)

    return operate


for _name in _OPERATORS:
    setattr(UnmadeTensor, _name, _operator(_name))
