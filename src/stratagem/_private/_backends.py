"""JAX's backends: the threads and devices that they start with, and the job that they belong to."""

import contextlib
import logging
import os
import re
from collections.abc import Iterator
from typing import Any, final

import jax
from jax._src import distributed as jax_distributed
from jax._src import xla_bridge

from stratagem._base.program_line import call_of_program

POOL = "PJRT_NPROC"  # the number of threads of XLA's CPU client, in the environment
_started_by = ""


def reserve_threads(replicas: int) -> None:
    """Give XLA's CPU client threads enough for `replicas` virtual devices, before it starts.

    A replica that runs holds a thread until all others are as far, and so may each one's start of a later program, which waits
    while 32 are under way (programs of JAX; steps do not run so far ahead). With as many threads as cores, XLA's default, two
    replicas on two cores had none for the one that an all-reduce waited for: every run of the tutorial's CNN stopped within an
    epoch. More threads than cores and these need cost time, as operations are divided into as many parts. XLA reads the number
    from the environment, and only there. A number that the user has set stands if it is large enough.
    """
    if replicas > 1 and not backends_started():
        os.environ[POOL] = str(max(int(os.environ.get(POOL, _cores())), 2 * replicas))


def reserve_worker_threads(devices: int) -> None:
    """Give XLA's CPU client of a worker with `devices` devices threads enough, before it starts and after cores are divided.

    An all-reduce that waits for other workers holds a thread, so they are as many as for one replica more. Not where a worker
    has one device and one core: nothing that it computes has parts for other threads, so none waits for one, and idle threads
    that look for work take turns with the one that computes: a step of the tutorial's CNN took 1.35 times as long with six.
    """
    if devices > 1 or _cores() > 1:
        reserve_threads(devices + 1)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def configured_cpu_devices() -> int:
    """Returns the number of CPU devices that JAX will start with, as far as its configuration says."""
    flag = re.search(r"--xla_force_host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    return max(jax.config.jax_num_cpu_devices, int(flag[1]) if flag else 1)  # type: ignore[attr-defined]


def backends_started() -> bool:
    """True once JAX has started a backend, after which devices can no longer be configured."""
    return bool(xla_bridge.backends_are_initialized())


def note_backend_start() -> None:
    """Have the first start of a backend note the line of the program that it was for."""
    start = xla_bridge._init_backend

    def noted(platform: str) -> Any:
        global _started_by
        _started_by = _started_by or call_of_program()
        return start(platform)

    xla_bridge._init_backend = noted


def schedule_threads_of_replicas() -> None:
    """Have threads of XLA's CPU client not take each other's cores when they wake, where every core has a replica's thread.

    An operation wakes threads for its parts, and by default one that wakes may take the core of a thread that computes: that of
    another replica, if there are as many as cores. Threads inherit how the one that starts them is scheduled.
    """
    start = xla_bridge._init_backend

    def scheduled(platform: str) -> Any:
        each_core = configured_cpu_devices() >= max(2, _cores())
        with _batch_scheduling() if platform == "cpu" and each_core else contextlib.nullcontext():
            return start(platform)

    xla_bridge._init_backend = scheduled


@contextlib.contextmanager
def _batch_scheduling() -> Iterator[None]:
    """Schedules threads that this one starts in the body as batch jobs; on Linux, unless the user or a sandbox objects."""
    changed = False
    with contextlib.suppress(OSError):  # a sandbox does not let threads ask, or change it
        if hasattr(os, "SCHED_BATCH") and os.sched_getscheduler(0) == os.SCHED_OTHER:
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
            changed = True
    try:
        yield
    finally:
        if changed:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def backend_started_by() -> str:
    """Returns the call of the program that started JAX's backend, as ", by `x = tf.ones(3)` (train.py, line 7)"; or ""."""
    return f", by {_started_by}" if _started_by else ""


def connect_backend(client: Any, rank: int, processes: int) -> None:
    """Make JAX's backend, which must not have started, one of a job's. `client` is connected to the coordination service.

    JAX's own `initialize` cannot be used: its client aborts the process when the service or a peer is gone.
    """
    state = jax_distributed.global_state
    state.client, state.process_id, state.num_processes = client, rank, processes
    jax.config.update("jax_cpu_collectives_implementation", "gloo")


def reserve_configured_threads() -> None:
    """Reserve threads for the CPU devices that JAX's configuration asks for, unless its backend has started."""
    reserve_threads(configured_cpu_devices())


@final
class _MissingTpu(logging.Filter):
    """Drops JAX's note that libtpu is not installed, which it logs only where the program has not asked for a TPU."""

    def filter(self, record: logging.LogRecord) -> bool:
        text = record.getMessage()
        return not (
            record.levelno == logging.INFO
            and text.startswith("Unable to initialize backend 'tpu'")
            and "libtpu.so: cannot open shared object file" in text
        )


def hide_missing_tpu() -> None:
    """Hide, in programs that log from INFO on, one line of JAX's about a TPU that nobody expects."""
    xla_bridge.logger.addFilter(_MissingTpu())
