"""Whatever `fit` accepts as data, as batches of a strategy, epoch after epoch."""

import functools
import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, final

import jax
import keras
import numpy as np

from stratagem._private import data_adapter
from stratagem.pipeline import INFINITE_CARDINALITY, Dataset, DistributedInput, as_dataset, place
from stratagem.strategy import AbstractStrategy

_BATCH = 32  # Keras' default


@final
@dataclass(frozen=True, eq=False)
class DatasetCreator:
    """A function that makes the data set, for `fit`: `tf.keras.utils.experimental.DatasetCreator`.

    dataset_fn(input_context) returns a `tf.data.Dataset` of per-replica batches; a worker calls it once.
    """

    dataset_fn: Callable[[Any], Dataset]
    input_options: Any = None

    def __post_init__(self) -> None:
        if not callable(self.dataset_fn):
            raise TypeError(
                f"dataset_fn of a DatasetCreator must be a function of an InputContext, got {self.dataset_fn!r}."
            )

    def __call__(self, *args: Any, **kwargs: Any) -> Dataset:
        return self.dataset_fn(*args, **kwargs)


@dataclass(frozen=True, kw_only=True)
class Data:
    """Arguments of `fit`, `evaluate` or `predict` that say what to read.

    steps: the batches of an epoch; None: until the data ends.
    """

    x: Any
    y: Any = None
    sample_weight: Any = None
    class_weight: Mapping[int, float] | None = None
    batch_size: int | None = None
    steps: int | None = None
    shuffle: Any = False


@final
@dataclass(eq=False)
class Feed:
    """Batches for the replicas.

    source: iterated anew for every epoch; with `continues`, one iterator goes on over all epochs.
    batches: how many one iteration has, where that is known.
    steps: how many an epoch has, where that is known.
    """

    source: Any
    batches: int | None
    steps: int | None
    continues: bool = False
    began: Callable[[], None] = lambda: None
    ended: Callable[[], None] = lambda: None
    iterator: Any = field(default=None, init=False)
    _used: bool = field(default=True, init=False)

    def epoch(self) -> Any:
        """The iterator of the epoch that begins now."""
        if self._used and not (self.continues and self.iterator is not None):
            self.began()
            self.iterator = iter(self.source)
        self._used = True
        return self.iterator

    def begin(self) -> Any:
        """The iterator of the epoch that begins next, from here on."""
        iterator, self._used = self.epoch(), False
        return iterator

    def peek(self) -> Any:
        """The first batch of the epoch that begins next, which stays the first. Raises ValueError if there is none."""
        try:
            return self.begin().peek()
        except StopIteration:
            raise ValueError("The data has no batches: nothing to run on.") from None

    def restore(self, state: Any, *, within: bool) -> None:
        """Go on where another process's iterator was, `within` an epoch or at its end, in the epoch that begins next."""
        self.epoch().set_state(state)
        self._used = not within and not self.continues


def open_feed(data: Data, strategy: AbstractStrategy, *, continues: bool) -> Feed:
    """The feed of some data under a strategy.

    continues: an epoch of fewer steps than the data has goes on where the one before ended; else each starts at the beginning.

    Raises:
        ValueError: arguments that contradict each other, arrays of different lengths, or a batch size that is none.
        TypeError: data of a kind that cannot be read.
    """
    feed = _opened(data, strategy)
    # As in TF: an epoch of as many steps as the data has batches is a pass of its own. An iterator has no second pass.
    goes_on = continues and data.steps is not None and data.steps != feed.batches
    feed.continues = goes_on or isinstance(data.x, Iterator)
    return feed


def _opened(data: Data, strategy: AbstractStrategy) -> Feed:
    _check_numbers(data)
    if isinstance(data.x, DistributedInput):
        _refuse_beside(data, "a distributed data set", "y", "sample_weight", "class_weight", "batch_size")
        return _feed(data.x, int(data.x.cardinality), data.steps)
    if isinstance(data.x, DatasetCreator):
        _refuse_beside(data, "a DatasetCreator", "y", "sample_weight", "class_weight", "batch_size")
        if data.steps is None:
            raise ValueError(
                "With a DatasetCreator as `x`, give `steps_per_epoch` (`steps`): its data has no known end."
            )
        made = strategy.distribute_datasets_from_function(data.x.dataset_fn, data.x.input_options)
        return _feed(made, -1, data.steps)
    if isinstance(data.x, Dataset):
        _refuse_beside(data, "a Dataset", "y", "sample_weight", "batch_size")
        dataset = data.x if data.class_weight is None else data.x.map(weighing(data.class_weight))
        return _distributed(dataset, data, strategy)
    if _is_arrays(data.x):
        return _distributed(_of_arrays(data, strategy), data, strategy)
    return _foreign(data, strategy)


