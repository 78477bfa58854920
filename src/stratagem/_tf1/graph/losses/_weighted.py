"""tf1.losses: weights, reductions, and the collections of losses."""

from typing import Any, ClassVar, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops import Tensor, tensor
from stratagem._tf1.graph._collections import get_collection
from stratagem._tf1.graph._keys import GraphKeys
from stratagem._tf1.graph._model_build import building_here, current_building


@exported(v1=["losses.Reduction"])
@final
class Reduction:
    """The ways to combine the losses of the elements, as `tf.compat.v1.losses.Reduction`.

    NONE keeps them. SUM adds them up. MEAN divides the sum by the sum of the weights, SUM_OVER_BATCH_SIZE by the number of
    elements, SUM_BY_NONZERO_WEIGHTS by the number of elements whose weight is not zero.
    """

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS
    _ALL: ClassVar[tuple[str, ...]] = (NONE, SUM, SUM_OVER_BATCH_SIZE, MEAN, SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """Returns every reduction."""
        return cls._ALL

    @classmethod
    def validate(cls, key: str) -> None:
        """Raises ValueError for an unknown reduction."""
        if key not in cls._ALL:
            raise ValueError(f"Invalid Reduction Key {key!r}: one of {', '.join(cls._ALL)}.")


@exported(v1=["losses.compute_weighted_loss"])
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: str | None = None,
    loss_collection: str | None = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Returns `losses` (n, ...) times `weights`, reduced.

    It is computed in float32 and returned in the dtype of the losses. 0 / 0 is 0.

    weights: a number, or a tensor of the rank of the losses, each of whose dimensions is 1 or that of the losses.
    Raises ValueError for other weights and for an unknown reduction.
    """
    Reduction.validate(reduction)
    values = tensor(losses)
    numbers, weight = values.astype(np.float32), check_weights(weights, values.shape)
    weighted = numbers * weight
    if reduction == Reduction.NONE:
        loss = weighted
    else:
        total = jnp.sum(weighted)
        if reduction == Reduction.MEAN:
            loss = ratio(total, jnp.sum(jnp.broadcast_to(weight, values.shape)))
        elif reduction == Reduction.SUM_BY_NONZERO_WEIGHTS:
            loss = ratio(total, jnp.sum(present(weight, values.shape)))
        elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
            loss = ratio(total, np.float32(values.size))
        else:
            loss = total
    loss = loss.astype(values.dtype)
    building = building_here()
    if building is not None:
        building.loss_reduction = reduction
        with building.scopes.name_scope(scope or "weighted_loss"):
            add_loss(loss, loss_collection)
    return loss


def check_same_shape(guess: Tensor, truth: Tensor, name: str = "predictions", other: str = "labels") -> None:
    """Raises ValueError unless the model's output, called `name`, has the same shape as the tensor called `other`."""
    if guess.shape != truth.shape:
        raise ValueError(f"Shapes {guess.shape} and {truth.shape} are incompatible: {name} and {other} need the same.")


def check_weights(weights: Any, shape: tuple[int, ...]) -> Tensor:
    """Returns the weights as float32. Raises ValueError if TensorFlow would not broadcast them to `shape`."""
    weight = tensor(weights).astype(np.float32)
    if weight.ndim and (
        weight.ndim != len(shape) or any(w not in (1, s) for w, s in zip(weight.shape, shape, strict=True))
    ):
        raise ValueError(
            f"weights can not be broadcast to values. values.shape={shape}. weights.shape={weight.shape}: weights are one "
            "number, or have as many dimensions as the values, each 1 or equal."
        )
    return weight


def present(weight: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Returns 1 for every element whose weight is not zero, else 0, as float32 of this shape."""
    return jnp.broadcast_to((weight != 0).astype(np.float32), shape)


def ratio(total: Any, count: Any) -> Tensor:
    """Returns total / count, or 0 with a gradient of 0 where the count is 0."""
    nothing = count == 0
    return jnp.where(nothing, 0.0, total / jnp.where(nothing, 1.0, count))


@exported(v1=["losses.add_loss"])
def add_loss(loss: Any, loss_collection: str | None = GraphKeys.LOSSES) -> None:
    """Adds a loss to the collection that `get_total_loss` sums."""
    if loss_collection and building_here() is not None:
        current_building().collect(loss_collection, loss)


@exported(v1=["losses.get_losses"])
def get_losses(scope: str | None = None, loss_collection: str = GraphKeys.LOSSES) -> list[Any]:
    """Returns the losses so far. scope: only those whose names start with it."""
    return get_collection(loss_collection, scope)


@exported(v1=["losses.get_regularization_losses"])
def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """Returns the results of the regularizers of layers and variables."""
    return get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


@exported(v1=["losses.get_regularization_loss"])
def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """Returns the sum of the regularization losses, 0.0 if there are none."""
    return sum(get_regularization_losses(scope), start=jnp.zeros((), np.float32))


@exported(v1=["losses.get_total_loss"])
def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """Returns the sum of all losses so far, by default with the regularization losses.

    Raises ValueError if there are none.
    """
    losses = get_losses(scope)
    if add_regularization_losses:
        losses = losses + get_regularization_losses(scope)
    if not losses:
        raise ValueError("get_total_loss: no loss was added so far.")
    return sum(losses[1:], start=tensor(losses[0]))
