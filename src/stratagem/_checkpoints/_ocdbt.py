"""Reads the arrays of checkpoints that versions before 0.12 have written: in TensorStore's OCDBT format, as Orbax does.

TensorStore is asked for the arrays that the manifest names, with the layout that the writer gave them. Statements in the files
themselves about shapes, codecs and other files are compared with these and never followed.
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tensorstore

from stratagem._checkpoints._manifest import ArrayFact


def read_arrays(directory: Path, facts: Mapping[str, ArrayFact]) -> dict[str, np.ndarray]:
    """Reads the named arrays from the directory. Raises ValueError when one is missing or has another layout."""
    context = tensorstore.Context()
    specs = [_spec(str(directory.absolute()), key, fact.shape, fact.dtype) for key, fact in facts.items()]
    opening = [tensorstore.open(spec, open=True, read=True, context=context) for spec in specs]
    reading = [store.result().read() for store in opening]
    return {key: np.asarray(values.result()) for key, values in zip(facts, reading, strict=True)}


def _spec(directory: str, name: str, shape: Sequence[int], dtype: str) -> dict[str, Any]:
    base = {"driver": "file", "path": os.path.join(directory, "")}
    chunks = [max(n, 1) for n in shape]
    return {
        "driver": "zarr",
        "kvstore": {"driver": "ocdbt", "base": base, "path": f"{name}/"},
        "metadata": {"compressor": {"id": "zstd", "level": 1}, "shape": list(shape), "chunks": chunks},
        "dtype": dtype,
    }
