"""Losses of Keras: as classes with each reduction, with weights and options."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.modes.modes import OF_REPLICAS
from tests.modes.thing import Thing, thing

TRUE = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]], np.float32)
SCORES = np.array([[0.1, 0.8, -0.1], [0.5, 0.3, 0.7], [-1.0, 0.25, 2.0]], np.float32)
LIKELY = np.array([[0.1, 0.7, 0.2], [0.5, 0.2, 0.3], [0.2, 0.2, 0.6]], np.float32)
WEIGHTS = np.array([1.0, 0.0, 0.5], np.float32)

# What each takes: any numbers, probabilities, or logits by an option.
NUMBERS = (
    *("MeanSquaredError", "MeanAbsoluteError", "MeanAbsolutePercentageError", "MeanSquaredLogarithmicError"),
    *("Huber", "LogCosh", "Hinge", "SquaredHinge", "CategoricalHinge", "CosineSimilarity"),
)
PROBABILITIES = ("KLDivergence", "Poisson", "BinaryCrossentropy", "CategoricalCrossentropy", "BinaryFocalCrossentropy")
OF_LOGITS = ("BinaryCrossentropy", "CategoricalCrossentropy", "BinaryFocalCrossentropy", "CategoricalFocalCrossentropy")
REDUCTIONS = ("sum_over_batch_size", "sum", "none")
EPSILON = "Keras 3 clips probabilities where tf.keras 2.15 adds an epsilon"
PER_REPLICA = dict.fromkeys(OF_REPLICAS, "a mean over a replica's rows is refused there, as in TensorFlow")
CLOSE = {"BinaryCrossentropy": 1e-4, "BinaryFocalCrossentropy": 1e-4}
SECOND_BY_LABELS = "TensorFlow's second derivative of softmax cross entropies leaves out the labels"


def _refused(options: dict[str, Any]) -> dict[str, str]:
    return {} if options.get("reduction") in ("sum", "none") else PER_REPLICA


def _loss(name: str, predictions: Any, options: dict[str, Any], **more: Any) -> Thing:
    said = ", ".join(f"{k}={v}" for k, v in options.items())

    def made(tf: Any) -> Any:
        return getattr(tf.keras.losses, name)(**options)

    return thing(
        f"loss: {name}{f' {said}' if said else ''}",
        lambda tf, y, p, w: [made(tf)(y, p), made(tf)(y, p, w)],
        TRUE,
        predictions,
        WEIGHTS,
        within=CLOSE.get(name, 2e-5),
        differ={"second": SECOND_BY_LABELS} if name == "CategoricalCrossentropy" and "from_logits" in options else {},
        without=_refused(options),
        **more,
    )


def things() -> list[Thing]:
    """All losses."""
    return [*_classes(), *_of_labels()]


def _classes() -> Iterator[Thing]:
    for reduction in REDUCTIONS:
        for name in NUMBERS:
            yield _loss(name, SCORES, {"reduction": reduction})
        for name in PROBABILITIES:
            yield _loss(name, LIKELY, {"reduction": reduction})
        for name in OF_LOGITS:
            yield _loss(name, SCORES, {"reduction": reduction, "from_logits": True})
    yield _loss("Huber", SCORES, {"delta": 0.5})
    yield _loss("CategoricalCrossentropy", SCORES, {"from_logits": True, "label_smoothing": 0.1})
    yield _loss("BinaryCrossentropy", SCORES, {"from_logits": True, "label_smoothing": 0.1})
    yield _loss("CosineSimilarity", SCORES, {"axis": 0})


def _of_labels() -> Iterator[Thing]:
    labels = np.array([1, 0, 2], np.int32)
    for options in (
        {"from_logits": True},
        {"from_logits": True, "reduction": "none"},
        {"from_logits": True, "ignore_class": 0},
    ):
        yield thing(
            f"loss: SparseCategoricalCrossentropy {', '.join(f'{k}={v}' for k, v in options.items())}",
            lambda tf, y, p, o=options: tf.keras.losses.SparseCategoricalCrossentropy(**o)(y, p),
            labels,
            SCORES,
            without=_refused(options),
        )
