"""The names of a program's own classes in files of models."""

from collections.abc import Mapping
from typing import Any

from keras.src.saving import object_registration


def own_class_names(custom_objects: Mapping[str, Any] | None) -> set[str]:
    """The names of classes and functions that a program has given or registered, without `Custom>`, which Keras adds."""
    known = {**(custom_objects or {}), **object_registration.get_custom_objects()}
    return {name.removeprefix("Custom>") for name in known}
