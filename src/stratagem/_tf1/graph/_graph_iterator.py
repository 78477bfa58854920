"""GraphIterator: an iterator of TensorFlow 1, whose next element every run of a session draws."""

from typing import Any, final

import jax

from stratagem._base.errors import FailedPreconditionError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.step import init_scope
from stratagem._core.values import TensorShape, TensorSpec
from stratagem._data import Dataset, is_fed, with_feeds
from stratagem._tf1.graph._model_build import current_building
from stratagem._tf1.graph._operations import Operation

_NO_HANDLES = (
    "An iterator has no string handle here: a run draws from the iterators of its graph. Use Iterator.from_structure, whose "
    "initializers choose the dataset."
)


@exported(v1=["data.Iterator"])
@final
class GraphIterator:
    """The iterator that `make_initializable_iterator(dataset)` returns in a graph, and `Iterator.from_structure`.

    element_spec: that of the elements. dataset: None if `make_initializer` gives it.
    """

    def __init__(self, graph: Any, element_spec: Any, dataset: Any, begin: Any, *, ready: bool) -> None:
        """begin(dataset) returns an iterator of its elements. ready: it needs no initializer, as a one-shot iterator."""
        self._graph, self.element_spec, self._begin = graph, element_spec, begin
        self._made: Any = None
        self._first = dataset if ready else None
        self._initializer = None if ready or dataset is None else self.make_initializer(dataset)

    @staticmethod
    def from_structure(
        output_types: Any, output_shapes: Any = None, shared_name: str | None = None, output_classes: object = None
    ) -> "GraphIterator":
        """Returns an iterator of datasets with elements of these types and shapes; its `make_initializer` gives it one.

        output_shapes: in the structure of the types. Raises ContextError outside of a graph, ValueError without shapes.
        """
        if output_shapes is None:
            raise ValueError(
                "Iterator.from_structure needs output_shapes: steps are compiled for ranks that are known."
            )
        shapes = jax.tree.leaves(output_shapes, is_leaf=lambda shape: isinstance(shape, TensorShape | list))
        types, structure = jax.tree.flatten(output_types)
        specs = [TensorSpec(shape, kind) for shape, kind in zip(shapes, types, strict=True)]
        found: GraphIterator = current_building().owner.iterator_of_structure(jax.tree.unflatten(structure, specs))
        return found

    @staticmethod
    def from_string_handle(*_: Any, **__: Any) -> Any:
        """Raises UnimplementedError, see `string_handle`."""
        raise UnimplementedError(_NO_HANDLES)

    @property
    def initializer(self) -> Operation:
        """The operation that begins with the first element. Raises ValueError if there is no dataset, or no need."""
        if self._initializer is None:
            raise ValueError("Iterator does not have an initializer.")
        return self._initializer

    def make_initializer(self, dataset: Any, name: str | None = None) -> Operation:
        """Returns an operation that begins with the first element of a dataset of such elements.

        A dataset that is made of tensors of the graph is made anew by every run of the operation, of what they are then.
        Raises TypeError for one of other elements; if it is made by a run, that run does.
        """
        fed = is_fed(dataset)
        if not fed:
            self._check(dataset)

        def initialize(session: Any, feeds: Any) -> None:
            made = with_feeds(dataset, lambda tensors: session.values(tensors, feeds))
            if fed:
                self._check(made)
            self._made = self._begin(made)

        building = self._graph.building
        return Operation(name or "MakeIterator", lambda: building.effects.on_host(initialize), place=building)

    def _check(self, dataset: Any) -> None:
        with init_scope():
            spec = dataset.element_spec
        if _structure(spec) != _structure(self.element_spec):
            raise TypeError(f"make_initializer: the dataset has elements {spec}, the iterator {self.element_spec}.")

    def get_next(self, name: str | None = None) -> Any:
        """Returns the tensors of an element: each call is one of another, in each run."""
        return self._graph.element(self, self.element_spec)

    def present(self) -> Any:
        """Returns the iterator that a run draws from. Raises FailedPreconditionError before the initializer has been run."""
        if self._first is not None:
            self._made, self._first = self._begin(self._first), None
        if self._made is None:
            raise FailedPreconditionError(
                "GetNext() failed because the iterator has not been initialized. Ensure that you have run the initializer "
                "operation for this iterator before getting the next element."
            )
        return self._made

    def string_handle(self, name: str | None = None) -> Any:
        """Raises UnimplementedError: a step has the iterators that it was built with."""
        raise UnimplementedError(_NO_HANDLES)

    @property
    def output_shapes(self) -> Any:
        """The shapes of an element's tensors."""
        return jax.tree.map(lambda spec: spec.shape, self.element_spec)

    @property
    def output_types(self) -> Any:
        """The types of an element's tensors."""
        return jax.tree.map(lambda spec: spec.dtype, self.element_spec)


def _structure(specs: Any) -> Any:
    return jax.tree.structure(specs)


@exported(v1=["data.make_one_shot_iterator"])
def make_one_shot_iterator(dataset: Dataset) -> Any:
    """Returns `dataset.make_one_shot_iterator()`."""
    return dataset.make_one_shot_iterator()


@exported(v1=["data.make_initializable_iterator"])
def make_initializable_iterator(dataset: Dataset, shared_name: str | None = None) -> Any:
    """Returns `dataset.make_initializable_iterator()`."""
    return dataset.make_initializable_iterator(shared_name)
