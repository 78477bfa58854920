"""Recognizes the library of a data source, and makes a Dataset of it."""

import inspect
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import jax
import numpy as np

from stratagem._data import _plan as plan
from stratagem._data._dataset import Dataset
from stratagem._data.foreign import _hugging_face as hugging_face
from stratagem._data.foreign import _torch as torch
from stratagem._data.foreign._elements import ElementConventions
from stratagem._data.foreign._grain import GRAIN_TYPES, GrainSource
from stratagem._data.foreign._hugging_face import TableColumns
from stratagem._data.foreign._items import BatchSequence, ItemColumns
from stratagem._data.foreign._python_iterables import IterableSource, OneShot
from stratagem._data.foreign._stage import ForeignStage, Source
from stratagem._data.foreign._stateful import SavesPosition, Stateful
from stratagem._data.foreign._torch_tensors import from_torch, is_torch_tensor
from stratagem._data.stages._columns import Columns
from stratagem._data.stages._stage import Stage


def as_dataset(source: Any, batch_size: int | None = None) -> Dataset:
    """A Dataset over another library's dataset, or `source` itself if it is a Dataset.

    Accepts NumPy, JAX and torch arrays and tuples and dicts of them, Grain's and Hugging Face's datasets, torch's
    DataLoader, Dataset and IterableDataset, objects with `__len__` and `__getitem__`, Python iterables, iterators, and
    functions that return an iterable.

    Args:
        batch_size: None: every element of the source is a global batch. A number: every element is one example, and
            this many make a global batch; the last one may be smaller. The elements of an array are its rows.

    Raises:
        TypeError: the source cannot be iterated.
        ValueError: an invalid batch size, or elements that are examples instead of batches, or the other way round.
    """
    if batch_size is not None and (isinstance(batch_size, bool) or int(batch_size) < 1):
        raise ValueError(f"batch_size must be a positive number of examples or None, got {batch_size!r}.")
    if isinstance(source, Dataset):
        return source if batch_size is None else source.batch(batch_size)
    if hugging_face.is_splits(source):
        raise ValueError(f"A dictionary of datasets cannot be distributed. Pass one split of {sorted(source)}.")
    if _is_array(source) or isinstance(source, tuple | Mapping):
        return _from_arrays(source, batch_size)
    return Dataset(_stage(source, batch_size))


def _is_array(value: Any) -> bool:
    return isinstance(value, np.ndarray | jax.Array) or is_torch_tensor(value)


def _from_arrays(arrays: Any, batch_size: int | None) -> Dataset:
    nest = _as_nest(arrays)
    if batch_size is not None:
        return Dataset.from_tensor_slices(nest).batch(batch_size)
    dataset = Dataset.from_tensor_slices(nest)
    for path, spec in jax.tree_util.tree_leaves_with_path(dataset.element_spec):
        if spec.shape.rank == 0:
            raise ValueError(
                f"The array {jax.tree_util.keystr(path)} has one dimension, so its rows are examples; without batch_size "
                "every row is taken for a global batch. Pass batch_size=… to distribute batches of rows."
            )
    return dataset


def _as_nest(value: Any, path: str = "") -> Any:
    """The nest with plain dicts, and with torch's tensors as NumPy arrays."""
    if value is None:
        raise TypeError(f"There is None at {path} in the nest of arrays. Leave it out.")
    if isinstance(value, Mapping):
        return {key: _as_nest(member, f"{path}[{key!r}]") for key, member in value.items()}
    if isinstance(value, tuple):
        members = [_as_nest(member, f"{path}[{i}]") for i, member in enumerate(value)]
        return type(value)(*members) if hasattr(value, "_fields") else tuple(members)
    return from_torch(value) if is_torch_tensor(value) else value


