"""Configurations of Keras 2, in any depth, as Keras 3 reads them."""

from collections.abc import Collection
from typing import Any, Final

from stratagem._base.errors import DataLossError, UnimplementedError
from stratagem._training.saving.keras_two._calls import function_layer, with_calls
from stratagem._training.saving.keras_two._classes import RULES, ClassRule
from stratagem._training.saving.keras_two._functions import is_function_layer
from stratagem._training.saving.keras_two._values import plain_value

Config = dict[str, Any]

_LEGACY: Final = ("Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "RMSprop", "SGD")
# HDF5 files do not say where a class is: what holds it does.
_NAMESPACES: Final = {
    "layer": "keras.layers",
    "optimizer": "keras.optimizers",
    "inner_optimizer": "keras.optimizers",
    "learning_rate": "keras.optimizers.schedules",
    "loss": "keras.losses",
    "metrics": "keras.metrics",
    "weighted_metrics": "keras.metrics",
    "initializer": "keras.initializers",
    "regularizer": "keras.regularizers",
    "constraint": "keras.constraints",
}
_ENDINGS: Final = ("initializer", "regularizer", "constraint")
_POLICIES: Final = ("Policy", "PolicyV1", "DTypePolicy")


def converted_file(value: Any, own_classes: Collection[str], path: str) -> Any:
    """The same as `converted`, of a file. Raises DataLossError for what is no configuration."""
    try:
        return converted(value, own_classes)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        if isinstance(error, UnimplementedError):
            raise
        raise DataLossError(f"{path!r} is damaged: it describes no model: {type(error).__name__}: {error}") from error


def converted(value: Any, own_classes: Collection[str], key: str = "layer") -> Any:
    """Returns a configuration with all that is in it as Keras 3 has it.

    own_classes: the names of the program's own classes, which are as they are; what is in them is converted. key: what the
    configuration is of.

    Raises UnimplementedError for what Keras 3 has not.
    """
    if isinstance(value, list):
        return [converted(each, own_classes, key) for each in value]
    if not isinstance(value, dict):
        return value
    if not isinstance(value.get("class_name"), str) or "config" not in value:
        return plain_value(value) or {
            name: converted(each, own_classes, _key(name, key)) for name, each in value.items()
        }
    return _object(value, own_classes, key)


def _key(name: str, outer: str) -> str:
    """Returns what a value of this name is of: what Keras has no namespace for is in that of its holder."""
    return name if name in _NAMESPACES else next((end for end in _ENDINGS if name.endswith(end)), outer)


def _object(value: Config, own_classes: Collection[str], key: str) -> Any:
    name = value["class_name"].removeprefix("Custom>")
    if name in _POLICIES and isinstance(value["config"], dict):
        return value["config"].get("name", "float32")
    if is_function_layer(name):
        return function_layer(value)
    config = value["config"]
    if isinstance(config, dict):
        config = {each: converted(inner, own_classes, _key(each, key)) for each, inner in config.items()}
        if "input_layers" in config and "layers" in config:
            config = with_calls(config)
    if name in own_classes or not _is_kerases(value):
        known_as = value.get("registered_name") or value["class_name"]
        return {
            **value,
            "module": value.get("module"),
            "class_name": name,
            "registered_name": known_as,
            "config": config,
        }
    return _of_keras(value, name, config, key)


def _of_keras(value: Config, name: str, config: Any, key: str) -> Config:
    """An object of Keras' own. Layers are built by their calls: what Keras 2 says of that is in other words."""
    result = {each: inner for each, inner in value.items() if each != "build_config" or name == "Sequential"}
    if not isinstance(config, dict):
        return result
    if name in _LEGACY and key in ("optimizer", "inner_optimizer") and _is_legacy(config):
        own = {each: inner for each, inner in config.items() if each != "is_legacy_optimizer"}
        registered = f"stratagem>Legacy{name}"
        return {**result, "module": None, "class_name": f"Legacy{name}", "registered_name": registered, "config": own}
    rule = RULES.get(name, ClassRule())
    module = rule.module or value.get("module") or _NAMESPACES[key]
    known_as = f"{module}>{name}" if module == "stratagem" else None
    name = rule.name or name
    return {
        **result,
        "module": module,
        "class_name": name,
        "registered_name": known_as,
        "config": rule.apply(name, config),
    }


def _is_legacy(config: Config) -> bool:
    """Returns whether an optimizer is one of `keras.optimizers.legacy`, which all were before Keras 2.11."""
    return "decay" in config or bool(config.get("is_legacy_optimizer"))


def _is_kerases(value: Config) -> bool:
    """Returns whether a class is one of Keras' own; in HDF5 files, which say no module, the program's own are told by name."""
    module = value.get("module", "keras")
    return (
        isinstance(module, str)
        and module.split(".")[0] == "keras"
        and ">" not in value["class_name"].removeprefix("Custom>")
    )
