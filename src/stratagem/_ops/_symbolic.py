"""Symbolic tensors of functional models: a tensor function that is given one becomes a layer of the model."""

import functools
import inspect
from collections.abc import Callable, Mapping
from types import FunctionType
from typing import Any, ParamSpec, TypeVar, final

import jax
import keras
import numpy as np

from stratagem._base.types import UserFunction
from stratagem._core.context import current
from stratagem._core.roles import GraphBuild
from stratagem._core.values import CompositeTensor, TensorShape
from stratagem._ops._composite import HOLDERS, kind_among, rule_of
from stratagem._ops._dtypes import DType
from stratagem._ops._python_values import is_of_python
from stratagem._private import refuse_in_safe_mode

P = ParamSpec("P")
T = TypeVar("T")


def _getitem(tensor: Any, key: Any) -> Any:
    """Brackets, in which a list is a tuple as in TensorFlow; files of models have only lists."""
    return tensor[tuple(key)] if isinstance(key, list) else tensor[key]


# By name, every tensor function that takes symbolic tensors: a saved model has the name.
_FUNCTIONS: dict[str, Callable[..., Any]] = {"getitem": _getitem}
# Those that name their results in graphs.
_NAMING: set[Callable[..., Any]] = set()
# Sizes in place of unknown ones. A number that depends on them is another for each.
_SIZES = (83, 89)


def accept_symbols(module: dict[str, Any], namespace: str = "") -> None:
    """Let the public functions that a module defines accept symbolic and composite tensors. Called at its end, with its names.

    namespace: that of the functions in `tf`, for example `strings.`.

    Raises:
        ValueError: another module has a function of the same name.
    """
    for own, value in list(module.items()):
        if isinstance(value, FunctionType) and value.__module__ == module["__name__"] and not own.startswith("_"):
            name = f"{namespace}{own}"
            if name in _FUNCTIONS:
                raise ValueError(
                    f"There are two tensor functions of the name {name}; a saved model would have one of them."
                )
            _FUNCTIONS[name] = value
            module[own] = _accepting_symbols(name, value)


def symbolic_functions() -> Mapping[str, UserFunction]:
    """Returns all tensor functions that take symbolic tensors, by the names that saved models have for them."""
    return _FUNCTIONS


