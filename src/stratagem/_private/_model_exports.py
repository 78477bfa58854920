"""Exports of Keras models: the shapes and dtypes of their inputs, and the method that writes one."""

import functools
from typing import Any

import keras
from keras.src.export.export_utils import get_input_signature

from stratagem._base.errors import UnimplementedError
from stratagem._base.types import UserFunction


def input_specs_of_model(model: keras.Model) -> Any:
    """Returns the structure of a model's first argument with a `keras.InputSpec` for each tensor.

    The first size of each is None. Returns None of a model that was neither built nor called. Raises UnimplementedError for a
    model whose `call` takes several arguments.
    """
    try:
        found = get_input_signature(model)
    except ValueError:  # it was not
        return None
    if len(found) != 1:
        raise UnimplementedError(
            f"The model {model.name!r} takes {len(found)} arguments. Give it one, a list or dict of tensors, or save a "
            "tf.Module with a tf.function that calls it."
        )
    return found[0]


def intercept_export(export: UserFunction) -> None:
    """Replace `model.export` by this function."""
    keras.Model.export = functools.wraps(keras.Model.export)(export)
