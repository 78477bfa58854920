"""Dataset: tf.data's class over plans that are executed only when somebody iterates."""

import abc
import inspect
from collections.abc import Callable
from typing import Any, NoReturn, Self, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError, NotProvidedError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.values import Tensor
from stratagem._data._dataset_batches import Batches
from stratagem._data._dataset_functions import Functions
from stratagem._data._dataset_order import DatasetOrder
from stratagem._data._dataset_saving import Saving
from stratagem._data._dataset_sources import Sources
from stratagem._data._dataset_table import dataset_table
from stratagem._data._fed_stage import accept_tensors_of_graphs, fed_call, is_fed
from stratagem._data._iterator import DatasetIterator, NumpyIterator
from stratagem._data._one_shot import OneShotIterator
from stratagem._data._output_types import output_classes, output_shapes, output_types
from stratagem._data.elements._nest import convert, kinds_of, spec_of, to_jax
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._batching import Batching
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._options import Options
from stratagem._data.stages._stage import Stage

# Names that TensorFlow's class has and this one lacks, with their replacements.
_NOT_PROVIDED = {
    "map_with_legacy_function": "`map`",
    "filter_with_legacy_function": "`filter`",
}


@final
class _DatasetType(abc.ABCMeta):
    """The metaclass, which handles missing names of the class such as `map_with_legacy_function`, and tensors of graphs.

    A class that is given such tensors makes a dataset of what sessions are fed.
    """

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        make = super().__call__
        fed = fed_call(make, args, kwargs)
        return make(*args, **kwargs) if fed is None else type.__call__(Dataset, fed)

    @property
    def __signature__(cls) -> inspect.Signature:
        """The parameters of the constructor, which `__call__` hides from editors."""
        found = inspect.signature(cls.__init__)
        return found.replace(parameters=list(found.parameters.values())[1:])

    def __getattr__(cls, name: str) -> NoReturn:
        raise _unknown(name) or AttributeError(f"type object '{cls.__name__}' has no attribute {name!r}")


@exported("data.Dataset", lacks={"(variant_tensor)": "a dataset is a plan of stages, of which there is no tensor"})
class Dataset(Sources, DatasetOrder, Batches, Functions, Saving, metaclass=_DatasetType):
    """A sequence of elements: nests of tensors. Immutable; every method returns a new one.

    Make one with `from_tensor_slices`, `from_tensors`, `from_generator`, `range` or `zip`.
    """

    @classmethod
    def _of(cls, stage: Stage, options: Options | None = None) -> Self:
        made: Any = Dataset(stage, options)
        return made

    def apply(self, transformation_func: Callable[["Dataset"], "Dataset"]) -> "Dataset":
        """`transformation_func(self)`."""
        result = UserFunction(transformation_func, "transformation_func").function(self)
        if not isinstance(result, Dataset):
            raise TypeError(f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}.")
        return result

    def with_options(self, options: Options, name: str | None = None) -> "Dataset":
        """The same elements; settings that were changed in `options` override earlier options."""
        if not isinstance(options, Options):
            raise TypeError(f"`options` must be a `tf.data.Options`, got {type(options).__name__}: {options!r:.100}.")
        return Dataset(self._stage, self._options.merge(options))

    def reduce(self, initial_state: Any, reduce_func: Callable[[Any, Any], Any], name: str | None = None) -> Any:
        """Applies `reduce_func(state, element)` to all elements in turn and returns the last state.

        Raises:
            TypeError: a new state has another structure or other dtypes than the initial one.
        """
        function = UserFunction(reduce_func, "reduce_func").function
        state = convert(initial_state)
        kinds = kinds_of(spec_of(state))
        for element in self:
            new = convert(function(to_jax(state), element))
            if kinds_of(spec_of(new)) != kinds:
                raise TypeError(
                    "Invalid `reduce_func`. The element types for the new state must match the initial state. Expected "
                    f"{spec_of(state)}; got {spec_of(new)}."
                )
            state = new
        return to_jax(state)

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element.

        Raises:
            InvalidArgumentError: there is none, or more than one.
        """
        elements = iter(self)
        for element in elements:
            for _ in elements:
                raise InvalidArgumentError("Dataset had more than one element.")
            return element
        raise InvalidArgumentError("Dataset was empty.")

    def cardinality(self) -> Tensor:
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
        elif current().reading:
            raise RuntimeError(
                "An input_fn iterates over a tf.data.Dataset. It is called once, before training: return the dataset itself, "
                "or what dataset.make_one_shot_iterator().get_next() gives."
            )
        return DatasetIterator(self._stage.walk(), lambda: self._stage.spec, self._batching)

    def make_one_shot_iterator(self) -> Any:
        """Implements `tf.compat.v1`'s method: in an input_fn, the source of its steps' elements; in a graph one whose elements
        runs draw; elsewhere `iter(self)`.
        """
        if is_fed(self):
            raise ValueError(
                "Cannot capture a placeholder by value: a dataset that is made of tensors of a graph has an initializer, "
                "tf.compat.v1.data.make_initializable_iterator(dataset)."
            )
        return OneShotIterator(self) if current().reading else self._iterator_of_a_graph(ready=True) or iter(self)

    def make_initializable_iterator(self, shared_name: Any = None) -> Any:
        """Implements `tf.compat.v1`'s method: in a graph, an iterator with an `initializer`.

        Raises NotProvidedError elsewhere.
        """
        found = self._iterator_of_a_graph(ready=False)
        if found is None:
            raise NotProvidedError(
                "make_initializable_iterator: here is no graph, whose sessions would run the initializer. Use "
                "`make_one_shot_iterator()`, or `iter(dataset)`."
            )
        return found

    def _iterator_of_a_graph(self, *, ready: bool) -> Any:
        graph = current().graph
        return None if graph is None else graph.iterator_of(self, ready=ready)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator of NumPy arrays and scalars that belong to the caller."""
        return NumpyIterator(self._stage.walk(), lambda: self._stage.spec, self._batching)

    def _batching(self) -> Batching:
        return Batching.of(self._stage, counts_rows=self._stage.counts_rows)

    @property
    def output_types(self) -> Any:
        """The dtypes of the elements, in their structure (`tf.compat.v1`'s datasets have it)."""
        return output_types(self.element_spec)

    @property
    def output_shapes(self) -> Any:
        """The shapes of the elements, in their structure (`tf.compat.v1`'s datasets have it)."""
        return output_shapes(self.element_spec)

    @property
    def output_classes(self) -> Any:
        """`tf.Tensor` for every tensor of the elements, in their structure (`tf.compat.v1`'s datasets have it)."""
        return output_classes(self.element_spec)

    def __repr__(self) -> str:
        # The spec of user code is found out by running it, which printing must not do.
        spec = self.element_spec if self._stage.pure else "unknown until the first element"
        return f"<Dataset element_spec={spec}>"

    def _repr_html_(self) -> str:
        spec = self.element_spec if self._stage.pure else None
        return dataset_table("Dataset", self._stage.cardinality, spec)

    def __getattr__(self, name: str) -> NoReturn:
        raise _unknown(name) or AttributeError(f"'{type(self).__name__}' object has no attribute {name!r}")


def _unknown(name: str) -> NotProvidedError | None:
    """The error for a name that TensorFlow's class has; None for others."""
    if name not in _NOT_PROVIDED:
        return None
    return NotProvidedError(f"tf.data.Dataset.{name} is not provided; use {_NOT_PROVIDED[name]}.")


accept_tensors_of_graphs(Dataset)