def _distributed(dataset: Dataset, data: Data, strategy: AbstractStrategy) -> Feed:
    if data.steps is None and int(dataset.cardinality()) == INFINITE_CARDINALITY:
        raise ValueError(
            "The data set repeats without end: say how many batches an epoch has (`steps_per_epoch`, `steps`)."
        )
    source = strategy.experimental_distribute_dataset(dataset)
    return _feed(source, int(dataset.cardinality()), data.steps)


def _feed(source: Any, cardinality: int, steps: int | None) -> Feed:
    batches = cardinality if cardinality >= 0 else None
    return Feed(source, batches, batches if steps is None else steps)


def _check_numbers(data: Data) -> None:
    for name in ("batch_size", "steps"):
        value = getattr(data, name)
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1):
            raise ValueError(f"{name} must be a positive whole number or None, got {value!r}.")


def _refuse_beside(data: Data, kind: str, *names: str) -> None:
    for name in names:
        if getattr(data, name) is not None:
            raise ValueError(f"With {kind} as `x`, `{name}` must not be given: its elements have everything.")


# --- Arrays ------------------------------------------------------------------------------------------------------------


def _is_array(value: Any) -> bool:
    return (hasattr(value, "shape") and hasattr(value, "dtype") and len(value.shape) > 0) or hasattr(value, "iloc")


def _leaves(nest: Any) -> list[Any]:
    """The arrays, or whatever else is in place of them, of a nest."""
    if isinstance(nest, Mapping | list | tuple) and not _is_array(nest):
        members = nest.values() if isinstance(nest, Mapping) else nest
        return [leaf for member in members for leaf in _leaves(member)]
    return [nest]


def _is_arrays(nest: Any) -> bool:
    leaves = _leaves(nest)
    if isinstance(nest, list) and leaves and all(isinstance(v, int | float) for v in leaves):
        return True
    return bool(leaves) and all(map(_is_array, leaves))


def _as_arrays(nest: Any) -> Any:
    """The nest with NumPy arrays; a list is a structure unless it holds numbers, as in TensorFlow."""
    if _is_array(nest):
        return _as_array(nest)
    if isinstance(nest, Mapping):
        return {key: _as_arrays(value) for key, value in nest.items()}
    if isinstance(nest, list) and not any(map(_is_array, _leaves(nest))):
        return _as_array(np.asarray(nest))
    if not isinstance(nest, list | tuple):
        raise TypeError(f"Arrays, or lists, tuples and dicts of them, are needed beside arrays; got {nest!r:.100}.")
    return tuple(map(_as_arrays, nest))


def _as_array(value: Any) -> np.ndarray:
    if hasattr(value, "iloc"):  # pandas
        value = value.to_numpy()
        value = value[:, None] if value.ndim == 1 else value
    elif hasattr(value, "detach"):  # torch
        value = value.detach().cpu()
    array = np.asarray(value)
    return array.astype(keras.config.floatx()) if np.issubdtype(array.dtype, np.floating) else array


def _checked_arrays(data: Data) -> tuple[Any, ...]:
    """(x[, y[, sample_weight]]) as nests of NumPy arrays of one length, class weights counted in."""
    sample_weight = data.sample_weight
    if data.class_weight is not None:
        if sample_weight is not None:
            raise ValueError("Give `class_weight` or `sample_weight`, not both.")
        y = None if data.y is None else _as_arrays(data.y)
        if not isinstance(y, np.ndarray):
            raise ValueError(f"`class_weight` needs one array of targets `y`, got {type(data.y).__name__}.")
        sample_weight = _class_weights(y, data.class_weight)
    given = {"x": data.x, "y": data.y, "sample_weight": sample_weight}
    arrays = {name: _as_arrays(value) for name, value in given.items() if value is not None}
    for name, value in arrays.items():
        for array in jax.tree.leaves(value):
            if array.dtype.kind in "OSU":
                raise TypeError(f"{name} has dtype {array.dtype}, which no device holds. Make numbers of it first.")
    sizes = {name: sorted({len(v) for v in jax.tree.leaves(value)}) for name, value in arrays.items()}
    if len(set(itertools.chain.from_iterable(sizes.values()))) > 1:
        told = ", ".join(f"{name}: {', '.join(map(str, size))}" for name, size in sizes.items())
        raise ValueError(
            f"Data cardinality is ambiguous: all arrays must have the same number of examples, got {told}."
        )
    if "sample_weight" in arrays and "y" not in arrays:
        raise ValueError("`sample_weight` without `y` weighs nothing: give the targets, too.")
    if sizes["x"] == [0]:
        raise ValueError("The arrays have no examples.")
    return tuple(arrays.values())


