"""This machine's Ray node for a job: starts it once for all tasks here, with a secret, on loopback where that is enough."""

import contextlib
import fcntl
import hashlib
import hmac
import importlib.util
import logging
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stratagem._errors import ClusterError, UnavailableError
from stratagem.cluster import Address
from stratagem.cluster.control import INSECURE, is_secret, read_token
from stratagem.remote import _ray_keeper as keeper

logger = logging.getLogger("stratagem.remote")

NAMESPACE = "stratagem"
_STORE = 512 << 20  # bytes of shared memory for arrays on their way
_START_SECONDS = 120.0
_LOOK = 0.1


def join(head: Address, mine: Address) -> Any:
    """Make this process one of the job's Ray processes; returns the module `ray`.

    head: the address that the node of all nodes listens at: the chief's. mine: this task's own, which says what machine this
    is.

    Raises ClusterError if Ray is not installed, or the job's secret is missing; UnavailableError if the node does not start.
    """
    if importlib.util.find_spec("ray") is None:
        raise ClusterError(
            "Parameter servers in several processes need Ray: pip install 'stratagem[cluster]'. (In one process, make every "
            "task with tf.distribute.Server there.)"
        )
    loopback = head.loopback and mine.loopback
    token = read_token(os.environ, loopback=loopback)
    with _locked(head) as folder:
        _secure(folder, token, head, loopback=loopback)
        if not _runs(folder):
            _start(folder, head, mine)
        _register(folder)
    import ray  # reads its settings from the environment when it is imported

    if not ray.is_initialized():
        ray.init(
            address=str(head),
            namespace=NAMESPACE,
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
        )
    return ray


def _folder(head: Address) -> Path:
    """Private to this user, and short: Ray puts sockets below it."""
    root = Path("/tmp" if os.access("/tmp", os.W_OK) else tempfile.gettempdir(), f"stratagem-{os.geteuid()}")
    root.mkdir(mode=0o700, exist_ok=True)
    facts = root.lstat()
    if facts.st_uid != os.geteuid() or facts.st_mode & 0o077:
        raise ClusterError(f"{root} is not this user's alone. Remove it.")
    return root / f"ray-{head.port}"


@contextlib.contextmanager
def _locked(head: Address) -> Iterator[Path]:
    """The folder of this machine's node, which no other task looks at meanwhile."""
    folder = _folder(head)
    with open(os.open(f"{folder}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        (folder / "tasks").mkdir(mode=0o700, parents=True, exist_ok=True)
        yield folder


def _secure(folder: Path, token: bytes, head: Address, *, loopback: bool) -> None:
    """Ray's settings for this process and those that it starts: a secret of this job, no port beyond this machine."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    if is_secret(token):
        path = folder / "token"
        if not path.exists():
            with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(hmac.new(token, f"ray of {head}".encode(), hashlib.sha256).hexdigest())
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=str(path))
    else:
        logger.warning("WARNING: %s=1: whoever reaches the ports of this job can run code in it.", INSECURE)
        os.environ["RAY_AUTH_MODE"] = "disabled"
    if loopback:  # the name misleads: with 0, all of Ray's ports on this machine are on loopback only
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"


def _runs(folder: Path) -> bool:
    with contextlib.suppress(OSError, ValueError):
        pid, _, since = (folder / "keeper").read_text().partition(" ")
        return keeper.started_at(int(pid)) == since and (folder / "ready").exists()
    return False


def _register(folder: Path) -> None:
    (folder / "tasks" / str(os.getpid())).write_text(keeper.started_at(os.getpid()) or "")


def _start(folder: Path, head: Address, mine: Address) -> None:
    here = {"127.0.0.1", "localhost"} if head.loopback else {mine.host}
    ray = os.path.join(os.path.dirname(sys.executable), "ray")
    command = [ray, "start", "--block", "--num-cpus=0", f"--object-store-memory={_STORE}"]
    host = "127.0.0.1" if mine.loopback else mine.host
    command += [f"--node-ip-address={host}", "--disable-usage-stats"]
    if head.host in here:
        command += ["--head", f"--port={head.port}", f"--temp-dir={folder}/t", "--include-dashboard=false"]
        command += ["--include-log-monitor=false"]
    else:
        command += [f"--address={head}"]
    _register(folder)  # so that the keeper has somebody to wait for
    process = subprocess.Popen(
        [sys.executable, keeper.__file__, str(folder), *command], stdin=subprocess.DEVNULL, start_new_session=True
    )
    (folder / "keeper").write_text(f"{process.pid} {keeper.started_at(process.pid)}")
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end:
        if process.poll() is not None:
            raise UnavailableError(f"Ray's node for {head} did not start. Its last words: {_last_words(folder)}")
        if "Ray runtime started" in _log(folder):
            (folder / "ready").touch()
            return
        time.sleep(_LOOK)
    process.terminate()
    raise UnavailableError(f"Ray's node for {head} was not there after {_START_SECONDS:.0f} s: {_last_words(folder)}")


def _log(folder: Path) -> str:
    try:
        return (folder / "log").read_text(errors="replace")
    except OSError:
        return ""


def _last_words(folder: Path) -> str:
    return " | ".join(_log(folder).strip().splitlines()[-5:]) or "none"
