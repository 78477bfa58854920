"""agree_on: the workers compare the program of a step before they run it for the first time."""

import hashlib
import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import ClusterError
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step._trace import Trace
from stratagem._private import shape_of

_ADDRESS = re.compile(r"0x[0-9a-f]+")  # the addresses of functions and objects in a program's text


def agree_on(traces: Sequence[Trace], mesh: ReplicaMesh) -> None:
    """Compares the traces of a step with those of the other workers.

    Raises:
        ClusterError: they differ; the message names the first variable that does.
    """
    job = mesh.job
    if job.workers == 1:
        return
    variables = [[v.path, list(shape_of(v)), str(v.dtype)] for v in traces[0].variables]
    answers = job.agree("the program of a step", [variables, digest(traces)])
    for worker, (theirs, computed) in enumerate(answers):
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
