"""rewrite_finished: the changes of a program that nothing differentiates any more, before XLA compiles it."""

from jax.extend import core as xc

from stratagem._core.rewrites._options import rewrites_for_speed
from stratagem._core.rewrites._updates import with_updates_together
from stratagem._core.rewrites._zero_sums import without_zero_sums
from stratagem._kernels import has_kernels


def rewrite_finished(closed: xc.ClosedJaxpr, platform: str) -> xc.ClosedJaxpr:
    """Returns the same program, on CPUs with joint updates of its variables and without sums that are zero.

    closed: a program with its gradients. Its new equations have no derivatives.
    """
    if platform != "cpu" or not rewrites_for_speed():
        return closed
    jaxpr = without_zero_sums(closed.jaxpr)
    return xc.ClosedJaxpr(with_updates_together(jaxpr) if has_kernels() else jaxpr, closed.consts)