def _of_arrays(data: Data, strategy: AbstractStrategy) -> Dataset:
    arrays = _checked_arrays(data)
    dataset = Dataset.from_tensor_slices(arrays)
    if data.shuffle == "batch":
        raise ValueError('shuffle="batch" is for HDF5 files, which no data set here reads. Use shuffle=True or False.')
    if data.shuffle:
        # Drawn where Keras draws its order, so that `set_random_seed` makes it repeatable; one order for all workers.
        seed = strategy.mesh.job.agree("the order of the examples", int(np.random.randint(2**31)))[0]
        dataset = dataset.shuffle(len(jax.tree.leaves(arrays)[0]), seed=seed)
    dataset = dataset.batch(data.batch_size or _BATCH)
    # As in Keras 3, `steps_per_epoch` beside arrays may take more batches than there are: they start again.
    return dataset if data.steps is None else dataset.repeat()


def _class_weights(y: Any, weights: Mapping[int, float]) -> np.ndarray:
    return np.asarray(keras.ops.convert_to_numpy(_weight_of(y, weights)))


def _weight_of(y: Any, weights: Mapping[int, float]) -> Any:
    """The weight of every example's class; 1 where the class has none. One-hot targets count by their largest entry."""
    classes = y
    if len(y.shape) > 1:
        classes = keras.ops.squeeze(y, -1) if y.shape[-1] == 1 else keras.ops.argmax(y, axis=-1)
    classes = keras.ops.cast(keras.ops.round(classes), "int32")
    found = keras.ops.ones(classes.shape, keras.config.floatx())
    for label, weight in weights.items():
        found = keras.ops.where(classes == int(label), keras.ops.cast(weight, found.dtype), found)
    return found


def weighing(weights: Mapping[int, float]) -> Callable[..., Any]:
    """For `Dataset.map`: a pair (x, y) with the weights of the examples' classes."""

    def weigh(*element: Any) -> Any:
        if len(element) != 2:
            raise ValueError(
                f"`class_weight` needs a data set of pairs (x, y), got elements of {len(element)} part(s)."
            )
        return (*element, _weight_of(element[1], weights))

    return weigh


def placed_batch(data: Data, strategy: AbstractStrategy) -> Any:
    """One batch of arrays, (x[, y[, sample_weight]]), cut among the replicas and on their devices."""
    arrays = _checked_arrays(data)
    mesh, rows = strategy.mesh, len(jax.tree.leaves(arrays)[0])
    share = -(-rows // mesh.num_replicas)
    cuts = [slice(min(i * share, rows), min((i + 1) * share, rows)) for i in range(mesh.num_replicas)]

    def cut(array: np.ndarray) -> Any:
        shapes = [(c.stop - c.start, *array.shape[1:]) for c in cuts]
        return place([array[cuts[i]] for i in mesh.local_ids], mesh, shapes)

    return jax.tree.map(cut, arrays)


# --- Other sources -----------------------------------------------------------------------------------------------------


def _foreign(data: Data, strategy: AbstractStrategy) -> Feed:
    """A `keras.utils.PyDataset`, a generator, or a data set of another library."""
    kind = f"a {type(data.x).__name__}"
    _refuse_beside(data, kind, "y", "sample_weight")
    if not isinstance(data.x, keras.utils.PyDataset):
        dataset = as_dataset(data.x, data.batch_size)
        dataset = dataset if data.class_weight is None else dataset.map(weighing(data.class_weight))
        return _distributed(dataset, data, strategy)
    _refuse_beside(data, kind, "batch_size")
    adapter = data_adapter(data.x, class_weight=data.class_weight, shuffle=bool(data.shuffle))
    dataset = as_dataset(functools.partial(_elements, adapter))
    source = strategy.experimental_distribute_dataset(dataset)
    batches = adapter.num_batches
    feed = _feed(source, -1 if batches is None else batches, data.steps)
    feed.began, feed.ended = adapter.on_epoch_begin, adapter.on_epoch_end
    return feed


def _elements(adapter: Any) -> Iterator[Any]:
    for batch in adapter.get_numpy_iterator():
        yield tuple(v for v in batch if v is not None) if isinstance(batch, list | tuple) else batch
