"""The functions that a SavedModel of a Keras model gets: its call, in training and not, and its default signature."""

import inspect
from typing import Any

import jax
import keras

from stratagem._autograph import converted
from stratagem._core.step import Function
from stratagem._core.values import TensorSpec
from stratagem._ops import as_dtype
from stratagem._private import input_specs_of_model
from stratagem._saved_models._functions import CallToSave, FunctionToSave


def functions_of_model(model: keras.Model) -> dict[str, FunctionToSave]:
    """Returns the functions that are saved of a model, by name. None of one that was neither built nor called.

    `__call__(inputs, training=False)` has a program for each value of `training`.
    """
    signature = input_signature(model)
    if signature is None:
        return {}

    def call(inputs: Any, training: bool = False) -> Any:
        return model(inputs, training=training)

    made = Function(call, None, converted(call))
    calls = tuple(
        CallToSave(made, ((signature, training), {}), ((signature, training), {}), optional=training)
        for training in (False, True)
    )
    return {"__call__": FunctionToSave(model.name, inspect.signature(call), calls)}


def signature_of_model(model: keras.Model) -> Function | None:
    """Returns the default signature of a model, whose results are named after its outputs; None if it was never built."""
    signature = input_signature(model)
    if signature is None:
        return None
    names = _output_names(model)

    def serving_default(inputs: Any) -> dict[str, Any]:
        result = model(inputs, training=False)
        if isinstance(result, dict):
            return result
        several = result if isinstance(result, list | tuple) else [result]
        return dict(zip(names or [f"output_{i + 1}" for i in range(len(several))], several, strict=True))

    return Function(serving_default, [signature], converted(serving_default))


def _output_names(model: keras.Model) -> list[str] | None:
    """Returns the names of a model's outputs as in Keras 2, where a `Sequential` has them, too; None if it has none."""
    if isinstance(model, keras.Sequential) and model.layers:
        return [model.layers[-1].name]
    return getattr(model, "output_names", None)


def input_signature(model: keras.Model) -> Any:
    """Returns the structure of a model's inputs, with specs; None of a model that was neither built nor called."""
    found = input_specs_of_model(model)
    if found is None:
        return None
    numbers = iter(range(1, 1 + len(jax.tree.leaves(found))))
    return jax.tree.map(lambda spec: _named(spec, next(numbers)), found)


def _named(spec: Any, number: int) -> TensorSpec:
    """Returns a spec. An input that has its name from a counter of Keras' is named as Keras 2 names the first ones."""
    named = spec.name and not spec.name.startswith("keras_tensor")
    return TensorSpec(spec.shape, as_dtype(spec.dtype).dtype, spec.name if named else f"input_{number}")
