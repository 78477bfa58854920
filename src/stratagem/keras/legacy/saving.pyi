# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

__all__ = [
    "deserialize_keras_object", "serialize_keras_object"
]  # fmt: skip

def deserialize_keras_object(
    identifier: Any, module_objects: Any = None, custom_objects: Any = None, printable_module_name: Any = "object"
) -> Any: ...
def serialize_keras_object(instance: Any) -> Any: ...
