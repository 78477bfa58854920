"""TracedStrings: a tensor of strings in a step that is being traced."""

import math
import operator
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn, Protocol, final

import numpy as np

from stratagem._base.errors import ContextError, TracedDecisionError
from stratagem._core.step.keys._host_values import HostValue
from stratagem._core.values import TensorShape


class HostCalls(Protocol):
    """The recorder that made a TracedStrings, as far as that needs it."""

    def called_once(self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function, now and before every run of the step, unless it has been called with these arguments before."""

    def shape_read(self, value: HostValue, shape: Sequence[Any]) -> Sequence[Any]:
        """Takes note that the step depends on the shape of a value, and returns the sizes."""

    def need_host(self, reason: str) -> NoReturn:
        """Gives the trace up because Python needs values; inside a replica this is an error."""


@final
class TracedStrings:
    """A tensor of strings in a step that is being traced. Strings never enter its program.

    Functions of strings compute with the strings of the call that is traced, and are recorded (`PrefixRecorder`): before
    every run of the program, they are called with that run's strings.

    value: its name in the prefix. example: the strings of the call that is traced. own: whether each replica has others.
    """

    dtype = np.dtype(object)
    __array_ufunc__ = None  # an operator of a NumPy array beside it is left to this class

    def __init__(self, value: HostValue, example: np.ndarray, own: bool, recorder: HostCalls) -> None:
        self.value, self.example, self.own = value, example, own
        self._recorder = recorder

    @property
    def shape(self) -> TensorShape:
        """The sizes, which are those of the call that is traced: strings of other shapes have a program of their own."""
        # tree_unflatten takes sizes that are symbols, in exports.
        return TensorShape.tree_unflatten(False, self._recorder.shape_read(self.value, np.shape(self.example)))

    def get_shape(self) -> TensorShape:
        """Returns the shape."""
        return self.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """The number of strings."""
        return math.prod(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("A scalar string tensor has no length; tf.strings.length counts its bytes.")
        return int(self.shape[0])

    def __getitem__(self, key: Any) -> Any:
        """Returns a part."""
        return self._recorder.called_once(operator.getitem, (self, key), {})

    def __iter__(self) -> Iterator[Any]:
        """Yields the parts of the first dimension."""
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: Any) -> Any:
        """Returns where the strings are equal, bool."""
        return self._recorder.called_once(operator.eq, (self, other), {})

    def __ne__(self, other: Any) -> Any:
        """Returns where the strings differ, bool."""
        return self._recorder.called_once(operator.ne, (self, other), {})

    def __add__(self, other: Any) -> Any:
        """Returns each string with the other's after it."""
        return self._recorder.called_once(operator.add, (self, other), {})

    def __radd__(self, other: Any) -> Any:
        """Returns each string with the other's before it."""
        return self._recorder.called_once(operator.add, (other, self), {})

    def __hash__(self) -> int:
        """Returns that of the object in a graph, where tensors are keys of what is fed. Raises TypeError in other traces."""
        if not hasattr(self._recorder, "graph"):
            raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")
        return id(self)

    @property
    def graph(self) -> Any:
        """The graph that the tensor is a part of. Raises AttributeError in any other trace."""
        return self._recorder.graph  # type: ignore[attr-defined]

    @property
    def name(self) -> str:
        """The tensor's name in its graph. Raises AttributeError in any other trace."""
        return self.graph.name_of_tensor(self)

    @property
    def op(self) -> Any:
        """The operation of a graph that makes the tensor. Raises AttributeError in any other trace."""
        return self.graph.operation_of(self)

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Returns the strings in a session, by default the one that is open. Raises AttributeError but in a graph."""
        return self.graph.evaluated(self, feed_dict, session)

    def numpy(self) -> NoReturn:
        """Ends the trace: Python asks for the strings."""
        self._recorder.need_host("it asks for the strings of a tensor")

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        self.numpy()

    def __bool__(self) -> NoReturn:
        self.numpy()

    def __jax_array__(self) -> NoReturn:
        raise TracedDecisionError(
            f"A tensor of strings of shape {list(self.shape)} would have to enter a compiled step, which has numbers alone. "
            "Functions of tf.strings, tf.lookup and the layers that take strings run before the step: give it their results."
        )

    def __repr__(self) -> str:
        if hasattr(self._recorder, "graph"):
            return self.graph.shown(self)
        return f"TracedStrings(shape={list(np.shape(self.example))})"


def closed(value: TracedStrings) -> NoReturn:
    """Raises ContextError for strings of a step that is traced no more."""
    raise ContextError(
        f"{value!r} belongs to a step that was being traced and is over. Return it from the step's function instead of "
        "keeping it."
    )
