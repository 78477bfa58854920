"""ExportArchive: writes chosen functions of Keras models to a SavedModel; `model.export` uses one."""

import logging
import os
from collections.abc import Iterable, Sequence
from typing import Any, Final, final

import jax
import keras

from stratagem._autograph import converted
from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.step import Function
from stratagem._core.values import TensorSpec
from stratagem._ops import as_dtype
from stratagem._private import KerasVariable, intercept_export
from stratagem._saved_models._functions import DEFAULT
from stratagem._saved_models._keras_model import input_signature as inputs_of
from stratagem._saved_models._loaded_object import LoadedObject
from stratagem._saved_models._options import SaveOptions
from stratagem._saved_models._save import save

_log = logging.getLogger("stratagem")

_FORMAT: Final = "tf_saved_model"


@exported("keras.export.ExportArchive")
@final
class ExportArchive:
    """A SavedModel in the making, as `tf.keras.export.ExportArchive`: endpoints, and the variables that they use.

    `tf.saved_model.load` returns an object with the endpoints as methods, and with `variables`, `trainable_variables` and
    `non_trainable_variables`.
    """

    def __init__(self) -> None:
        self._tracked: list[Any] = []
        self._endpoints: dict[str, Function] = {}
        self._collections: dict[str, list[KerasVariable]] = {}

    def track(self, resource: Any) -> None:
        """Adds the variables of a layer, model or `tf.Module`. Raises ValueError for a layer that is not built."""
        if isinstance(resource, keras.Layer) and not resource.built:
            raise ValueError(
                f"The layer provided has not yet been built: {resource.name!r}. Build or call it before export."
            )
        self._tracked.append(resource)

    def add_endpoint(self, name: str, fn: UserFunction, input_signature: Sequence[Any] | None = None) -> None:
        """Adds a function that can be called after loading.

        fn: a function or method; a `tf.function` with a signature, or that was called, needs no `input_signature`.
        input_signature: a spec for each of its arguments; sizes may be None.
        Raises: ValueError for a name that is taken, and for a plain function without a signature.
        """
        if name in self._endpoints:
            raise ValueError(f"Endpoint name {name!r} is already taken.")
        if input_signature is not None:
            plain = _of_its_own(fn.python_function if isinstance(fn, Function) else fn)
            self._endpoints[name] = Function(plain, [*map(_specs, input_signature)], converted(plain))
        elif isinstance(fn, Function):
            self._endpoints[name] = fn
        else:
            raise ValueError(
                f"The endpoint {name!r} needs an `input_signature`: its function is no tf.function that was called. Give a "
                "tf.TensorSpec for each argument."
            )

    def add_variable_collection(self, name: str, variables: Iterable[KerasVariable]) -> None:
        """Adds a list of variables, an attribute of what is loaded. Raises ValueError for what is no variable."""
        found = list(variables)
        if not all(isinstance(v, KerasVariable) for v in found):
            raise ValueError(f"The collection {name!r} must be of variables, found {found!r:.200}.")
        self._collections[name] = found

    def write_out(
        self, filepath: str | os.PathLike[str], options: SaveOptions | None = None, verbose: bool = True
    ) -> None:
        """Writes the SavedModel. Its signatures are the endpoints; the first one is "serving_default", too.

        Raises: ValueError without an endpoint, and the same errors as `tf.saved_model.save`.
        """
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        artifact = LoadedObject()
        for name in ("variables", "trainable_variables", "non_trainable_variables"):
            found = (v for each in self._tracked for v in getattr(each, name))
            self._collections.setdefault(name, list({id(v): v for v in found}.values()))
        artifact.take({**self._collections, **self._endpoints})
        signatures: dict[str, Function] = {
            name: made for name, made in self._endpoints.items() if made.input_signature is not None
        }
        first = next(iter(self._endpoints))
        if first in signatures:
            signatures.setdefault(DEFAULT, signatures[first])
        save(artifact, filepath, signatures, options)
        if verbose:
            _log.info("Saved artifact at %r. Endpoints: %s.", os.fspath(filepath), ", ".join(self._endpoints))


def _specs(structure: Any) -> Any:
    """Returns a structure with TensorSpecs for what Keras has in their place."""
    return jax.tree.map(
        lambda spec: TensorSpec(spec.shape, as_dtype(spec.dtype).dtype, getattr(spec, "name", None)), structure
    )


def _of_its_own(fn: UserFunction) -> UserFunction:
    """Returns a function that takes its tensors by position alone: Keras' own `__call__` has no other parameters to name."""

    def endpoint(*args: Any) -> Any:
        return fn(*args)

    endpoint.__name__ = getattr(fn, "__name__", "endpoint")
    return endpoint


def export_model(
    model: keras.Model,
    filepath: str | os.PathLike[str],
    format: str = _FORMAT,
    verbose: bool | None = None,
    input_signature: Any = None,
    **kwargs: object,
) -> None:
    """Writes a SavedModel with one endpoint, `serve`: the model's call, not in training, as `model.export` of Keras.

    input_signature: the structure of the model's inputs, in a list, with specs; by default what the model was built with.
    Raises: UnimplementedError for a format of Keras 3 that needs another library, ValueError for a model that was never built.
    """
    if format != _FORMAT:
        raise UnimplementedError(
            f"model.export(format={format!r}): only {_FORMAT!r} is implemented, a SavedModel of this library, which "
            "tf.saved_model.load reads. For other formats, save the model with model.save('m.keras') and export it with Keras."
        )
    signature = [inputs_of(model)] if input_signature is None else input_signature
    if signature == [None]:
        raise ValueError(f"The model {model.name!r} has not yet been built or called. Call it once, then export it.")
    archive = ExportArchive()
    archive.track(model)
    archive.add_endpoint("serve", lambda *inputs: model(*inputs, training=False), signature)
    archive.write_out(filepath, verbose=verbose is not False)


def attach_export() -> None:
    """Lets `model.export` write our SavedModels."""
    intercept_export(export_model)
