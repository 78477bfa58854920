"""Arrays on disk: Orbax's format and reader, with a writer that works alike in every process of a job."""

import asyncio
import contextlib
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, final

import jax
import numpy as np
import tensorstore
from orbax.checkpoint import PyTreeCheckpointHandler, args
from orbax.checkpoint.options import MultiprocessingOptions
from orbax.checkpoint.type_handlers import (
    ArrayHandler,
    NumpyHandler,
    ParamInfo,
    RestoreArgs,
    SaveArgs,
    TypeHandler,
    create_type_handler_registry,
)


def write_arrays(directory: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write the arrays into an existing, empty directory. They are in files afterwards, but not yet synced to disk."""
    with _orbax() as orbax:
        orbax.save(directory.absolute(), args=args.PyTreeSave(arrays))


def read_arrays(directory: Path) -> dict[str, np.ndarray]:
    """All arrays in the directory."""
    with _orbax() as orbax:
        arrays: dict[str, np.ndarray] = orbax.restore(directory.absolute())
    return arrays


@contextlib.contextmanager
def _orbax() -> Iterator[PyTreeCheckpointHandler]:
    """Orbax, told that each process works alone: no barriers, since processes save at different times and places."""
    me = jax.process_index()
    handler = PyTreeCheckpointHandler(
        multiprocessing_options=MultiprocessingOptions(primary_host=me, active_processes={me}),
        type_handler_registry=create_type_handler_registry(
            (np.ndarray, _LocalArrays()),
            (jax.Array, ArrayHandler(array_metadata_store=None)),  # never used; without it Orbax warns
        ),
    )
    try:
        yield handler
    finally:
        handler.close()


@final
class _LocalArrays(TypeHandler):  # type: ignore[misc]
    """NumPy arrays, written by the process that has them.

    Orbax's own handler writes NumPy arrays in process 0 only and says nothing in the others, whose checkpoints are then
    empty. This one also puts everything into one file instead of one per process that is merged later.
    """

    def __init__(self) -> None:
        self._reader = NumpyHandler()

    def typestr(self) -> str:
        """Orbax's name for the type."""
        return str(self._reader.typestr())

    async def metadata(self, infos: Sequence[ParamInfo]) -> Any:
        """Shapes and dtypes."""
        return await self._reader.metadata(infos)

    async def serialize(
        self, values: Sequence[np.ndarray], infos: Sequence[ParamInfo], args: Sequence[SaveArgs] | None = None
    ) -> Sequence[Any]:
        """Write, and wait until all is written: nothing is left to a background thread."""
        context = tensorstore.Context()
        async with tensorstore.Transaction() as transaction:
            specs = [_spec(value, info) for value, info in zip(values, infos, strict=True)]
            opening = [tensorstore.open(s, create=True, context=context, transaction=transaction) for s in specs]
            stores = await asyncio.gather(*opening)
            await asyncio.gather(*[store.write(value) for store, value in zip(stores, values, strict=True)])
        return []

    async def deserialize(self, infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None = None) -> Any:
        """Read."""
        return await self._reader.deserialize(infos, args)


def _spec(value: np.ndarray, info: ParamInfo) -> dict[str, Any]:
    base = {"driver": "file", "path": os.path.join(str(info.parent_dir), "")}
    chunks = [max(n, 1) for n in value.shape]
    return {
        "driver": "zarr",
        "kvstore": {"driver": "ocdbt", "base": base, "path": f"{info.name}/"},
        "metadata": {"compressor": {"id": "zstd", "level": 1}, "shape": value.shape, "chunks": chunks},
        "dtype": str(value.dtype),
    }
