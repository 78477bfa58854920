"""agree_on: the workers compare the program of a step before they run it for the first time."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

import google_crc32c
import numpy as np

from stratagem._base.errors import ClusterError
from stratagem._base.weak_identity import WeakIdentityMap
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step._trace import Trace
from stratagem._core.values import placement_of
from stratagem._private import shape_of

# Variables whose values were compared, before any step could change them. Later ones may differ in their last bits between
# workers whose processors round otherwise.
_compared: WeakIdentityMap[Any, bool] = WeakIdentityMap()
_ADDRESS = re.compile(r"0x[0-9a-f]+")  # the addresses of functions and objects in a program's text


def agree_on(traces: Sequence[Trace], mesh: ReplicaMesh) -> None:
    """Compares the traces of a step with those of the other workers, and the values of variables that no step has used.

    Raises:
        ClusterError: they differ; the message names the first variable that does.
    """
    job = mesh.job
    if job.workers == 1:
        return
    variables = [[v.path, list(shape_of(v)), str(v.dtype)] for v in traces[0].variables]
    values = [None if _compared.get(v) else _checksum(v) for v in traces[0].variables]
    answers = job.agree("the program of a step", [variables, digest(traces), values])
    for worker, (theirs, computed, _) in enumerate(answers):
        if [v[1:] for v in theirs] != [v[1:] for v in variables]:
            raise ClusterError(
                f"The workers' models differ: {_difference(variables, theirs, job.worker, worker)}. Every worker has to create "
                "the same model, optimizer and metrics."
            )
        if computed != answers[job.worker][1]:
            raise ClusterError(
                f"Workers {job.worker} and {worker} compute different things on the same variables. Look for Python numbers "
                "that differ (learning rates, the worker's index, time, random numbers) and for shapes that do."
            )
    for worker, (*_, found) in enumerate(answers):
        unequal = [v for v, mine, other in zip(variables, values, found, strict=True) if mine != other]
        if unequal:
            raise ClusterError(
                f"The workers' variables differ in value before the first step: {len(unequal)} of {len(variables)}, the first "
                f"is {_named(unequal[0])}, on workers {job.worker} and {worker}. Has only one of them restored a checkpoint, "
                "or another one? CheckpointManager.restore_or_initialize() compares what they find; without a disk that all "
                "share, each worker needs a copy. Values that are assigned outside of steps have to be equal, too."
            )
    for variable in traces[0].variables:
        _compared[variable] = True


def _checksum(variable: Any) -> str | None:
    """Returns a checksum of a variable's value; None for one that every replica, or another process, has its own of."""
    placement = placement_of(variable)
    if placement is None:
        return None
    with placement.lent(variable) as value:
        return (
            None
            if value is None
            else f"{google_crc32c.value(np.ascontiguousarray(value).reshape(-1).view(np.uint8)):08x}"
        )


def digest(traces: Sequence[Trace]) -> str:
    """Returns a digest that is equal for traces that compute the same, including their constants, in any process."""
    found = hashlib.blake2b(digest_size=16)
    for traced in traces:
        found.update(_ADDRESS.sub("", str(traced.compared.jaxpr)).encode())
        for constant in traced.compared.consts:
            found.update(np.asarray(constant).tobytes())
    return found.hexdigest()


def _difference(ours: list[Any], theirs: list[Any], here: int, there: int) -> str:
    for mine, other in zip(ours, theirs, strict=False):
        if mine[1:] != other[1:]:
            return f"variable {_named(mine)} of worker {here} is {_named(other)} on worker {there}"
    more, worker = (ours[len(theirs) :], here) if len(ours) > len(theirs) else (theirs[len(ours) :], there)
    return f"only worker {worker} uses variable {_named(more[0])}"


def _named(variable: list[Any]) -> str:
    path, shape, dtype = variable
    return f"{path} with shape {tuple(shape)} and dtype {dtype}"
