# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.
# mypy: disable-error-code="misc, override"

from typing import Any

from stratagem.keras import Model as Model
from stratagem.keras import Sequential as Sequential

__all__ = [
    "Model", "Sequential", "clone_model", "load_model", "model_from_json", "save_model"
]  # fmt: skip

def clone_model(
    model: Any,
    input_tensors: Any = None,
    clone_function: Any = None,
    call_function: Any = None,
    recursive: Any = False,
    **kwargs: Any,
) -> Any: ...
def load_model(
    filepath: Any, custom_objects: Any = None, compile: Any = True, safe_mode: Any = True, *, options: Any = None
) -> Any: ...
def model_from_json(json_string: Any, custom_objects: Any = None) -> Any: ...
def save_model(model: Any, filepath: Any, overwrite: Any = True, zipped: Any = None, **kwargs: Any) -> Any: ...
