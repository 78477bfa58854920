"""The data of one call: the result of an input_fn as a dataset, and its elements as features and labels."""

import logging
from collections.abc import Callable, Iterator
from typing import Any, final

import jax

from stratagem._core.context import entered
from stratagem._data import Dataset, InputContext, OneShotIterator, dataset_of
from stratagem._tf1.estimator._call import argument_names, call_with

_log = logging.getLogger("stratagem.estimator")


@final
class InputFunction:
    """An input_fn, with the mode, params and config that it may take."""

    def __init__(self, input_fn: Callable[..., Any], mode: str, params: Any, config: Any) -> None:
        self._input_fn, self._mode = input_fn, mode
        self._params, self._config = params, config

    def dataset(self, context: InputContext | None = None) -> Dataset:
        """Returns the result of the input_fn as a dataset.

        Tensors become a dataset that repeats one batch, except those from `get_next` of a `make_one_shot_iterator`.

        context: identifies one of the job's input pipelines, for an input_fn that takes an `input_context`.
        """
        given: dict[str, Any] = {"mode": self._mode, "params": self._params, "config": self._config}
        if context is not None and "input_context" in argument_names(self._input_fn):
            _log.info("The `input_fn` accepts an `input_context` which will be given by DistributionStrategy")
            given["input_context"] = context
        with entered(reading=True):
            made = call_with(self._input_fn, **given)
        if isinstance(made, Dataset):
            return made
        if made is None or isinstance(made, Iterator | OneShotIterator):
            raise ValueError(
                "input_fn must return a tf.data.Dataset (itself, no iterator), or features and labels; it returned "
                f"{made!r:.200}."
            )
        element = _as_element(made)
        return dataset_of(element) or Dataset.from_tensors(element).repeat()


def _as_element(made: Any) -> Any:
    """Returns a list of features and labels as a tuple: in a dataset a list would be one tensor."""
    return tuple(made) if isinstance(made, list) and len(made) == 2 and not _is_number(made[0]) else made


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | bool)


def features_and_labels(element: Any) -> tuple[Any, Any]:
    """Returns the two parts of an element; labels are None if it consists of features only.

    Raises ValueError for a tuple of another length.
    """
    if isinstance(element, list | tuple):
        if len(element) != 2:
            raise ValueError(
                f"input_fn should return (features, labels) as a len 2 tuple, found {len(element)} parts. Several features "
                "go into a dict."
            )
        return element[0], element[1]
    return element, None


def row_count(features: Any) -> int | None:
    """Returns the number of rows of a batch of features: the first dimension of its first tensor; None for scalars."""
    leaf = next((v for v in jax.tree.leaves(features) if hasattr(v, "shape")), None)
    return None if leaf is None or not leaf.shape else int(leaf.shape[0])
