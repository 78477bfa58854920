"""The call of a program: the context that reports its steps, and the places of the tensors that all replicas share."""

import contextlib
from collections.abc import Iterator

import jax
import numpy as np

from stratagem._base.job import Job, Phase, observer
from stratagem._base.types import Nest
from stratagem._core.mesh import ReplicaMesh
from stratagem._private import on_device, reusing_executables, to_host_words


def program_call(job: Job, *, first: bool, steps: int = 1) -> contextlib.AbstractContextManager[None]:
    """Returns the context of a program's call, which takes this many steps. first: it compiles."""
    for _ in range(steps):
        job.begin_step()
    observer().begin_steps(steps)
    return _compiling(job) if first else job.waiting()


@contextlib.contextmanager
def _compiling(job: Job) -> Iterator[None]:
    with job.phase(Phase.COMPILING), reusing_executables():
        yield


def shared_argument(value: Nest, mesh: ReplicaMesh) -> Nest:
    """Returns a tensor that all replicas share, in the cheapest form that a compiled program takes it in.

    A NumPy array for one device stays one: JAX transfers it while it calls the program, in half the time of a transfer before
    the call. One of 64 bits, which it would cut, comes in words, which the program puts together.
    """
    if type(value) is np.ndarray and mesh.num_replicas == 1:
        return value if value.dtype.itemsize < 8 else to_host_words(value)
    return on_all_devices(value, mesh)


def on_all_devices(value: Nest, mesh: ReplicaMesh) -> Nest:
    """Returns a tensor that all replicas share, on all devices of the mesh."""
    if mesh.num_replicas > 1:
        return value if isinstance(value, jax.Array) and value.sharding == mesh.everywhere else mesh.replicate(value)
    if not isinstance(value, jax.Array):
        return on_device(np.asarray(value), mesh.devices[0])
    here = value.sharding.device_set == mesh.everywhere.device_set
    return value if here else jax.device_put(value, mesh.devices[0])
