"""visible_gpus: the GPUs that this process may use, found without starting JAX, whose backend must not start before the job."""

import functools
import logging
import shutil
import subprocess
from collections.abc import Mapping

_PATIENCE = 20.0  # seconds; a driver may have to wake up first

_log = logging.getLogger("stratagem.cluster")


def visible_gpus(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the ids in CUDA_VISIBLE_DEVICES, else the indices of this machine's NVIDIA GPUs; none without a driver.

    Raises:
        subprocess.TimeoutExpired: `nvidia-smi` does not answer.
    """
    listed = environ.get("CUDA_VISIBLE_DEVICES")
    if listed is not None:
        return _ids(listed)
    command = shutil.which("nvidia-smi")
    return () if command is None else tuple(map(str, range(_present(command))))


def gpu_memory(gpu: str) -> int:
    """Returns the MiB of the GPU with one of the ids of `visible_gpus`.

    Raises:
        ValueError: `nvidia-smi` is missing, or does not know.
        subprocess.TimeoutExpired: it does not answer.
    """
    command = shutil.which("nvidia-smi")
    if command is None:
        raise ValueError(
            "The memory of a GPU can be limited where nvidia-smi says how much there is; it is not installed."
        )
    run = _run(command, f"--id={gpu}", "--query-gpu=memory.total", "--format=csv,noheader,nounits")
    answer = run.stdout.strip()
    if run.returncode != 0 or not answer.isdecimal():
        raise ValueError(f"nvidia-smi does not say how much memory GPU {gpu} has: {(run.stderr or answer).strip()!r}.")
    return int(answer)


@functools.cache
def _present(command: str) -> int:
    """Returns the number of GPUs that the driver has: the same while this process runs."""
    run = _run(command, "--list-gpus")
    if run.returncode != 0:  # a machine with NVIDIA's software and no GPU
        _log.warning("No GPU is counted: nvidia-smi says %r.", (run.stdout or run.stderr).strip())
        return 0
    return sum(line.startswith("GPU ") for line in run.stdout.splitlines())


def _run(command: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([command, *options], capture_output=True, text=True, timeout=_PATIENCE, check=False)


def _ids(listed: str) -> tuple[str, ...]:
    """Returns the ids up to the first invalid one, as CUDA reads them: "", "-1" and "NoDevFiles" hide every GPU."""
    ids = []
    for item in listed.split(","):
        if item.strip() in ("", "-1", "NoDevFiles"):
            break
        ids.append(item.strip())
    return tuple(ids)
