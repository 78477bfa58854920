"""default_resolver: the resolver of the launcher that started this process; the name of this task."""

import logging
import os
from collections.abc import Callable, MutableMapping

from stratagem._cluster._launcher_resolvers import OpenMPIClusterResolver, TorchrunClusterResolver
from stratagem._cluster._resolver import ClusterResolver
from stratagem._cluster._slurm import SlurmClusterResolver
from stratagem._cluster._tf_config import TFConfigClusterResolver

# The first source whose variables are all set is taken. A launcher comes before one that may have started it: torchrun and
# mpirun are often started by Slurm, whose variables then count launchers, not tasks.
_SOURCES = (
    ("TF_CONFIG", ("TF_CONFIG",), TFConfigClusterResolver),
    ("torchrun", ("RANK", "WORLD_SIZE"), TorchrunClusterResolver),
    ("Open MPI", ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), OpenMPIClusterResolver),
    ("Slurm", ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_NODELIST"), SlurmClusterResolver),
)

_log = logging.getLogger("stratagem.cluster")


def default_resolver(environ: MutableMapping[str, str] = os.environ, *, quiet: bool = False) -> ClusterResolver:
    """Returns the resolver of TF_CONFIG, torchrun, Open MPI or Slurm, the first whose variables are in `environ`.

    If there are none, returns the resolver of TF_CONFIG, whose cluster is then empty. One log line says which one it
    is, and which others were found, unless it is to be quiet.
    """
    found = _found(environ)
    if quiet:
        return (found[0][2] if found else TFConfigClusterResolver)(environ=environ)
    if not found:
        _log.info("No cluster: none of %s has set its variables.", ", ".join(name for name, _, _ in _SOURCES))
        return TFConfigClusterResolver(environ=environ)
    first, *others = (
        name if name in variables else f"{name} ({_values(environ, variables)})" for name, variables, _ in found
    )
    _log.info("The cluster is the one of %s%s.", first, f"; passed over: {', '.join(others)}" if others else "")
    return found[0][2](environ=environ)


def task_name(environ: MutableMapping[str, str] = os.environ) -> str | None:
    """Returns the name of this process in the job that the default resolver reads, such as worker:1; None if there is none.

    Raises ClusterError if the job is described wrongly.
    """
    found = _found(environ)
    if not found:
        return None
    resolver = found[0][2](environ=environ)
    return None if resolver.task_type is None else f"{resolver.task_type}:{resolver.task_id or 0}"


def _found(
    environ: MutableMapping[str, str],
) -> list[tuple[str, tuple[str, ...], Callable[..., ClusterResolver]]]:
    return [(name, variables, make) for name, variables, make in _SOURCES if all(v in environ for v in variables)]


def _values(environ: MutableMapping[str, str], variables: tuple[str, ...]) -> str:
    return " ".join(f"{name}={environ[name]!r}" for name in variables)
