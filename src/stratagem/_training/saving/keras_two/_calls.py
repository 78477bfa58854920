"""The calls of layers in a functional model of Keras 2, as Keras 3 writes them.

A call of Keras 2 is a structure of tensors, each `[layer, node, place, kwargs]`: the layer that made it, in which of its calls,
and which of its results. Keras 3 has the arguments themselves, in which `__keras_tensor__` stands for such a tensor.

Models within a model have one call more in Keras 2, that of their own making. (`functional.reconstruct_from_config` of Keras
2.15 says how it reads them.)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, final

from stratagem._base.errors import UnimplementedError
from stratagem._training.saving.keras_two._functions import function_named, is_function_layer
from stratagem._training.saving.keras_two._values import plain_value

Config = dict[str, Any]

_CONSTANT: Final = "_CONSTANT_VALUE"
_RECURRENT: Final = ("RNN", "SimpleRNN", "LSTM", "GRU", "ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D", "Bidirectional")


@final
@dataclass(frozen=True)
class LayersCalls:
    """The layers of a model that have a call of their own making. models: their names, with whether each is Sequential."""

    models: Mapping[str, bool]

    def tensor(self, name: str, node: int, place: int) -> Config:
        """Returns what stands for a tensor among arguments."""
        history = [name, node - (name in self.models), place]
        return {"class_name": "__keras_tensor__", "config": {"shape": [], "dtype": "float32", "keras_history": history}}

    def result(self, name: str, node: int, place: int) -> list[Any]:
        """Returns what stands for a tensor among inputs and outputs, where Keras 3 counts as Keras 2, but for Sequential."""
        return [name, node - self.models.get(name, False), place]


def with_calls(config: Config) -> Config:
    """Returns a functional model's configuration with all that its layers are called with as Keras 3 has it."""
    calls = LayersCalls({each["name"]: _is_sequential(each) for each in config["layers"] if _is_model(each)})
    layers = [
        each | {"inbound_nodes": [_arguments(each, node, calls) for node in each["inbound_nodes"]]}
        for each in config["layers"]
    ]
    return {**config, "layers": layers, **{key: _ends(config[key], calls) for key in ("input_layers", "output_layers")}}


def _is_sequential(layer: Config) -> bool:
    return layer["class_name"] == "Sequential"


def _is_model(layer: Config) -> bool:
    """Returns whether a layer is a model that has been called when it was made: one that has inputs."""
    config = layer["config"]
    if not isinstance(config, dict) or not isinstance(config.get("layers"), list):
        return False
    if _is_sequential(layer):
        return bool(config["layers"]) and config["layers"][0]["class_name"] == "InputLayer"
    return "input_layers" in config


def _is_tensor(value: Any) -> bool:
    return isinstance(value, list) and len(value) in (3, 4) and isinstance(value[0], str) and _is_index(value[1])


def _is_index(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _ends(value: Any, calls: LayersCalls) -> Any:
    """Returns a model's inputs or outputs; a list of one is that one, as in Keras 2."""
    if _is_tensor(value):
        return calls.result(*value[:3])
    if isinstance(value, dict):
        return {key: _ends(each, calls) for key, each in value.items()}
    found = [_ends(each, calls) for each in value]
    return found[0] if len(found) == 1 else found


def _arguments(layer: Config, node: Any, calls: LayersCalls) -> Config:
    """Returns the arguments of one call."""
    kwargs: Config = {}
    first = _given(node, calls, kwargs)
    if is_function_layer(layer["class_name"]):
        if layer["config"]["function"] == "getitem":
            return {"args": [[first, _key_of(kwargs["slice_spec"])], {}], "kwargs": {}}
        return {"args": [[first], {key: value for key, value in kwargs.items() if key != "name"}], "kwargs": {}}
    if isinstance(first, list) and len(first) == 1:
        first = first[0]
    kwargs = {key: value for key, value in kwargs.items() if value is not None}
    if layer["class_name"] in _RECURRENT and isinstance(first, list):
        first, *state = first
        kwargs["initial_state"] = state
    return {"args": [first], "kwargs": kwargs}


def _key_of(spec: Any) -> Any:
    """Returns what stands between brackets."""
    if isinstance(spec, list):
        return [_key_of(each) for each in spec]
    if isinstance(spec, dict) and "start" in spec:
        return {"class_name": "__slice__", "config": spec}
    return spec


def _given(node: Any, calls: LayersCalls, kwargs: Config) -> Any:
    """Returns the structure of tensors that a layer is called with, and adds its other arguments to `kwargs`."""
    if _is_tensor(node):
        name, index, place = node[:3]
        kwargs |= {key: _argument(value, calls) for key, value in (node[3] if len(node) > 3 else {}).items()}
        return place if name == _CONSTANT else calls.tensor(name, index, place)
    if isinstance(node, dict):
        return {key: _given(each, calls, kwargs) for key, each in node.items()}
    return [_given(each, calls, kwargs) for each in node]


def _argument(value: Any, calls: LayersCalls) -> Any:
    """Returns a further argument: a tensor, a slice, or what it is."""
    if isinstance(value, list):
        if len(value) == 3 and _is_tensor(value) and _is_index(value[2]):
            return calls.tensor(*value)
        return [_argument(each, calls) for each in value]
    if isinstance(value, dict):
        return plain_value(value) or {key: _argument(each, calls) for key, each in value.items()}
    return value


def function_layer(layer: Config) -> Config:
    """Returns the layer of this library that calls the function which a layer of Keras 2 calls.

    Raises UnimplementedError for a function that models cannot have here.
    """
    config = layer["config"]
    if layer["class_name"] not in ("TFOpLambda", "SlicingOpLambda"):
        raise UnimplementedError(
            f"Layer {config.get('name')!r} of the model is a {layer['class_name']}, which is code of TensorFlow's. Build the "
            "model here, and read its weights with load_weights."
        )
    return {
        **layer,
        "module": None,
        "class_name": "TFOpLambda",
        "registered_name": "stratagem>TFOpLambda",
        "config": {"name": config["name"], "function": function_named(config["function"])},
    }
