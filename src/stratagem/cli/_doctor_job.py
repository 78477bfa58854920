"""`stratagem doctor` with JAX: devices, and what the tasks of a job do together: join, all-reduce, clocks, checkpoints."""

import importlib.util
import os
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem import _hooks
from stratagem._base.errors import DeviceError
from stratagem._base.installation import install_command
from stratagem._base.job import Job
from stratagem._base.paths import is_remote
from stratagem._base.processes import machine
from stratagem._base.storage import file_system
from stratagem._checkpoints import Checkpoint
from stratagem._cluster import ClusterResolver, visible_gpus
from stratagem._core.values import Variable
from stratagem._strategies import (
    AbstractStrategy,
    CommunicationOptions,
    MirroredStrategy,
    MultiWorkerMirroredStrategy,
    get_replica_context,
)
from stratagem.cli._doctor_finding import Finding, bad, doubtful, good, guarded
from stratagem.cli._doctor_machine import storage_cure
from stratagem.cli._tables import count, size

_NUMBERS = 1 << 20  # float32: gradients of a small model
_ROUNDS = 5  # of all-reduces, and of looks at the clocks
_CLOCK_SECONDS = 1.0  # by which clocks may differ

_hooks.install()  # as `import stratagem as tf` does at the first name that a program uses


def strategy_of(resolver: ClusterResolver | None, seconds: float) -> AbstractStrategy:
    """Joins the job, or makes a strategy of this machine's devices where there is none.

    Raises whatever keeps the job from starting: ClusterError, PeerFailedError, DeviceError.
    """
    if resolver is None:
        return MirroredStrategy()
    return MultiWorkerMirroredStrategy(resolver, CommunicationOptions(timeout_seconds=seconds))


def devices() -> Iterator[Finding]:
    """The devices that JAX computes on, and GPUs that it does not see."""
    try:
        found = jax.local_devices()
    except RuntimeError as error:
        raise DeviceError(f"JAX has no device: {error}") from error
    text = ", ".join(f"{d.platform}:{d.id} {d.device_kind}" for d in found)
    hidden = visible_gpus(os.environ) if found[0].platform == "cpu" else ()
    told = os.environ.get("JAX_PLATFORMS", "").split(",")[0] == "cpu"
    if hidden and not told:
        plugin = importlib.util.find_spec("jax_cuda12_plugin") or importlib.util.find_spec("jax_cuda13_plugin")
        cure = "JAX's CUDA plugin does not start: run `python -c 'import jax; jax.devices(\"cuda\")'` for its reason."
        yield doubtful(
            "devices",
            f"{text}; {len(hidden)} NVIDIA GPUs are not used",
            cure if plugin else f"{install_command('cuda')}, or set JAX_PLATFORMS=cpu to use none.",
        )
    else:
        yield good("devices", f"{text}{' (JAX_PLATFORMS=cpu)' if told else ''}")


def all_reduce(strategy: AbstractStrategy) -> Iterator[Finding]:
    """Sums numbers over all replicas a few times, and compares the sums with what they have to be."""
    replicas = strategy.num_replicas_in_sync

    def step() -> jax.Array:
        context = get_replica_context()
        assert context is not None  # `run` calls this in a replica
        mine = jnp.ones(_NUMBERS, jnp.float32) * (context.replica_id_in_sync_group + 1)
        return context.all_reduce("SUM", mine)

    seconds = []
    for _ in range(_ROUNDS + 1):
        began = time.monotonic()
        total = np.asarray(strategy.reduce("MEAN", strategy.run(step), axis=None))
        seconds.append(time.monotonic() - began)
    expected = replicas * (replicas + 1) / 2
    if not np.array_equal(total, np.full(_NUMBERS, expected, np.float32)):
        text = f"the sum over {replicas} replicas is {total.min():g} to {total.max():g}, not {expected:g}"
        yield bad(
            "all-reduce", text, "Do not train on this machine. Are the versions of all hosts, and its memory, sound?"
        )
        return
    text = f"{size(4 * _NUMBERS)} over {replicas} replica{'s' * (replicas > 1)} in {1e3 * min(seconds[1:]):.1f} ms"
    yield good("all-reduce", f"{text}; the first took {seconds[0]:.2f} s, with compiling")


def shared_cores(job: Job, cores: int, tasks: Sequence[str]) -> Iterator[Finding]:
    """The tasks on this machine, beside the cores that they share. cores: those that this task could use before it joined."""
    here = (socket.gethostname(), machine())
    found = job.agree("where tasks are, and their cores", [*here, cores])
    mine = [(task, each[2]) for task, each in zip(tasks, found, strict=True) if tuple(each[:2]) == here]
    if len(mine) > 1:
        most = max(number for _, number in mine)
        text = f"{', '.join(task for task, _ in mine)} share {count(most, 'core')}"
        if len(mine) > most:
            cure = "They take turns, and the slowest sets the pace. Start fewer tasks here, or allow more cores."
            yield doubtful("cores", text, cure)
        else:
            yield good("cores", text)


