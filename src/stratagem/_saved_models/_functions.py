"""The functions of a SavedModel: the programs that are exported of a `tf.function`, and those that signatures call."""

import functools
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._base.types import UserFunction
from stratagem._core.step import (
    ConcreteFunction,
    Function,
    TracedStrings,
    function_of,
    kinds_of_calls,
    parameters_of,
    with_tensors,
)
from stratagem._core.values import TensorSpec
from stratagem._saved_models._loaded_function import LoadedFunction

DEFAULT = "serving_default"


@final
@dataclass(frozen=True)
class CallToSave:
    """One kind of arguments of a function, with specs in place of tensors.

    function: what is exported for it. given: its own arguments. described: those of a call after loading.
    optional: whether it is left out, with a warning, if it cannot be exported.
    """

    function: Function
    given: tuple[tuple[Any, ...], dict[str, Any]]
    described: tuple[tuple[Any, ...], dict[str, Any]]
    optional: bool = False


@final
@dataclass(frozen=True)
class FunctionToSave:
    """A function with the kinds of arguments of which it gets programs. parameters: of a call after loading."""

    name: str
    parameters: inspect.Signature
    calls: tuple[CallToSave, ...]

    @classmethod
    def of(cls, value: Any) -> "FunctionToSave | None":
        """Returns what is saved of a value; None of one that is no compiled function."""
        if isinstance(value, Function):
            parameters = parameters_of(value)
            known = [_with_defaults(parameters, *call) for call in kinds_of_calls(value)]
            calls = tuple(CallToSave(value, call, call) for i, call in enumerate(known) if call not in known[:i])
            return cls(_name_of(value.python_function), parameters, calls)
        if isinstance(value, ConcreteFunction):
            call = value.structured_input_signature
            return cls(value.name, parameters_of(value), (CallToSave(function_of(value), call, call),))
        if isinstance(value, FunctionToSave):
            return value
        if isinstance(value, LoadedFunction):
            again = tuple(CallToSave(p.function, (tuple(p.specs), {}), p.call) for p in value.programs)
            return cls(value.name, value.parameters, again)
        return None


def _name_of(function: UserFunction) -> str:
    """Returns the name of a function; of a partial one that of the whole, of another callable object that of its class."""
    whole = function.func if isinstance(function, functools.partial) else function
    return str(getattr(whole, "__name__", type(whole).__name__))


def _with_defaults(
    parameters: inspect.Signature, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Returns all arguments of a call, by position where they can be."""
    found = parameters.bind(*args, **kwargs)
    found.apply_defaults()
    return found.args, found.kwargs


def signatures_to_save(given: Any, default: Any) -> dict[str, FunctionToSave]:
    """Returns the functions of a SavedModel's signatures, by key.

    given: the argument `signatures`, a compiled function or a dict of such. default: what to take for None, or None.
    Raises: ValueError for what is no compiled function with known arguments.
    """
    chosen = default if given is None else given
    if chosen is None:
        return {}
    named = chosen if isinstance(chosen, Mapping) else {DEFAULT: chosen}
    return {str(key): _signature(str(key), value, given is None) for key, value in named.items()}


def _signature(key: str, value: Any, optional: bool) -> FunctionToSave:
    found = FunctionToSave.of(value)
    if found is None or len(found.calls) != 1:
        raise ValueError(
            f"The signature {key!r} is {value!r}. Only a tf.function with an input signature, or a concrete function, can be "
            "one: tf.function(f, input_signature=[tf.TensorSpec([None, 8])]), or "
            "f.get_concrete_function(tf.TensorSpec([None, 8]))."
        )
    (call,) = found.calls
    leaves, structure = jax.tree.flatten(call.given)
    specs = [v for v in leaves if isinstance(v, TensorSpec)]
    names = _names(found.parameters, call.described)

    def called(**tensors: Any) -> dict[str, Any]:
        given = iter([tensors[name] for name in names])
        args, kwargs = jax.tree.unflatten(structure, [next(given) if isinstance(v, TensorSpec) else v for v in leaves])
        return _named_results(key, call.function(*args, **kwargs))

    kind = inspect.Parameter.KEYWORD_ONLY  # as TensorFlow shows them
    parameters = inspect.Signature([inspect.Parameter(name, kind) for name in names])
    named = (), {name: TensorSpec(v.shape, v.dtype, name) for name, v in zip(names, specs, strict=True)}
    return FunctionToSave(key, parameters, (CallToSave(Function(called), named, named, optional),))


def _names(parameters: inspect.Signature, call: tuple[tuple[Any, ...], dict[str, Any]]) -> list[str]:
    """Returns a name for each tensor of a call: that of its spec, else its key in a dict, else that of the parameter."""
    found: list[str] = []
    for name, path, spec in _places(parameters, call):
        keys = [step.key for step in path if isinstance(step, jax.tree_util.DictKey)]
        wanted = _identifier(spec.name or (keys[-1] if keys else name))
        found.append(wanted if wanted not in found else f"{wanted}_{len(found)}")
    return found


def _places(
    parameters: inspect.Signature, call: tuple[tuple[Any, ...], dict[str, Any]]
) -> Iterator[tuple[str, tuple[Any, ...], TensorSpec]]:
    """Yields every tensor of a call, with its parameter's name and its path below that, in the order of the call's leaves."""
    args, kwargs = call
    named = list(parameters.bind(*args, **kwargs).arguments)
    for at, each in jax.tree_util.tree_flatten_with_path((args, kwargs))[0]:
        if isinstance(each, TensorSpec):
            side, first, *rest = at
            by_position = named[min(first.idx, len(named) - 1)] if side.idx == 0 else first.key
            yield by_position, tuple(rest), each


def _identifier(name: Any) -> str:
    """Returns a name that a keyword argument can have: TensorFlow's of tensors may contain others, as `dense/kernel:0`."""
    text = "".join(c if c.isalnum() or c == "_" else "_" for c in str(name))
    return text if text.isidentifier() else f"arg_{text}"


def _named_results(key: str, returned: Any) -> dict[str, Any]:
    result = with_tensors(returned)
    if isinstance(result, Mapping):
        named = {str(name): value for name, value in result.items()}
    else:
        several = result if isinstance(result, list | tuple) else [result]
        named = {f"output_{i}": value for i, value in enumerate(several)}
    wrong = [name for name, value in named.items() if not isinstance(value, jax.Array | np.ndarray | TracedStrings)]
    if wrong:
        raise ValueError(
            f"The function of the signature {key!r} returns {named[wrong[0]]!r} for {wrong[0]!r}. A signature returns a "
            "tensor, a list of tensors, or a dict of texts to tensors."
        )
    return named
