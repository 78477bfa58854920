"""Constructors of Keras' classes that take arguments of Keras 2, too; batch statistics over all replicas."""

import functools
import inspect
from typing import Any

import keras

from stratagem._private._legacy import Conversion, Method


def convert_arguments(kind: type, converted: Conversion, defaults: dict[str, Any], named: tuple[str, ...] = ()) -> None:
    """Let the constructor of a class take what `converted` makes arguments of Keras 3 of.

    defaults: of its own parameters; named: further ones, which its signature shows.
    """
    owner: Any = kind
    init = owner.__init__
    signature = inspect.signature(init)

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        args, kwargs = converted(args, kwargs)
        unnamed = list(signature.parameters)[1 : 1 + len(args)]
        init(self, *args, **{**{k: v for k, v in defaults.items() if k not in unnamed}, **kwargs})

    parameters = [each.replace(default=defaults.get(each.name, each.default)) for each in signature.parameters.values()]
    further = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in named]
    end = next((n for n, each in enumerate(parameters) if each.kind is each.VAR_KEYWORD), len(parameters))
    parameters[end:end] = further
    owner.__init__ = _signed(new_init, signature.replace(parameters=parameters))


def showing(function: Any, original: Method, *names: str) -> Method:
    """Returns a function that stands for `original` and takes further names, which its signature shows from now on."""
    signature = inspect.signature(original)
    parameters = list(signature.parameters.values())
    end = next((n for n, each in enumerate(parameters) if each.kind is each.VAR_KEYWORD), len(parameters))
    parameters[end:end] = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in names]
    return _signed(function, signature.replace(parameters=parameters))


def _signed(function: Any, signature: inspect.Signature) -> Method:
    """Returns the function, which says that it has this signature: Keras reads the names of a constructor's arguments."""
    function.__signature__ = signature
    return function


def let_batch_statistics_be_synchronized(moments: Method) -> None:
    """Let batch normalization be made with `synchronized=True`; `moments(layer, inputs, mask)` gives its mean and variance."""
    normalization = keras.layers.BatchNormalization
    init, local = normalization.__init__, normalization._moments

    @functools.wraps(init)
    def new_init(self: Any, *args: Any, **kwargs: Any) -> None:
        synchronized = kwargs.pop("synchronized", False)
        init(self, *args, **kwargs)
        self.synchronized = synchronized

    @functools.wraps(local)
    def new_moments(self: Any, inputs: Any, mask: Any) -> Any:
        return moments(self, inputs, mask) if self.synchronized else local(self, inputs, mask)

    normalization.__init__ = _signed(new_init, inspect.signature(init))
    normalization._moments = new_moments


def reduction_axes(layer: keras.layers.BatchNormalization) -> list[int]:
    """The axes over which a layer that was built normalizes."""
    return list(layer._reduction_axes)
