"""visible_gpus: the GPUs that this process may use, found without starting JAX, whose backend must not start before the job."""

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
    if command is None:
        return ()
    run = subprocess.run([command, "--list-gpus"], capture_output=True, text=True, timeout=_PATIENCE, check=False)
    if run.returncode != 0:  # a machine with NVIDIA's software and no GPU
        _log.warning("No GPU is counted: nvidia-smi says %r.", (run.stdout or run.stderr).strip())
        return ()
    return tuple(str(i) for i in range(sum(line.startswith("GPU ") for line in run.stdout.splitlines())))


def _ids(listed: str) -> tuple[str, ...]:
    """Returns the ids up to the first invalid one, as CUDA reads them: "", "-1" and "NoDevFiles" hide every GPU."""
    ids = []
    for item in listed.split(","):
        if item.strip() in ("", "-1", "NoDevFiles"):
            break
        ids.append(item.strip())
    return tuple(ids)
