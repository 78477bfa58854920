"""agree_on: the workers compare the program of a step before they run it for the first time."""

import hashlib
import re
from collections.abc import Sequence
from itertools import zip_longest
from typing import Any

import google_crc32c
import numpy as np

from stratagem._base.errors import ClusterError
from stratagem._base.job import Job
from stratagem._base.weak_identity import WeakIdentityMap
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.host._host_contents import contents_of
from stratagem._core.step.host._host_prefix import PrefixValues
from stratagem._core.step.programs._trace import Trace
from stratagem._core.values import placement_of
from stratagem._private import shape_of

# Variables whose values were compared, before any step could change them. Later ones may differ in their last bits between
# workers whose processors round otherwise.
_compared: WeakIdentityMap[Any, bool] = WeakIdentityMap()
_ADDRESS = re.compile(r"0x[0-9a-f]+")  # the addresses of functions and objects in a program's text
_LITERAL = re.compile(r"(?<![\w.])-?(?:\d[\w.+-]*|inf|nan)(?=:[a-z]+\d*\[)")  # "0.5" of "mul a 0.5:f32[]"
_SENT = 1000  # numbers of a program that are compared by value, at most


def agree_on(traces: Sequence[Trace], mesh: ReplicaMesh, host: PrefixValues | None = None) -> None:
    """Compares the traces of a step with those of the other workers, and the values of variables that no step has used.

    host: what the host computes for the step, where the contents of look-up layers and tables are compared, too.

    Raises:
        ClusterError: they differ; the message names the first variable, layer or table that does.
    """
    job = mesh.job
    if job.workers == 1:
        return
    variables = [[v.path, list(shape_of(v)), str(v.dtype)] for v in traces[0].variables]
    values = [None if _compared.get(v) else _checksum(v) for v in traces[0].variables]
    contents = [] if host is None else contents_of(host.prefix)
    answers = job.agree("the program of a step", [variables, digest(traces), values, contents])
    here = job.task(job.worker)
    for worker, (theirs, *_) in enumerate(answers):
        if [v[1:] for v in theirs] != [v[1:] for v in variables]:
            raise ClusterError(
                f"The workers' models differ: {_difference(variables, theirs, here, job.task(worker))}. Every worker has to "
                "create the same model, optimizer and metrics."
            )
    _compare_programs(traces, [computed for _, computed, *_ in answers], job)
    for worker, (*_, theirs) in enumerate(answers):
        other = next((mine for mine, its in zip_longest(contents, theirs) if mine != its), None)
        if other is not None:
            raise ClusterError(
                f"{other[0]} has other contents on {here} than on {job.task(worker)}, before the first step. All workers need "
                "the same words in the same order: let all adapt to the same data, or save the vocabulary once and let all "
                "read it."
            )
    for worker, (_, _, found, _) in enumerate(answers):
        unequal = [v for v, mine, other in zip(variables, values, found, strict=True) if mine != other]
        if unequal:
            raise ClusterError(
                f"The workers' variables differ in value before the first step: {len(unequal)} of {len(variables)}, the first "
                f"is {_named(unequal[0])}, on {here} and {job.task(worker)}. Has only one of them restored a checkpoint, "
                "or another one? CheckpointManager.restore_or_initialize() compares what they find; without a disk that all "
                "share, each worker needs a copy. Values that are assigned outside of steps have to be equal, too."
            )
    for variable in traces[0].variables:
        _compared[variable] = True


def _compare_programs(traces: Sequence[Trace], digests: list[str], job: Job) -> None:
    """Raises ClusterError if the programs differ. All workers then exchange the numbers in theirs, to name the first."""
    other = next((worker for worker, found in enumerate(digests) if found != digests[job.worker]), None)
    if other is None:
        return
    given = job.agree("the numbers in the program of a step", list(_numbers(traces)))
    (shape, ours), (their_shape, theirs) = given[job.worker], given[other]
    here, there, found = job.task(job.worker), job.task(other), ""
    if shape == their_shape:
        pairs = [(mine, its) for mine, its in zip(ours, theirs, strict=True) if mine != its]
        found = (
            f" The first constant that differs is {pairs[0][0]} on {here} and {pairs[0][1]} on {there}."
            if pairs
            else ""
        )
    raise ClusterError(
        f"{here} and {there} compute different things on the same variables.{found} Look for Python numbers that differ "
        "(learning rates, the worker's index, time, random numbers) and for shapes that do."
    )


def _numbers(traces: Sequence[Trace]) -> tuple[str, list[str]]:
    """Returns a digest of the programs without their numbers, and these: literals, and the values of constants."""
    rest, numbers = hashlib.blake2b(digest_size=16), list[str]()
    for traced in traces:
        text = _ADDRESS.sub("", str(traced.compared.jaxpr))
        numbers += _LITERAL.findall(text)
        rest.update(_LITERAL.sub("", text).encode())
        numbers += map(_one_number, traced.compared.consts)
    return f"{rest.hexdigest()} {len(numbers)}", numbers[:_SENT]


def _one_number(constant: Any) -> str:
    """Returns a constant in words: its value, or a checksum if it has several values."""
    array = np.asarray(constant)
    what = f"{array.dtype} with shape {array.shape}"
    if array.size and array.dtype.kind in "biufc" and (array == array.flat[0]).all():
        return f"{array.flat[0]} ({what})"
    return f"an array of {what} (CRC {google_crc32c.value(array.tobytes()):08x})"


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


def _difference(ours: list[Any], theirs: list[Any], here: str, there: str) -> str:
    for mine, other in zip(ours, theirs, strict=False):
        if mine[1:] != other[1:]:
            return f"variable {_named(mine)} of {here} is {_named(other)} on {there}"
    more, worker = (ours[len(theirs) :], here) if len(ours) > len(theirs) else (theirs[len(ours) :], there)
    return f"only {worker} uses variable {_named(more[0])}"


def _named(variable: list[Any]) -> str:
    path, shape, dtype = variable
    return f"{path} with shape {tuple(shape)} and dtype {dtype}"
