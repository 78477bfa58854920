"""`tf` as far as this folder provides it, put together from the namespaces, for the tests here."""

import importlib
from typing import Any

import stratagem._ops as ops
from stratagem._ops import flow, nn

NAMESPACES = "nn math signal random linalg dtypes debugging strings nest errors bitwise io image quantization".split()  # noqa: SIM905


class Facade:
    """Names of `tf` itself first from the namespaces, then from the folder's flat names."""

    bool = ops.boolean

    def __getattr__(self, name: str) -> Any:
        if name in NAMESPACES:
            return importlib.import_module(f"stratagem.{name}")
        return getattr(next((room for room in (flow, nn) if name in vars(room)), ops), name)


tf = Facade()