def clocks(job: Job, tasks: Sequence[str]) -> Iterator[Finding]:
    """Compares the clocks of all tasks with the chief's."""
    seen = []
    for number in range(_ROUNDS):
        sent = time.time()
        read = job.agree(f"clock {number}", sent)
        seen.append((sent, time.time(), read))
    # A task reads its clock after the chief has sent its previous reading, and before the chief has all of this round's.
    windows: list[list[float]] = job.agree("the chief's times", [[sent, received] for sent, received, _ in seen])[0]
    for i in range(1, job.workers):
        readings = [read[i] for _, _, read in seen]
        low = max(reading - window[1] for reading, window in zip(readings, windows, strict=True))
        high = min(reading - window[0] for reading, window in zip(readings[1:], windows, strict=False))
        text = f"{tasks[i]} is {(low + high) / 2:+.3f} s from {tasks[0]}, within {abs(high - low) / 2:.3f} s"
        if low > _CLOCK_SECONDS or high < -_CLOCK_SECONDS:
            cure = "Times in logs and of files are wrong there. Synchronise its clock: `timedatectl set-ntp true`, or chrony."
            yield doubtful("clocks", text, cure)
        else:
            yield good("clocks", text)


def checkpoint(job: Job, folder: str, tasks: Sequence[str]) -> Iterator[Finding]:
    """Saves a checkpoint of every task's own below `folder`, and reads it back; says who sees the chief's files."""
    files = file_system(folder)
    mark = job.agree("the doctor's folder", f".stratagem-doctor-{secrets.token_hex(6)}")[0]
    common = f"{folder.rstrip('/') or '/'}/{mark}"
    problems = list(guarded("checkpoint", lambda: _prepared(folder, common, chief=job.worker == 0), storage_cure))
    yield from problems
    ready = job.agree("folders are there", not problems)
    # The chief removes what it shares with others; this is decided while all of it is there.
    removes = job.worker == 0 or not files.exists(f"{common}/here")
    try:
        if all(ready):
            yield from _seen(job, folder, files.exists(f"{common}/here"), tasks)
            path = f"{common}/{tasks[job.worker].replace(':', '-').replace(' ', '-')}"
            yield from guarded("checkpoint", lambda: _saved(path), storage_cure)
        elif not problems:
            failed = ", ".join(task for task, is_ready in zip(tasks, ready, strict=True) if not is_ready)
            yield bad("checkpoint", f"not tried, since {failed} cannot write to {folder}", "See what it finds.")
        job.agree("checkpoints are read", True)
    finally:
        if removes and files.exists(common):
            files.remove_tree(common)


def _prepared(folder: str, common: str, *, chief: bool) -> Iterator[Finding]:
    """Makes the folder of the try, with the chief's mark in it. A local `folder` has to exist: none is left behind."""
    files = file_system(folder)
    if not is_remote(folder) and not files.is_directory(folder):
        yield bad(
            "checkpoint", f"there is no folder {folder} on this host", "Make it, or name another one with --folder."
        )
    elif chief:
        files.make_directories(common)
        files.write(f"{common}/here", b"x")


def _seen(job: Job, folder: str, here: bool, tasks: Sequence[str]) -> Iterator[Finding]:
    seen = job.agree("who sees the chief's file", here)
    without = [task for task, sees in zip(tasks, seen, strict=True) if not sees]
    if without:
        cure = (
            "Only the chief saves, and all read when they go on: use a folder that all hosts share (NFS, gs://, s3://)."
        )
        yield doubtful("checkpoint", f"{', '.join(without)}: another {folder} than {tasks[0]}'s", cure)
    elif job.workers > 1:
        yield good("checkpoint", f"all {job.workers} tasks see the same {folder}")


def _saved(path: str) -> Iterator[Finding]:
    numbers = np.random.default_rng(0).normal(size=_NUMBERS).astype(np.float32)
    began = time.monotonic()
    saved = Checkpoint(numbers=Variable(numbers)).save(f"{path}/try")
    seconds = time.monotonic() - began
    restored = Variable(np.zeros_like(numbers))
    Checkpoint(numbers=restored).restore(saved).assert_consumed()
    if not np.array_equal(restored.numpy(), numbers):
        yield bad("checkpoint", f"{path}: other numbers are read than were saved", "Do not keep checkpoints there.")
    else:
        where = "remote" if is_remote(path) else "local"
        yield good("checkpoint", f"{size(numbers.nbytes)} saved ({where}) in {seconds:.2f} s, read back and equal")


def exchanged(job: Job, findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """Returns the findings of every task, by rank, with the name of its host."""
    own: Any = {"host": socket.gethostname(), "findings": [finding.as_json() for finding in findings]}
    reports = job.agree("the doctor's findings", own)
    return [(report["host"], [Finding.from_json(each) for each in report["findings"]]) for report in reports]
