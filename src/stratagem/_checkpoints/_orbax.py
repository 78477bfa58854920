"""Arrays on disk in Orbax's format, with a writer that works the same in every process and a reader that trusts no file.

The reader asks TensorStore for the arrays that the manifest names, with the layout that the writer gives them.
Statements in the files themselves about shapes, codecs and other files are compared with these and never followed.
"""

import asyncio
import contextlib
import logging
import os
import re
from collections.abc import Iterator, Mapping, Sequence
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

from stratagem._checkpoints._manifest import ArrayFact


def _is_relevant(record: logging.LogRecord) -> bool:
    """Filters out Orbax's info messages: a dozen lines per save, which programs with absl's `app.run` would print."""
    return record.levelno >= logging.WARNING or "orbax" not in Path(record.pathname).parts


logging.getLogger("absl").addFilter(_is_relevant)


def write_arrays(directory: Path, arrays: dict[str, np.ndarray]) -> None:
    """Writes the arrays into an existing, empty directory. They are then in files, but not yet synced to disk.

    Raises OSError when a file cannot be written.
    """
    with _orbax() as orbax, _system_errors():
        orbax.save(directory.absolute(), args=args.PyTreeSave(arrays))


def read_arrays(directory: Path, facts: Mapping[str, ArrayFact]) -> dict[str, np.ndarray]:
    """Reads the named arrays from the directory. Raises ValueError when one is missing or has another layout."""
    context = tensorstore.Context()
    specs = [_spec(str(directory.absolute()), key, fact.shape, fact.dtype) for key, fact in facts.items()]
    opening = [tensorstore.open(spec, open=True, read=True, context=context) for spec in specs]
    reading = [store.result().read() for store in opening]
    return {key: np.asarray(values.result()) for key, values in zip(facts, reading, strict=True)}


@contextlib.contextmanager
def _system_errors() -> Iterator[None]:
    """Converts the ValueError that TensorStore raises for, say, a full disk into the OSError that it is."""
    try:
        yield
    except ValueError as error:
        code = re.search(r"os_error_code='(\d+)'", str(error))
        if code is None:
            raise
        number = int(code.group(1))
        raise OSError(number, os.strerror(number), str(error).partition(" [")[0]) from error


@contextlib.contextmanager
def _orbax() -> Iterator[PyTreeCheckpointHandler]:
    """An Orbax handler without barriers: each process works alone, since processes save at different times and places."""
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
    """A handler of NumPy arrays, which are written by the process that has them.

    Orbax's own handler writes NumPy arrays in process 0 only and silently skips the others, whose checkpoints are then
    empty. This one also writes a single file instead of one per process that is merged later.
    """

    def __init__(self) -> None:
        self._reader = NumpyHandler()

    def typestr(self) -> str:
        """Orbax's name for the type."""
        return str(self._reader.typestr())

    async def metadata(self, infos: Sequence[ParamInfo]) -> Any:
        """The shapes and dtypes."""
        return await self._reader.metadata(infos)

    async def serialize(
        self, values: Sequence[np.ndarray], infos: Sequence[ParamInfo], args: Sequence[SaveArgs] | None = None
    ) -> Sequence[Any]:
        """Writes the arrays and waits until all are written: nothing is left to a background thread."""
        context = tensorstore.Context()
        async with tensorstore.Transaction() as transaction:
            specs = [
                _spec(str(info.parent_dir), info.name, value.shape, str(value.dtype))
                for value, info in zip(values, infos, strict=True)
            ]
            opening = [tensorstore.open(s, create=True, context=context, transaction=transaction) for s in specs]
            stores = await asyncio.gather(*opening)
            await asyncio.gather(*[store.write(value) for store, value in zip(stores, values, strict=True)])
        return []

    async def deserialize(self, infos: Sequence[ParamInfo], args: Sequence[RestoreArgs] | None = None) -> Any:
        """Reads the arrays."""
        return await self._reader.deserialize(infos, args)


def _spec(directory: str, name: str, shape: Sequence[int], dtype: str) -> dict[str, Any]:
    base = {"driver": "file", "path": os.path.join(directory, "")}
    chunks = [max(n, 1) for n in shape]
    return {
        "driver": "zarr",
        "kvstore": {"driver": "ocdbt", "base": base, "path": f"{name}/"},
        "metadata": {"compressor": {"id": "zstd", "level": 1}, "shape": list(shape), "chunks": chunks},
        "dtype": dtype,
    }
