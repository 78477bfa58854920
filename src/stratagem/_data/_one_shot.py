"""Iterators of TensorFlow 1. In an input_fn their next element is a placeholder, which it returns in some structure."""

from typing import Any, NoReturn, final

from stratagem._core.context import entered
from stratagem._data.elements._nest import leaves, packer


@final
class NextElementTensor:
    """A tensor of an iterator's next element in an input_fn: it has no value there, and another one in every step.

    An input_fn can return it. Every other use raises TypeError.
    """

    def __init__(self, iterator: "OneShotIterator", number: int, spec: Any) -> None:
        self.iterator, self.number = iterator, number
        self.shape, self.dtype = spec.shape, spec.dtype

    def _refuse(self, *arguments: Any, **named: Any) -> NoReturn:
        raise TypeError(
            f"What `get_next` gives in an input_fn ({self.dtype.name}, shape {self.shape}) can be returned from it, in any "
            "structure. To compute with it, give the dataset a function before: dataset.map(function)."
        )

    __array__ = __jax_array__ = __iter__ = __len__ = __getitem__ = __bool__ = __int__ = __float__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _refuse
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _refuse
    __neg__ = __abs__ = __invert__ = __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = _refuse

    def __repr__(self) -> str:
        return f"<part {self.number} of the next element: {self.dtype.name}, shape {self.shape}>"


@final
class OneShotIterator:
    """`Dataset.make_one_shot_iterator()` in an input_fn. dataset: the source of its elements."""

    def __init__(self, dataset: Any) -> None:
        self.dataset = dataset
        self._used = False

    @property
    def element_spec(self) -> Any:
        """The structure of an element, with a spec in place of every tensor."""
        with entered(reading=False):  # user functions may have to run to determine it
            return self.dataset.element_spec

    def get_next(self, name: str | None = None) -> Any:
        """The next element, a different one in every step. Raises ValueError if it is called twice."""
        if self._used:
            raise ValueError(
                "`get_next` was called twice in one input_fn, which in TensorFlow takes two elements for every step. Keep what "
                "the first call returned; for two elements a step, use dataset.batch(2)."
            )
        self._used = True
        specs = self.element_spec
        return packer(specs)(NextElementTensor(self, number, spec) for number, spec in enumerate(leaves(specs)))


def dataset_of(made: Any) -> Any:
    """A dataset with the structure that an input_fn has built from upcoming elements; None if there are none in it.

    With several iterators, every step takes an element of each; the shortest one ends it.
    """
    parts = leaves(made)
    iterators = list(dict.fromkeys(part.iterator for part in parts if isinstance(part, NextElementTensor)))
    if not iterators:
        return None
    pack = packer(made)

    def arranged(*elements: Any) -> Any:
        found = dict(zip(iterators, map(leaves, elements), strict=True))
        return pack(found[p.iterator][p.number] if isinstance(p, NextElementTensor) else p for p in parts)

    zipped = iterators[0].dataset.zip(tuple(iterator.dataset for iterator in iterators))
    return zipped.map(arranged)
