"""The conjugate gradient method: linear equations with an operator that is only applied."""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops.operators._operator import LinearOperator


class CGState(NamedTuple):
    """The number of steps, the solution so far, its residual, the next direction and <r, preconditioner @ r>."""

    i: Tensor
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


@exported("linalg.experimental.conjugate_gradient")
def conjugate_gradient(
    operator: LinearOperator, rhs: Any, preconditioner: LinearOperator | None = None, x: Any = None,
    tol: Any = 1e-5, max_iter: Any = 20, name: str = "conjugate_gradient",
) -> CGState:  # fmt: skip
    """Solves operator @ x = rhs approximately for vectors x of shape [..., size], by conjugate gradients.

    It ends when every residual is at most `tol` times as long as the right-hand side, or after `max_iter` steps. x: where it
    begins, 0 without one. preconditioner: an operator near to the inverse. Hestenes and Stiefel, "Methods of Conjugate
    Gradients for Solving Linear Systems" (1952).

    Raises: ValueError unless the operator, and the preconditioner, are known to be self-adjoint and positive definite.
    """
    for given in (operator, preconditioner):
        if given is not None and not (given.is_self_adjoint and given.is_positive_definite):
            raise ValueError(
                "Expected a self-adjoint, positive definite operator: create it with is_self_adjoint=True and "
                "is_positive_definite=True."
            )
    right = tensor(rhs, None if isinstance(rhs, jax.Array) else operator.dtype)
    start = jnp.zeros_like(right) if x is None else jnp.broadcast_to(tensor(x), right.shape)
    residual = right if x is None else right - operator.matvec(start)
    limit = tensor(tol).astype(jnp.real(right).dtype) * _length(right)
    direction = residual if preconditioner is None else preconditioner.matvec(residual)
    state = CGState(jnp.int32(0), start, residual, direction, _inner(residual, direction))

    def unfinished(state: CGState) -> Tensor:
        return (state.i < tensor(max_iter)) & jnp.any(_length(state.r) > limit)

    def stepped(state: CGState) -> CGState:
        image = operator.matvec(state.p)
        step = state.gamma / _inner(state.p, image)
        remaining = state.r - step[..., None] * image
        improved = remaining if preconditioner is None else preconditioner.matvec(remaining)
        gamma = _inner(remaining, improved)
        turn = improved + (gamma / state.gamma)[..., None] * state.p
        return CGState(state.i + 1, state.x + step[..., None] * state.p, remaining, turn, gamma)

    found: Any = jax.lax.while_loop(unfinished, stepped, state)
    return CGState(*found)


def _inner(a: Tensor, b: Tensor) -> Tensor:
    return jnp.sum(jnp.conj(a) * b, -1)


def _length(vectors: Tensor) -> Tensor:
    return jnp.sqrt(jnp.sum(jnp.abs(vectors) ** 2, -1))
