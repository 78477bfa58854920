"""Metrics of Keras: how they compute what they report."""

import functools
from collections.abc import Callable
from typing import Any

import keras
from keras.src import backend as keras_backend
from keras.src.losses import loss as keras_loss
from keras.src.metrics import iou_metrics, reduction_metrics
from keras.src.metrics.metric import Metric


def intercept_metric_results(around: Callable[[Callable[[], Any]], Any]) -> None:
    """Run every metric's `result()` as around(compute)."""

    def wrap(cls: type) -> None:
        if "result" in vars(cls):
            result = cls.result  # type: ignore[attr-defined]

            @functools.wraps(result)
            def new_result(self: Any, *args: Any, **kwargs: Any) -> Any:
                return around(lambda: result(self, *args, **kwargs))

            cls.result = new_result  # type: ignore[attr-defined]
        subclasses: list[type] = cls.__subclasses__()
        for derived in subclasses:
            wrap(derived)

    wrap(Metric)
    init_subclass = Metric.__init_subclass__

    def new_init_subclass(cls: type, /, **kwargs: Any) -> None:
        init_subclass(**kwargs)
        if "result" in vars(cls):
            wrap(cls)

    Metric.__init_subclass__ = classmethod(new_init_subclass)


def _weighed(values: Any, sample_weight: Any, reduce_fn: Callable[..., Any], dtype: Any) -> tuple[Any, Any]:
    """Returns the values that `Mean` and `Sum` add up and their weights, one row per value, as in TF.

    Keras 3 counts samples: values with several dimensions are first averaged over all but the first, and with one weight for
    all of them over that one, too. So a mean over updates of different sizes is another one.
    """
    ops, dtype, mask = keras.ops, dtype or keras.config.floatx(), keras_backend.get_keras_mask(values)
    values = ops.cast(values, dtype=dtype)
    if sample_weight is None:
        return ops.ravel(values), None
    weight = keras_loss.apply_mask(
        ops.convert_to_tensor(sample_weight, dtype=dtype), mask, dtype=dtype, reduction="sum"
    )
    rank = len(weight.shape)
    if rank == len(values.shape) + 1 and weight.shape[-1] == 1:
        weight = ops.squeeze(weight, axis=-1)
    elif 0 < rank == len(values.shape) - 1:
        weight = ops.expand_dims(weight, axis=-1)
    rank = len(weight.shape)
    pairs = zip(weight.shape, values.shape, strict=False)
    if rank and (rank != len(values.shape) or any(w not in (1, v) for w, v in pairs)):
        values = reduce_fn(values, axis=list(range(rank, len(values.shape))))
    weight = ops.broadcast_to(weight, values.shape)
    return ops.ravel(values * weight), ops.ravel(weight)


def weigh_as_tensorflow() -> None:
    """Let `Mean` and `Sum` weigh every value, not every sample."""
    reduction_metrics.reduce_to_samplewise_values = _weighed


def count_overlaps_in_floats() -> None:
    """Let the confusion matrices of `MeanIoU` and its kin have Keras' float type, as in TF: integers would cut the weights."""
    made = iou_metrics._IoUBase.__init__

    @functools.wraps(made)
    def new_init(self: Any, num_classes: int, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        made(self, num_classes, name=name, dtype=dtype or keras.config.floatx(), **kwargs)

    iou_metrics._IoUBase.__init__ = new_init
