"""Datasets from tensors, generators, numbers and file names, and from several datasets."""

import abc
import builtins
from collections.abc import Callable, Sequence
from typing import Any, Self

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import CompositeTensor, TensorSpec
from stratagem._data import _plan as plan
from stratagem._data._dataset_base import DatasetBase, as_int, seed_of, stage_of
from stratagem._data.elements._composites import with_sparse_tensors
from stratagem._data.elements._nest import convert, kinds_of, leaves, map_leaves, spec_of, to_numpy
from stratagem._data.elements._spec import NestedDataset, without_rows
from stratagem._data.functions._map_filter import mapped
from stratagem._data.stages._batch import equal_rows
from stratagem._data.stages._buffers import ListStage
from stratagem._data.stages._choose import ChooseStage, RandomStage
from stratagem._data.stages._columns import ArrayColumns, RangeColumns
from stratagem._data.stages._file_names import FileNames, matching, names_in
from stratagem._data.stages._generator import GeneratorStage, signature_of
from stratagem._data.stages._options import Options
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._stage import Stage

_INT64 = TensorSpec((), np.int64)


class Sources(DatasetBase, abc.ABC):
    """The methods that create datasets."""

    @classmethod
    def from_tensor_slices(cls, tensors: Any, name: str | None = None) -> Self:
        """One element for every row of the tensors, ragged and sparse ones too, which must have the same number of rows."""
        tensors = with_sparse_tensors(tensors)
        if any(isinstance(leaf, CompositeTensor) for leaf in leaves(tensors)):
            element = convert(tensors)
            spec = map_leaves(without_rows, spec_of(element))
            return cls._of(ListStage(equal_rows(element), lambda: spec))
        return cls._of(plan.rows(ArrayColumns(tensors)))

    @classmethod
    def from_tensors(cls, tensors: Any, name: str | None = None) -> Self:
        """A single element."""
        element = convert(with_sparse_tensors(tensors))
        if any(isinstance(leaf, NestedDataset | CompositeTensor) for leaf in leaves(element)):
            return cls._of(ListStage([element], lambda: spec_of(element)))
        return cls._of(plan.rows(ArrayColumns(plan.expanded(element))))

    @classmethod
    def from_generator(
        cls,
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: tuple[Any, ...] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Self:
        """The values that `generator(*args)` yields, called anew in every iteration."""
        if not callable(generator):
            raise TypeError(
                "`generator` must be a Python callable that returns an iterable, e.g. a generator function."
            )
        if output_signature is not None and (output_types is not None or output_shapes is not None):
            raise TypeError(
                "The `output_signature` argument can not be used together with `output_types` or `output_shapes`: it says "
                "both."
            )
        if output_signature is None and output_types is None:
            raise TypeError(
                "To specify the output signature you need to provide either the `output_signature` argument "
                "or the `output_types` argument."
            )
        signature = signature_of(output_types, output_shapes) if output_signature is None else output_signature
        arguments = () if args is None else convert(tuple(args))
        return cls._of(GeneratorStage(lambda: generator(*arguments), signature))

    @classmethod
    def range(cls, *args: Any, output_type: Any = np.int64, name: str | None = None) -> Self:
        """`range(stop)`, `range(start, stop)` or `range(start, stop, step)`, as int64."""
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range takes (stop), (start, stop) or (start, stop, step), got {args}.")
        bounds = [as_int(a, "a bound of range") for a in args]
        if len(bounds) == 3 and bounds[2] == 0:
            raise InvalidArgumentError("step must be a non-zero integer.")
        numbers = builtins.range(*bounds)
        return cls._of(plan.rows(RangeColumns(numbers.start, numbers.step, len(numbers), np.dtype(output_type))))

    @classmethod
    def counter(cls, start: Any = 0, step: Any = 1, dtype: Any = np.int64, name: str | None = None) -> Self:
        """The numbers `start`, `start + step` and so on, without end."""
        return cls._of(plan.counted(_number(start, "start"), _number(step, "step"), np.dtype(dtype)))

    @classmethod
    def random(cls, seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None) -> Self:
        """Random int64 scalars below 2^32, without end; by default the same in every iteration."""
        seeds = EpochSeeds(seed_of(seed), reshuffle=bool(rerandomize_each_iteration))
        return cls._of(RandomStage(seeds))

    @classmethod
    def list_files(cls, file_pattern: Any, shuffle: Any = None, seed: Any = None, name: str | None = None) -> Self:
        """The names of the files that match one pattern or several now.

        They come in a different random order in every iteration, or sorted with shuffle=False.

        Raises:
            InvalidArgumentError: no file matches.
        """
        files = matching(names_in(file_pattern))
        if shuffle is not None and not shuffle:
            return cls._of(FileNames(files))
        return cls._of(FileNames(files, EpochSeeds(seed_of(seed), reshuffle=True)))

    @classmethod
    def zip(cls, *args: Any, datasets: Any = None, name: str | None = None) -> Self:
        """The elements of a nest of datasets side by side, until the shortest ends."""
        if (len(args) == 0) == (datasets is None):
            raise TypeError("Dataset.zip takes datasets as arguments or a nest of them as `datasets`, and not both.")
        nest = datasets if datasets is not None else args[0] if len(args) == 1 else args
        members = leaves(nest)
        for leaf in members:
            if not isinstance(leaf, DatasetBase):
                raise TypeError(
                    "Invalid input to `zip`. Inputs are expected to be (nested) structures of `tf.data.Dataset` "
                    f"objects, found {type(leaf).__name__}. Use a tuple instead of a list."
                )
        return cls._of(plan.zipped(map_leaves(lambda dataset: dataset.stage, nest)), _options_of(members))

    @classmethod
    def choose_from_datasets(
        cls, datasets: Sequence[DatasetBase], choice_dataset: DatasetBase, stop_on_empty_dataset: bool = True
    ) -> Self:
        """Takes each element from the dataset whose index `choice_dataset` (int64 scalars) gives.

        stop_on_empty_dataset: end when an exhausted dataset is chosen; else skip it from then on.

        Raises:
            TypeError: the elements of the datasets differ in structure or dtypes, or the choices are not int64 scalars.
        """
        stages = _compatible(datasets)
        choices = stage_of(choice_dataset, TypeError(f"`choice_dataset` must be a Dataset, got {choice_dataset!r}."))
        # The spec of user code is found out by running it, which is too early here.
        if choices.pure and choices.spec != _INT64:
            raise TypeError(
                "Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar `tf.int64` tensors but are "
                f"{choices.spec}."
            )
        return cls._of(ChooseStage(choices, stages, stop_on_empty=stop_on_empty_dataset), _options_of(datasets))

    @classmethod
    def sample_from_datasets(
        cls,
        datasets: Sequence[DatasetBase],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Self:
        """Takes each element from a dataset drawn at random.

        weights: the relative frequency of each, floats whose sum need not be 1; or a dataset of such vectors.
        The draws are the same in every iteration unless `rerandomize_each_iteration`.

        Raises:
            TypeError: the elements of the datasets differ in structure or dtypes, or the weights are not floats.
            ValueError: no datasets, or not as many weights.
        """
        stages = _compatible(datasets)
        seeds = EpochSeeds(seed_of(seed), reshuffle=bool(rerandomize_each_iteration))
        if isinstance(weights, DatasetBase):
            pairs = plan.zipped((RandomStage(seeds), weights.stage))
            selector = mapped(pairs, _drawn)
        else:
            shares = _shares(weights, len(stages))
            stages = [stage for stage, share in zip(stages, shares, strict=True) if share > 0] or stages[:1]
            if len(stages) == 1:
                return cls._of(stages[0] if any(s > 0 for s in shares) else plan.cut(stages[0], count=0))
            selector = RandomStage(seeds, [share for share in shares if share > 0])
        return cls._of(ChooseStage(selector, stages, stop_on_empty=stop_on_empty_dataset), _options_of(datasets))


def _number(value: Any, name: str) -> Any:
    array = to_numpy(value)
    if array.ndim != 0 or array.dtype.kind not in "iuf":
        raise TypeError(f"`{name}` must be a number, got {type(value).__name__}: {value!r:.100}.")
    return array.item()


def _options_of(datasets: Sequence[DatasetBase]) -> Options:
    options = Options()
    for dataset in datasets:
        options = options.merge(dataset.options())
    return options


def _compatible(datasets: Sequence[DatasetBase]) -> list[Stage]:
    if not datasets:
        raise ValueError("Invalid `datasets`. `datasets` should not be empty.")
    stages = [stage_of(d, TypeError(f"`datasets` must be a list of Datasets, found {d!r:.100}.")) for d in datasets]
    # The spec of user code is found out by running it, which is too early here.
    known = [(i, stage.spec) for i, stage in enumerate(stages) if stage.pure]
    kinds = [kinds_of(spec) for _, spec in known]
    if any(kind != kinds[0] for kind in kinds):
        specs = "\n".join(f"Dataset {i} element_spec={spec}." for i, spec in known)
        raise TypeError(f"Invalid `datasets`. `datasets` must have compatible element specs.\n {specs}")
    return stages


def _shares(weights: Any, count: int) -> list[float]:
    if weights is None:
        return [1.0] * count
    given = to_numpy(weights)
    if given.dtype.kind != "f":
        raise TypeError(
            f"Invalid `weights`. `weights` type must be either `tf.float32` or `tf.float64` but is {given.dtype}."
        )
    if given.shape != (count,):
        raise ValueError(
            "Invalid `weights`. `weights` should have the same length as `datasets` but got "
            f"`len(weights)={given.size}` vs. `len(datasets)={count}`."
        )
    return [float(share) for share in given]


def _drawn(number: Any, weights: Any) -> Any:
    """The index among the weights that a random number below 2^32 selects."""
    ends = jnp.cumsum(weights) / jnp.sum(weights)
    found = jnp.searchsorted(ends, number.astype(ends.dtype) / 2.0**32, side="right")
    return jnp.minimum(found, len(weights) - 1).astype(np.int64)
