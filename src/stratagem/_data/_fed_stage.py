"""FedStage: a dataset that a graph describes with its tensors, and that a session makes when it initializes an iterator."""

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any, Final, NoReturn, Self, final

import numpy as np

from stratagem._base.errors import ContextError, UnimplementedError
from stratagem._base.types import UserFunction
from stratagem._core.context import current, entered
from stratagem._core.roles import GraphBuild
from stratagem._core.step import init_scope
from stratagem._core.values import TensorShape
from stratagem._data._dataset_base import DatasetBase
from stratagem._data.elements._nest import map_leaves
from stratagem._data.elements._spec import merged
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._stage import Stage, StageIterator

# Two sizes in place of each unknown one: what differs between the datasets that they make is unknown, too.
_SIZES: Final = (2, 3)


@final
@dataclass(frozen=True)
class _FedCall:
    """A call that makes a dataset, some of whose arguments are tensors of a graph, or datasets that are made of these."""

    graph: GraphBuild
    function: Callable[..., DatasetBase]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]

    def with_values(self, tensor: Callable[[Any], Any], dataset: Callable[[Any], Any]) -> DatasetBase:
        """Makes it with what the functions return in place of such tensors and datasets."""
        with init_scope(), entered(graph=None):
            args = self._replaced(self.args, tensor, dataset)
            return self.function(*args, **self._replaced(dict(self.kwargs), tensor, dataset))

    def tensors(self) -> list[Any]:
        """Returns the tensors that it depends on."""
        found: list[Any] = []
        self._replaced(
            (self.args, dict(self.kwargs)), found.append, lambda each: found.extend(each.stage.call.tensors())
        )
        return found

    def _replaced(self, value: Any, tensor: Callable[[Any], Any], dataset: Callable[[Any], Any]) -> Any:
        if isinstance(value, dict):
            return {key: self._replaced(part, tensor, dataset) for key, part in value.items()}
        if isinstance(value, list | tuple) and not isinstance(value, TensorShape):
            parts = [self._replaced(part, tensor, dataset) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if is_fed(value):
            return dataset(value)
        return tensor(value) if self.graph.is_fed(value) else value


@final
class FedStage(Stage):
    """The plan of a dataset that a session makes. call: what makes it.

    It has the spec of two datasets that are made of other values; failure: the error for which they cannot be made.
    """

    def __init__(self, call: _FedCall) -> None:
        self.call = call
        self._examples: list[DatasetBase] = []
        self._failure: Exception | None = None
        try:
            for i, size in enumerate(_SIZES):
                made = functools.partial(_example_of, i)
                self._examples.append(call.with_values(functools.partial(_value, size), made))
        except Exception as error:  # real values may do; without a spec, `spec` raises it
            self._failure = error

    def example_dataset(self, number: int) -> DatasetBase:
        """Returns one of the two datasets. Raises the error for which there is none."""
        if self._failure is not None:
            raise self._failure
        return self._examples[number]

    @functools.cached_property
    def spec(self) -> Any:
        with init_scope(), entered(graph=None):
            try:
                return map_leaves(merged, *(self.example_dataset(i).element_spec for i in range(len(_SIZES))))
            except Exception as error:
                raise UnimplementedError(
                    f"The elements of a dataset that a session makes of what it is fed cannot be told before: {error} Tell "
                    "their types and shapes: iterator = tf.compat.v1.data.Iterator.from_structure(types, shapes), "
                    "iterator.make_initializer(dataset)."
                ) from error

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return False

    @property
    def knows_spec(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _refuse()

    def example(self) -> Any:
        return _refuse()


def _refuse() -> NoReturn:
    raise ContextError(
        "This dataset is made of tensors of a tf.Graph, which have values in a session alone: "
        "iterator = tf.compat.v1.data.make_initializable_iterator(dataset), session.run(iterator.initializer, feed_dict)."
    )


def is_fed(dataset: Any) -> bool:
    """Returns whether a dataset is made of tensors of a graph."""
    return isinstance(dataset, DatasetBase) and isinstance(dataset.stage, FedStage)


def with_feeds(dataset: Any, values_of: UserFunction) -> Any:
    """Returns the dataset that such a dataset is in one run; any other as it is.

    values_of: takes tensors of the graph, returns their values.
    """
    if not is_fed(dataset):
        return dataset
    tensors = list({id(tensor): tensor for tensor in dataset.stage.call.tensors()}.values())
    values = dict(zip(map(id, tensors), values_of(tensors), strict=True))

    def made(each: Any) -> Any:
        return each.stage.call.with_values(lambda tensor: values[id(tensor)], made)

    return made(dataset)


def accept_tensors_of_graphs(cls: type) -> None:
    """Let the methods of a class that make datasets take tensors of graphs. Called once, when the class has been made."""
    for name in dir(cls):
        found = inspect.getattr_static(cls, name)
        function = found.__func__ if isinstance(found, classmethod) else found
        makes = isinstance(function, FunctionType) and function.__annotations__.get("return") in (Self, cls.__name__)
        if makes and not name.startswith("_"):
            accepting = _accepting(function)
            setattr(cls, name, classmethod(accepting) if isinstance(found, classmethod) else accepting)


def _accepting(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def accepting(self: Any, *args: Any, **kwargs: Any) -> Any:
        call = fed_call(function, (self, *args), kwargs)
        return function(self, *args, **kwargs) if call is None else self._of(call)

    return accepting


def fed_call(function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> FedStage | None:
    """Returns the plan of a dataset that a call with tensors of a graph makes; None if there are none among its arguments."""
    graph = current().graph
    if graph is None:
        return None
    call = _FedCall(graph, function, args, kwargs)
    return FedStage(call) if call.tensors() else None


def _example_of(number: int, dataset: Any) -> DatasetBase:
    made: DatasetBase = dataset.stage.example_dataset(number)
    return made


def _value(size: int, tensor: Any) -> np.ndarray:
    """Returns a value in place of a tensor: its unknown sizes, and an integer, are `size`."""
    shape = [n if isinstance(n, int) else size for n in tensor.shape]
    dtype = np.dtype(tensor.dtype)
    if dtype.hasobject:
        return np.full(shape, b"", object)
    return np.full(shape, size if not shape and dtype.kind in "iu" else 1, dtype)