def _stage(source: Any, batch_size: int | None) -> Stage:
    if isinstance(source, str | bytes | type):
        raise _no_source(source)
    if hasattr(source, "keys"):
        raise TypeError(
            f"{type(source).__name__} cannot be distributed: it has columns by name and no items by number. "
            "Pass dict(…) of it, with an array a column, and batch_size=…."
        )
    if hugging_face.is_table(source):
        return _table(source, batch_size)
    if hugging_face.is_streamed(source):
        # The library makes the batches itself, so that an element is always a batch.
        conventions = ElementConventions("the Hugging Face IterableDataset", batches=True, lists_are_rows=True)
        return ForeignStage(hugging_face.Streamed(source, conventions, batch_size))
    if torch.is_map_style(source) and not hasattr(source, "__len__"):
        raise TypeError(
            f"{type(source).__name__} is a torch Dataset without __len__; it must tell how many items it has."
        )
    if _is_indexed(source):
        # The items of a batch are copied when they are stacked.
        conventions = ElementConventions(
            f"the {type(source).__name__}", batches=batch_size is None, fresh=batch_size is not None
        )
        if batch_size is None:
            return ForeignStage(BatchSequence(source, conventions))
        return _rows(ItemColumns(source, conventions), batch_size)
    stage = ForeignStage(_source(source, batches=batch_size is None))
    return stage if batch_size is None else plan.batch(stage, batch_size, drop_remainder=False)


def _source(source: Any, *, batches: bool) -> Source:
    name = type(source).__name__
    conventions = ElementConventions(f"the {name}", batches)
    if isinstance(source, GRAIN_TYPES):
        return GrainSource(source, ElementConventions(f"the Grain {name}", batches))
    if torch.is_loader(source):
        return _loader(source, batches=batches)
    if isinstance(source, Iterable) and isinstance(source, SavesPosition):
        return Stateful(source, conventions)
    if torch.is_iterable(source):
        return torch.TorchIterable(source, conventions)
    if isinstance(source, Iterator):
        return OneShot(source, conventions)
    if isinstance(source, Iterable):
        return IterableSource(source.__iter__, conventions)
    if callable(source) and _needs_no_argument(source):
        return IterableSource(source, ElementConventions(f"the function {getattr(source, '__name__', name)}", batches))
    raise _no_source(source)


def _needs_no_argument(function: Any) -> bool:
    try:
        inspect.signature(function).bind()
    except TypeError:
        return False
    except ValueError:  # written in C: its arguments are unknown
        return True
    return True


def _is_indexed(source: Any) -> bool:
    """Returns whether items are accessed by index: lists and similar objects, unless they save their own iteration."""
    if isinstance(source, GRAIN_TYPES) or torch.is_iterable(source):
        return False
    if isinstance(source, Iterable) and isinstance(source, SavesPosition):
        return False
    return hasattr(source, "__getitem__") and hasattr(source, "__len__")


def _rows(columns: Columns, batch_size: int) -> Stage:
    return plan.batch(plan.rows(columns), batch_size, drop_remainder=False)


def _table(source: Any, batch_size: int | None) -> Stage:
    what, table = "the Hugging Face Dataset", hugging_face.with_arrays(source)
    conventions = ElementConventions(what, batches=True, lists_are_rows=True, fresh=hugging_face.is_fresh(table))
    return (
        ForeignStage(BatchSequence(table, conventions))
        if batch_size is None
        else _rows(TableColumns(table, conventions), batch_size)
    )


def _loader(loader: Any, *, batches: bool) -> Source:
    name = type(loader).__name__
    if not batches and loader.batch_sampler is not None:
        raise ValueError(
            f"This torch {name} gives batches already. Leave batch_size out, so that each is taken for a global batch, "
            "or let it give examples with DataLoader(…, batch_size=None)."
        )
    torch.warn_of_fork(loader)
    conventions = ElementConventions(
        f"the torch {name}", batches, texts_are_rows=batches, fresh=torch.gives_fresh_tensors(loader)
    )
    source = Stateful if isinstance(loader, SavesPosition) else torch.TorchIterable
    return source(loader, conventions, cardinality=torch.loader_cardinality(loader), batch_size=loader.batch_size)


def _no_source(source: Any) -> TypeError:
    return TypeError(
        f"{type(source).__name__} cannot be distributed: {source!r:.100}. Pass a tf.data.Dataset, NumPy arrays, a dataset "
        "of Grain, Hugging Face or torch, a torch DataLoader, an iterable, or a function without arguments that returns one."
    )