def named(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function name its results in a graph by its argument `name`, as a function that `accept_symbols` has changed."""
    place = _place_of_name(function)
    if place is None or function in _NAMING:
        return function

    @functools.wraps(function)
    def naming(*args: P.args, **kwargs: P.kwargs) -> T:
        result = function(*args, **kwargs)
        graph = current().graph
        return result if graph is None else _with_name(graph, place, args, kwargs, result)

    _NAMING.add(naming)
    return naming


def name_results(module: dict[str, Any]) -> None:
    """Let the public functions that a module defines be `named`: one whose functions accept no symbols. Called at its end."""
    for own, value in list(module.items()):
        if isinstance(value, FunctionType) and value.__module__ == module["__name__"] and not own.startswith("_"):
            module[own] = named(value)


def _place_of_name(function: Callable[..., Any]) -> int | None:
    """Returns the position of the parameter `name`; None without one."""
    names = list(inspect.signature(function).parameters)
    return names.index("name") if "name" in names else None


def _with_name(graph: GraphBuild, place: int, args: Any, kwargs: Any, result: Any) -> Any:
    name = args[place] if len(args) > place else kwargs.get("name")
    return result if name is None else graph.name_results(name, result)


def _accepting_symbols(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    place = _place_of_name(function)

    @functools.wraps(function)
    def accepting(*args: Any, **kwargs: Any) -> Any:
        # Every call comes here: first the types alone, which is ten times as fast.
        suspect = not HOLDERS.isdisjoint(map(type, args)) or (
            kwargs and not HOLDERS.isdisjoint(map(type, kwargs.values()))
        )
        if suspect and not all(map(_holds_no_tensor, (*args, *kwargs.values()))):
            if _has_symbol(args) or _has_symbol(kwargs.values()):
                return _layer_of(name)(_plain(args), _plain(kwargs))
            kind = kind_among(args) or kind_among(kwargs.values())
            if kind is not None:
                return rule_of(name, kind)(*args, **kwargs)
        result = function(*args, **kwargs)
        graph = current().graph
        return result if graph is None or place is None else _with_name(graph, place, args, kwargs, result)

    _NAMING.add(accepting)
    return accepting


def _holds_no_tensor(value: Any) -> bool:
    kind = type(value)
    return kind not in HOLDERS or ((kind is list or kind is tuple) and is_of_python(value))


def _has_symbol(values: Any) -> bool:
    for value in values:
        kind = type(value)
        if kind is keras.KerasTensor or kind is KerasShapeTensor:
            return True
        if (kind is list or kind is tuple) and _has_symbol(value):
            return True
    return False


def _plain(value: Any) -> Any:
    """Returns arguments as a saved model can have them: types by their names, shapes as lists."""
    if isinstance(value, dict):
        return {k: _plain(v) for k, v in value.items()}
    if isinstance(value, DType):
        return value.name
    if isinstance(value, TensorShape):
        return list(value)
    if type(value) in (list, tuple):
        return type(value)(_plain(v) for v in value)
    return value


def _layer_of(name: str) -> "TFOpLambda":
    number = keras.backend.get_uid(f"tf.{name}")
    return TFOpLambda(name, name=f"tf.{name}" if number == 1 else f"tf.{name}_{number - 1}")


@keras.saving.register_keras_serializable("stratagem")
@final
class TFOpLambda(keras.layers.Layer):  # type: ignore[misc]
    """A layer that calls one tensor function, with the arguments that the function was given."""

    def __init__(self, function: str, name: str | None = None, **kwargs: Any) -> None:
        super().__init__(name=name, autocast=False, **{k: v for k, v in kwargs.items() if k != "autocast"})
        if function not in _FUNCTIONS:
            raise ValueError(f"This version has no tensor function {function!r}, which the model calls.")
        self.function = function
        self.built = True

    def __call__(self, args: Any, kwargs: Any, **context: Any) -> Any:
        """Calls the function; with symbolic tensors, notes the call in their graph.

        context: what a model tells all its layers (`training`); functions do not ask. Raises ValueError for a call without
        symbolic tensors while a model is read in safe mode: no saved model has one, and it would compute with the file's
        values alone.
        """
        if not (_has_symbol(args) or _has_symbol(kwargs.values())):
            refuse_in_safe_mode("TFOpLambda", f"computes tf.{self.function} of constants")
        return keras.Operation.__call__(self, args, kwargs)

    def symbolic_call(self, args: Any, kwargs: Any) -> Any:
        """Notes a call in the graph of the symbolic tensors. Returns symbolic tensors."""
        return keras.Operation.symbolic_call(self, args, kwargs)

    def call(self, args: Any, kwargs: Any) -> Any:
        """Calls the function."""
        kind = kind_among(args) or kind_among(kwargs.values())
        if kind is None or self.function == "getitem":
            return _FUNCTIONS[self.function](*args, **kwargs)
        return rule_of(self.function, kind)(*args, **kwargs)

    def compute_output_spec(self, args: Any, kwargs: Any) -> Any:
        """Returns symbolic tensors of the shapes and types of the results; with their values, where shapes determine them."""
        first, second = (self._with_sizes(which, args, kwargs) for which in range(len(_SIZES)))
        return keras.tree.map_structure(_merged, first, second)

    def _with_sizes(self, which: int, args: Any, kwargs: Any) -> Any:
        given = [_sized(which, value) for value in keras.tree.flatten((args, kwargs))]
        symbols = [i for i, value in enumerate(given) if isinstance(value, keras.KerasTensor)]
        values: list[Any] = []

        def call(tensors: list[Any]) -> Any:
            filled = {**dict(enumerate(given)), **dict(zip(symbols, tensors, strict=True))}
            args_, kwargs_ = keras.tree.pack_sequence_as((args, kwargs), list(filled.values()))
            result = self.call(args_, kwargs_)
            values[:] = keras.tree.flatten(result)
            return result

        of_shapes = not any(given[i].dtype == "string" or given[i].ragged for i in symbols)
        spec = _ShapeInferenceOperation(call).compute_output_spec([given[i] for i in symbols])
        for tensor, value in zip(keras.tree.flatten(spec), values, strict=True):
            known = of_shapes and not isinstance(value, jax.core.Tracer | CompositeTensor)
            tensor._known = np.asarray(value) if known and np.issubdtype(np.asarray(value).dtype, np.integer) else None
        return spec

    def get_config(self) -> dict[str, Any]:
        """Returns the name of the function, and the layer's."""
        return {"function": self.function, "name": self.name}


class _ShapeInferenceOperation(keras.Operation):  # type: ignore[misc]
    """A function, for Keras to find the shapes of its results."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.call = function


def _sized(which: int, value: Any) -> Any:
    """Returns a symbolic tensor with sizes for the unknown ones; for one whose value shapes determine, that value."""
    if isinstance(value, KerasShapeTensor):
        return value.known[which]
    if isinstance(value, keras.KerasTensor) and not value.ragged:
        return keras.KerasTensor([_SIZES[which] if d is None else d for d in value.shape], dtype=value.dtype)
    return value


def _merged(first: Any, second: Any) -> keras.KerasTensor:
    shape = [a if a == b else None for a, b in zip(first.shape, second.shape, strict=True)]
    if first._known is None:
        kind = {"ragged": True, "ragged_rank": first.ragged_rank} if first.ragged else {}
        return keras.KerasTensor(shape, dtype=first.dtype, **kind)
    return KerasShapeTensor(shape, first.dtype, (first._known, second._known))


@final
class KerasShapeTensor(keras.KerasTensor):  # type: ignore[misc]
    """A symbolic tensor that is computed from shapes alone, and so may be part of another shape.

    known: its value for each of the sizes that stand for unknown ones.
    """

    def __init__(self, shape: Any, dtype: str, known: tuple[np.ndarray, np.ndarray]) -> None:
        super().__init__(shape, dtype=dtype)
        self.known = known

    def __getitem__(self, key: Any) -> Any:
        return _layer_of("getitem")((self, key), {})

    def __iter__(self) -> Any:
        return (self[i] for i in range(self.shape[0]))


def getitem_of_symbol(symbol: keras.KerasTensor, key: Any) -> keras.KerasTensor:
    """Returns what brackets choose of a symbolic tensor, by a layer."""
    return _layer_of("getitem")((symbol, key), {})


def _operator(name: str, reverse: bool = False) -> Callable[[Any, Any], Any]:
    def apply(self: Any, other: Any) -> Any:
        operands = (other, self) if reverse else (self, other)
        return _layer_of(name)(_plain(operands), {})

    return apply


HOLDERS.update({keras.KerasTensor, KerasShapeTensor})
_OPERATORS: dict[str, str] = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "floordiv": "floordiv",
    "mod": "floormod",
}
for _symbol, _name in _OPERATORS.items():
    setattr(KerasShapeTensor, f"__{_symbol}__", _operator(_name))
    setattr(KerasShapeTensor, f"__r{_symbol}__", _operator(_name, reverse=True))
