"""TFSMLayer: a Keras layer that calls a function of a SavedModel."""

import os
from typing import Any, Self, final

import keras

from stratagem._base.exports import exported
from stratagem._private import accept_any_input
from stratagem._saved_models._load import load
from stratagem._saved_models._loaded_function import LoadedFunction


@exported("keras.layers.TFSMLayer")
@final
@keras.saving.register_keras_serializable("stratagem")
class TFSMLayer(keras.Layer):  # type: ignore[misc]
    """A layer that calls a function of a SavedModel of this library, as `tf.keras.layers.TFSMLayer`.

    Its weights are the function's variables: they train, unless `trainable` is False.

    filepath: the directory. call_endpoint: the function's name, an attribute or a signature of what was saved; that of
        `model.export` is "serve". call_training_endpoint: another one, for training.

    Raises ValueError for a name that is not there, and the same errors as `tf.saved_model.load`.
    """

    def __init__(
        self,
        filepath: str | os.PathLike[str],
        call_endpoint: str = "serve",
        call_training_endpoint: str | None = None,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(trainable=trainable, name=name, dtype=dtype)
        accept_any_input(self)
        self._arguments = {
            "filepath": os.fspath(filepath),
            "call_endpoint": call_endpoint,
            "call_training_endpoint": call_training_endpoint,
        }
        found = load(filepath)
        self._serve = _endpoint(found, call_endpoint)
        self._train = self._serve if call_training_endpoint is None else _endpoint(found, call_training_endpoint)
        both = (*self._serve.variables, *self._train.variables)
        self._variables_of_functions = list({id(v): v for v in both}.values())
        self.built = True

    def call(self, inputs: Any, training: bool = False) -> Any:
        """Calls the function. Raises ValueError for inputs that it was not saved for."""
        return (self._train if training else self._serve)(inputs)

    def compute_output_spec(self, inputs: Any, training: bool = False) -> Any:
        """Returns the symbolic outputs for symbolic inputs. Raises ValueError for a function of several kinds of inputs."""
        outputs = (self._train if training else self._serve).structured_outputs
        return keras.tree.map_structure(lambda spec: keras.KerasTensor(spec.shape, dtype=spec.dtype.name), outputs)

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments. The layer needs its directory again."""
        return {**super().get_config(), **self._arguments}

    @classmethod
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None, safe_mode: bool | None = None) -> Self:
        """Returns the layer that has this config. Raises ValueError, as Keras does, unless `safe_mode` is False.

        A model's file names a directory here, whose program would run.
        """
        made: Self = keras.layers.TFSMLayer.from_config.__func__(cls, config, custom_objects, safe_mode)
        return made


def _endpoint(loaded: Any, name: str) -> LoadedFunction:
    found = vars(loaded).get(name) or loaded.signatures.get(name)
    if not isinstance(found, LoadedFunction):
        functions = [key for key, value in vars(loaded).items() if isinstance(value, LoadedFunction)]
        raise ValueError(
            f"The endpoint {name!r} is neither a function among the attributes of the SavedModel, {functions}, nor one of its "
            f"signatures, {list(loaded.signatures)}. Name one of them as call_endpoint."
        )
    return found
