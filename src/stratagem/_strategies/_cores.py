"""take_share_of_cores: the workers of one machine divide its cores, so that none waits for a core that another computes on.

XLA starts as many threads as a process has cores. Two workers on two cores have four, and while one computes, threads of the
other that wait for its gradients take turns with it. OpenMPI's `mpirun` binds its processes for the same reason.
"""

import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.job import Job
from stratagem._cluster import visible_gpus, visible_tpus

_VARIABLE = "STRATAGEM_SHARE_CORES"
_CORES = Path("/sys/devices/system/cpu")
_MACHINE = Path("/proc/sys/kernel/random/boot_id")  # another one on every machine, the same in all its containers

_log = logging.getLogger("stratagem.cluster")


def take_share_of_cores(job: Job) -> None:
    """Lets this thread, and all threads that it starts, run on this worker's share of the machine's cores.

    All workers of the job call it, before JAX's backend starts its threads. Nothing changes for a worker that computes on
    GPUs or TPUs, that has other cores than the rest (a launcher has divided them), or that is one of more workers than cores.

    Raises:
        InvalidArgumentError: `STRATAGEM_SHARE_CORES` is neither `on` nor `off`.
    """
    offered = job.agree("cores to share", _offer(os.environ))
    share = share_of(offered, job.worker)
    if share is not None:
        os.sched_setaffinity(0, share)
        text = "%s computes on %s of %s: other workers have the rest (%s=off shares all cores)"
        _log.info(text, job.task(job.worker), _named(share), _named(offered[job.worker][1]), _VARIABLE)


def share_of(offered: Sequence[Any], worker: int) -> list[int] | None:
    """Returns the cores of one worker.

    offered: by worker, the machine and its cores in the order in which they are divided; None for a worker that takes no part.
    Returns None if the worker shares its cores with no other, or with more workers than there are cores. Else the shares of
    those who offer the same are disjoint, have all cores together, and differ by one core at most.
    """
    same = [other for other, offer in enumerate(offered) if offer is not None and offer == offered[worker]]
    if len(same) < 2:
        return None
    cores, place = offered[worker][1], same.index(worker)
    if len(cores) < len(same):
        return None
    first, end = (i * len(cores) // len(same) for i in (place, place + 1))
    return list(cores[first:end])


def _offer(environ: Mapping[str, str]) -> Any:
    """Returns this machine and the cores that this process may use; None if it takes no part."""
    said = environ.get(_VARIABLE, "on")
    if said not in ("on", "off"):
        raise InvalidArgumentError(
            f"{_VARIABLE}={said} is set; use {_VARIABLE}=off to let workers share all cores, or unset it."
        )
    if said == "off" or not hasattr(os, "sched_setaffinity") or not _MACHINE.exists() or not _computes_on_cpus(environ):
        return None
    return [_MACHINE.read_text().strip(), sorted(os.sched_getaffinity(0), key=_place)]


def _computes_on_cpus(environ: Mapping[str, str]) -> bool:
    """Returns whether JAX's default devices will be CPUs, before its backend starts."""
    asked = (jax.config.jax_platforms or "").split(",")[0]  # type: ignore[attr-defined]
    return asked == "cpu" or (asked == "" and not visible_gpus(environ) and not visible_tpus(environ))


def _place(core: int) -> tuple[int, int, int]:
    """Returns where a core lies: hyper-threads of a core, and cores of a socket, follow each other."""
    facts = (_CORES / f"cpu{core}" / "topology" / name for name in ("physical_package_id", "core_id"))
    package, physical = (int(fact.read_text()) if fact.exists() else 0 for fact in facts)
    return package, physical, core


def _named(cores: Sequence[int]) -> str:
    """Returns "core 1", or "cores 0, 2"."""
    return f"core{'s' if len(cores) > 1 else ''} {', '.join(map(str, cores))}"
