"""Dataset: tf.data's names over plans that are only walked when somebody iterates."""

import builtins
from collections.abc import Callable
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._context import current
from stratagem._errors import InvalidArgumentError, UnimplementedError
from stratagem.pipeline import _plan as plan
from stratagem.pipeline._cardinality import INFINITE, UNKNOWN
from stratagem.pipeline._columns import ArrayColumns, RangeColumns
from stratagem.pipeline._generator import GeneratorStage, signature_of
from stratagem.pipeline._iterator import DatasetIterator, NumpyIterator
from stratagem.pipeline._map import FilterStep, MapStage
from stratagem.pipeline._nest import Nest, convert, to_jax
from stratagem.pipeline._options import AUTOTUNE, Options
from stratagem.pipeline._seeds import EpochSeeds
from stratagem.pipeline._stage import Stage
from stratagem.pipeline._steps import ConcatenateStep
from stratagem.pipeline._transforms import UnbatchStage
from stratagem.pipeline._user_code import Predicate, UserFunction

_AUTOTUNE_DEPTH = 2
_WHOLE = 1 << 62


@final
class Dataset:
    """A sequence of elements: nests of tensors. Immutable; every method returns a new one.

    Make one with `from_tensor_slices`, `from_tensors`, `from_generator`, `range` or `zip`.
    """

    def __init__(self, stage: Stage, options: Options | None = None) -> None:
        if not isinstance(stage, Stage):
            raise TypeError("A Dataset is made with Dataset.from_tensor_slices, from_tensors, from_generator or range.")
        self._stage = stage
        self._options = options or Options()

    @property
    def stage(self) -> Stage:
        """The plan."""
        return self._stage

    # Sources.

    @staticmethod
    def from_tensor_slices(tensors: Nest, name: str | None = None) -> "Dataset":
        """One element for every row of the tensors, which have equally many."""
        return Dataset(plan.rows(ArrayColumns(tensors)))

    @staticmethod
    def from_tensors(tensors: Nest, name: str | None = None) -> "Dataset":
        """A single element."""
        return Dataset(plan.rows(ArrayColumns(plan.expanded(convert(tensors)))))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Nest = None,
        output_shapes: Nest = None,
        args: tuple[Any, ...] | None = None,
        output_signature: Nest = None,
        name: str | None = None,
    ) -> "Dataset":
        """What `generator(*args)` yields, called anew at every iteration."""
        if not callable(generator):
            raise TypeError(
                "`generator` must be a Python callable that returns an iterable, e.g. a generator function."
            )
        if output_signature is None and output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` argument "
                "or the `output_types` argument."
            )
        signature = signature_of(output_types, output_shapes) if output_signature is None else output_signature
        arguments = () if args is None else convert(tuple(args))
        return Dataset(GeneratorStage(lambda: generator(*arguments), signature))

    @staticmethod
    def range(*args: Any, output_type: Any = np.int64, name: str | None = None) -> "Dataset":
        """`range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as int64."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range takes (stop), (start, stop) or (start, stop, step), got {args}.")
        bounds = [int(a) for a in args]
        if len(bounds) == 3 and bounds[2] == 0:
            raise InvalidArgumentError("step must be a non-zero integer.")
        numbers = builtins.range(*bounds)
        return Dataset(plan.rows(RangeColumns(numbers.start, numbers.step, len(numbers), np.dtype(output_type))))

    @staticmethod
    def zip(*args: Nest, datasets: Nest = None, name: str | None = None) -> "Dataset":
        """Elements of a nest of data sets side by side, until the shortest ends."""
        if (len(args) == 0) == (datasets is None):
            raise TypeError("Dataset.zip takes data sets as arguments or a nest of them as `datasets`, and not both.")
        nest = datasets if datasets is not None else args[0] if len(args) == 1 else args
        for leaf in jax.tree.leaves(nest, is_leaf=lambda v: isinstance(v, list)):
            if not isinstance(leaf, Dataset):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                    f"objects, found {type(leaf).__name__}. Use a tuple instead of a list."
                )
        return Dataset(plan.zipped(jax.tree.map(lambda dataset: dataset.stage, nest)))

    # Order and number.

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> "Dataset":
        """Elements drawn at random from a buffer of this size; another order at every iteration unless told otherwise.

        UNKNOWN_CARDINALITY as the size shuffles everything.
        """
        size = int(buffer_size)
        if size < 1 and size != UNKNOWN:
            raise InvalidArgumentError(f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}.")
        seeds = EpochSeeds(None if seed is None else int(seed), reshuffle=reshuffle_each_iteration is not False)
        return self._with(plan.shuffle(self._stage, _WHOLE if size == UNKNOWN else size, seeds))

    def repeat(self, count: Any = None, name: str | None = None) -> "Dataset":
        """All elements `count` times; None or -1 is for ever."""
        return self._with(plan.repeat(self._stage, -1 if count is None else int(count)))

    def take(self, count: Any, name: str | None = None) -> "Dataset":
        """At most the first `count` elements; -1 takes all."""
        return self._with(plan.cut(self._stage, count=int(count)))

    def skip(self, count: Any, name: str | None = None) -> "Dataset":
        """Everything after the first `count` elements; -1 skips all."""
        return self._with(plan.cut(self._stage, count=0) if int(count) < 0 else plan.cut(self._stage, start=int(count)))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> "Dataset":
        """Every `num_shards`-th element, from number `index` on."""
        shards, first = int(num_shards), int(index)
        if shards < 1:
            raise InvalidArgumentError(f"Number of shards must be greater than zero (currently num_shards = {shards}).")
        if not 0 <= first < shards:
            raise InvalidArgumentError(f"Index must be between 0 and {shards - 1} (currently index = {first}).")
        return self._with(plan.cut(self._stage, start=first, step=shards))

    def concatenate(self, dataset: "Dataset", name: str | None = None) -> "Dataset":
        """These elements, then another data set's."""
        # The spec of user code is found out by running it, which is too early here.
        if self._stage.pure and dataset.stage.pure:
            mine, theirs = self.element_spec, dataset.element_spec
            kinds = [jax.tree.map(lambda spec: spec.dtype, spec) for spec in (mine, theirs)]
            if kinds[0] != kinds[1]:
                raise TypeError(f"Incompatible dataset elements:\n  {mine} vs.   {theirs}")
        return self._with(ConcatenateStep(self._stage, dataset.stage))

    def enumerate(self, start: Any = 0, name: str | None = None) -> "Dataset":
        """Pairs of a running int64 number and an element."""
        return self._with(plan.enumerated(self._stage, int(start)))

    # Batches and functions.

    def batch(
        self,
        batch_size: Any,
        drop_remainder: bool = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> "Dataset":
        """Consecutive elements stacked; the last batch may be smaller, or is dropped."""
        size = int(batch_size)
        if size < 1:
            raise InvalidArgumentError(f"Batch size must be greater than zero, got {size}.")
        return self._with(plan.batch(self._stage, size, drop_remainder=bool(drop_remainder)))

    def unbatch(self, name: str | None = None) -> "Dataset":
        """The rows of every element as elements."""
        return self._with(UnbatchStage(self._stage))

    def map(
        self,
        map_func: Callable[..., Any],
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> "Dataset":
        """A function of every element; the members of a tuple are its arguments."""
        return self._with(MapStage(self._stage, UserFunction(map_func, "map_func")))

    def filter(self, predicate: Callable[..., Any], name: str | None = None) -> "Dataset":
        """The elements for which `predicate` returns True."""
        return self._with(FilterStep(self._stage, Predicate(predicate)))

    def reduce(self, initial_state: Nest, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Nest:
        """`reduce_func(state, element)` over all elements; the last state."""
        state = to_jax(convert(initial_state))
        for element in self:
            state = to_jax(convert(reduce_func(state, element)))
        return state

    def apply(self, transformation_func: Callable[["Dataset"], "Dataset"]) -> "Dataset":
        """`transformation_func(self)`."""
        result = transformation_func(self)
        if not isinstance(result, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}.")
        return result

    # Speed.

    def cache(self, filename: str = "", name: str | None = None) -> "Dataset":
        """The elements of the first complete iteration, in memory, for all later ones."""
        if filename:
            raise UnimplementedError(f"cache({filename!r}): caching in files is not supported. Use cache() for memory.")
        return self._with(plan.cache(self._stage))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> "Dataset":
        """Make elements ahead in a thread; AUTOTUNE keeps two ready. Elements in memory need none."""
        size = int(buffer_size)
        if size < AUTOTUNE:
            raise InvalidArgumentError(f"buffer_size must be at least 0, or AUTOTUNE, got {size}.")
        return self._with(plan.prefetch(self._stage, _AUTOTUNE_DEPTH if size == AUTOTUNE else size))

    def options(self) -> Options:
        """The options set so far."""
        return Options().merge(self._options)

    def with_options(self, options: Options, name: str | None = None) -> "Dataset":
        """The same elements; what was changed in `options` overrules earlier options."""
        return Dataset(self._stage, self._options.merge(options))

    # Facts and iteration.

    @property
    def element_spec(self) -> Nest:
        """A nest of TensorSpec. A `map` function is called once or twice to find it out."""
        return self._stage.spec

    def cardinality(self) -> jax.Array:
        """The number of elements, INFINITE_CARDINALITY or UNKNOWN_CARDINALITY, as an int64 scalar."""
        return jnp.asarray(self._stage.cardinality, dtype=np.int64)

    def __len__(self) -> int:
        if self._stage.cardinality == INFINITE:
            raise TypeError("The dataset is infinite.")
        if self._stage.cardinality == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return self._stage.cardinality

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> DatasetIterator:
        recorder = current().recorder
        if recorder is not None:
            recorder.need_host("it iterates over a dataset")
        return DatasetIterator(self._stage.walk(), lambda: self._stage.spec)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator of NumPy arrays and scalars that belong to the caller."""
        return NumpyIterator(self._stage.walk(), lambda: self._stage.spec)

    def __repr__(self) -> str:
        # The spec of user code is found out by running it, which printing must not do.
        spec = self.element_spec if self._stage.pure else "unknown until the first element"
        return f"<Dataset element_spec={spec}>"

    def _with(self, stage: Stage) -> "Dataset":
        return Dataset(stage, self._options)
