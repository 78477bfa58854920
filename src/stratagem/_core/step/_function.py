"""`tf.function`: Python code that runs as one compiled program."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._base.types import Nest, Unused, UserFunction
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step._eager_mode import functions_run_eagerly
from stratagem._core.step._execute import execute_many
from stratagem._core.step._signature import function_key
from stratagem._core.values import is_per_replica, map_structure
from stratagem._private import KerasVariable


@functools.cache
def _mesh_of(device: jax.Device) -> ReplicaMesh:
    return ReplicaMesh((device,))


def default_mesh() -> ReplicaMesh:
    """Returns the mesh of the one device that code outside of any strategy runs on."""
    chosen = jax.config.jax_default_device  # type: ignore[attr-defined]
    return _mesh_of(chosen if isinstance(chosen, jax.Device) else jax.local_devices()[0])


class Function:
    """A callable made by `tf.function`, compiled once for each signature.

    Tensors, NumPy arrays and PerReplica values are inputs. Python numbers, strings and objects are part of the
    signature: another value is another program. `next(iterator)` inside draws before each call. A variable that the
    function returns is returned as a tensor, with its value at the end of the call.

    traced: what is called in a trace instead of `python_function`.
    """

    def __init__(
        self, python_function: UserFunction, input_signature: Nest = None, traced: UserFunction | None = None
    ) -> None:
        self.python_function = python_function
        self._traced = python_function if traced is None else traced
        self.input_signature = input_signature
        functools.update_wrapper(self, python_function)
        self._name = getattr(python_function, "__qualname__", repr(python_function))

    def __call__(self, *args: Nest, **kwargs: Nest) -> Nest:
        """Runs the function; inside another compiled function it becomes a part of that."""
        return next(call_many(self, args, kwargs, 1))

    def __get__(self, instance: Any, owner: type | None = None) -> "Function":
        if instance is None:
            return self
        python_function, traced = (f.__get__(instance, owner) for f in (self.python_function, self._traced))
        return Function(python_function, self.input_signature, traced)

    def get_concrete_function(self, *args: Unused, **kwargs: Unused) -> "Function":
        """Returns this function: programs are chosen by signature at every call."""
        return self

    def _checked(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
        specs = list(self.input_signature)
        if kwargs or len(args) != len(specs):
            raise TypeError(
                f"{self._name} has an input_signature of {len(specs)} positional arguments, called with {len(args)} "
                f"positional and {len(kwargs)} keyword arguments."
            )
        return tuple(
            jax.tree.map(functools.partial(_conform, self._name), s, a) for s, a in zip(specs, args, strict=True)
        )


def call_many(function: UserFunction, args: tuple[Nest, ...], kwargs: dict[str, Nest], times: int) -> Iterator[Nest]:
    """Yields the results of up to `times` calls, at least one.

    Each call is made when its result is asked for; a worker in another process may make several at once.
    """
    context = current()
    if not isinstance(function, Function):
        return iter([function(*args, **kwargs)])
    if functions_run_eagerly() and context.recorder is None:
        return iter([function.python_function(*args, **kwargs)])
    if function.input_signature is not None:
        args = function._checked(args, kwargs)
    body = functools.partial(_called, function._traced)
    if context.recorder is not None:
        return iter([body(*args, **kwargs)])
    mesh = default_mesh() if context.strategy is None else context.strategy.mesh
    return execute_many(
        body, function_key(function.python_function), f"tf.function {function._name}", args, kwargs, mesh, times
    )


def _called(body: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Calls the body; returns its result with tensors in place of variables, which have their values at its end."""
    result = body(*args, **kwargs)
    if not any(isinstance(leaf, KerasVariable) for leaf in jax.tree.leaves(result, is_leaf=is_per_replica)):
        return result
    return map_structure(lambda leaf: leaf.value if isinstance(leaf, KerasVariable) else leaf, result)


def _conform(name: str, spec: Any, value: Any) -> Any:
    """Returns the value as a tensor of the spec's dtype. Raises TypeError if its dtype or shape does not fit."""
    dtype = jnp.dtype(getattr(spec.dtype, "as_numpy_dtype", spec.dtype))
    typed = hasattr(value, "dtype") and hasattr(value, "shape")
    tensor = value if typed else jnp.asarray(value, dtype=dtype)
    shape = None if spec.shape is None else tuple(spec.shape)
    fits = shape is None or (
        len(shape) == len(tensor.shape) and all(a in (None, b) for a, b in zip(shape, tensor.shape, strict=True))
    )
    if jnp.dtype(tensor.dtype) != dtype or not fits:
        raise TypeError(f"{name}: input_signature asks for {dtype} {shape}, got {tensor.dtype} {tuple(tensor.shape)}.")
    return tensor
