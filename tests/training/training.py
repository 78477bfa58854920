"""The models of `models` trained under a strategy, and how far two such trainings are apart."""

import functools
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem.testing import STRATEGIES
from tests.parity.training import floatx
from tests.training.models import BATCH, KINDS

History = dict[str, list[float]]


@final
@dataclass(frozen=True)
class Trained:
    """What is left of a training: histories by name, and all variables and predictions."""

    history: History
    evaluated: dict[str, float]
    predicted: list[np.ndarray]
    weights: list[np.ndarray]
    optimizer: list[np.ndarray]


def results(model: Any, data: dict[str, Any], *, batch_size: int = BATCH, epochs: int = 2) -> Trained:
    """fit, evaluate and predict on the same rows, in order."""
    history = model.fit(**data, batch_size=batch_size, epochs=epochs, shuffle=False, verbose=0).history
    evaluated = model.evaluate(**data, batch_size=batch_size, verbose=0, return_dict=True)
    predicted = model.predict(data["x"], batch_size=batch_size, verbose=0)
    return Trained(
        history,
        evaluated,
        [np.asarray(v) for v in jax.tree.leaves(predicted)],
        model.get_weights(),
        [np.asarray(v) for v in model.optimizer.variables],
    )


@functools.cache
def trained(kind: str, strategy: str, dtype: str = "float64", rows: int | None = None) -> Trained:
    """One of `KINDS`, made and trained under one of `STRATEGIES`. rows: of the data; None: all."""
    with floatx(dtype):
        with STRATEGIES[strategy]().scope():
            model = KINDS[kind].made()
        data = jax.tree.map(lambda v: v[:rows], KINDS[kind].learns())
        return results(model, data)


def distance(found: Any, wanted: Any) -> float:
    """max|a - b| / max(1, max|b|) of the array, or of the list of numbers, where it is largest."""
    assert jax.tree.structure(found) == jax.tree.structure(wanted)
    pairs = zip(map(np.asarray, jax.tree.leaves(found)), map(np.asarray, jax.tree.leaves(wanted)), strict=True)
    return max(_apart(np.asarray(a, "float64"), np.asarray(b, "float64")) for a, b in pairs)


def _apart(a: np.ndarray, b: np.ndarray) -> float:
    assert a.shape == b.shape
    return float(np.max(np.abs(a - b), initial=0.0) / max(1.0, np.max(np.abs(b), initial=0.0)))


def tree(of: Trained) -> list[Any]:
    """Everything of a training, for `distance`."""
    return [of.history, of.evaluated, of.predicted, of.weights, of.optimizer]
