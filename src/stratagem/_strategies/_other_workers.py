"""warn_of_other_workers: a strategy of one process, in a process that a launcher started as one of several workers."""

import logging
import os
from collections.abc import Mapping

from stratagem._base.errors import ClusterError, FailedPreconditionError
from stratagem._base.job import process_job
from stratagem._cluster import default_resolver, job_of

_log = logging.getLogger("stratagem.cluster")


def warn_of_other_workers(strategy: str, environ: Mapping[str, str] = os.environ) -> None:
    """Warns if the environment names several workers that train together: each would train alone, on all rows.

    strategy: the name of the strategy that is made. It does not read the environment itself, so nothing is wrong for it if a
    cluster is incomplete, or this task does not train.
    """
    if process_job().workers > 1:
        return  # the program has a strategy for all workers, too
    try:
        found = job_of(default_resolver(dict(environ), quiet=True))  # a copy: Slurm's resolver writes to it
    except (ClusterError, FailedPreconditionError):
        return
    if found is not None and found.size > 1:
        _log.warning(
            "%s names %d workers (%s), and %s uses the devices of this process alone: each worker trains its own model on all "
            "rows, and all write the same files. Use tf.distribute.MultiWorkerMirroredStrategy() to train together.",
            found.source, found.size, ", ".join(map(str, found.tasks)), strategy,
        )  # fmt: skip
