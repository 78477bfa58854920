"""This machine's Ray node of a job: one task starts it for all tasks here, with a secret, on loopback where that suffices."""

import contextlib
import hashlib
import hmac
import importlib.util
import logging
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, final

from stratagem._base.errors import ClusterError, UnavailableError
from stratagem._base.files import write_text
from stratagem._base.installation import install_command
from stratagem._base.programs import command as program
from stratagem._base.slow_blocks import while_slow
from stratagem._cluster import Address
from stratagem._cluster.control import INSECURE, TimeLimits, is_secret, read_token
from stratagem._servers.remote._ray_folder import end_keeper, last_words, locked, log_of, note_keeper, register, runs

logger = logging.getLogger("stratagem.remote")

# The command `ray`, with grpcio hidden from it. With grpcio it would start a server for Ray Clients, which is not needed here,
# at a port that is the same in every job of a machine; and without grpcio it refuses an option for another port.
_RAY = "import sys; sys.modules['grpc'] = None; from ray.scripts.scripts import main; sys.exit(main())"
# Ports that the system is to choose. Ray's defaults are the same in every job of a machine, and it refuses a head at one of
# them: "localhost:12345", which is in half of all TF_CONFIGs, is among its workers' 10002 to 19999.
_ANY_PORTS = [f"--{name}=0" for name in ("min-worker-port", "max-worker-port", "dashboard-agent-listen-port")]
_STORE = 512 << 20  # bytes of shared memory for arrays that are being sent
_START_SECONDS = 120.0
_GAVE_UP = "timed out during startup"  # Ray itself waits for 30 s only: too short on a busy machine
_CONNECT_SECONDS = 5.0
_ADDRESS = "RAY_ADDRESS"
_RECONNECT = "RAY_gcs_rpc_server_reconnect_timeout_s"
_LOST_SECONDS = 20  # after which Ray stops looking for the head and ends the process; our own error comes earlier
_SILENT_SECONDS = 10.0  # without an answer of the head, after which the job is over
_ASK_SECONDS = 2.0  # the shortest time between two questions to the head
_LOOK = 0.1
_joined: "list[_NodeMonitor | _HeadMonitor]" = []  # what has to run for the Ray cluster of this process to work


def join(head: Address, mine: Address) -> Any:
    """Connects this process to the job's Ray cluster; starts this machine's node if there is none. Returns the module `ray`.

    head: the address of Ray's head node, the chief's. mine: this task's own address, which identifies this machine.

    Raises ClusterError if Ray is not installed, this process is connected to another Ray, or the job's secret is missing;
    UnavailableError if the node does not start.
    """
    if importlib.util.find_spec("ray") is None:
        raise ClusterError(
            f"Parameter servers in several processes need Ray: {install_command('cluster')}. (In one process, make every "
            "task with tf.distribute.Server there.)"
        )
    _check_no_other(head)
    loopback = head.loopback and mine.loopback
    token = read_token(os.environ, loopback=loopback)
    with (
        while_slow(_say_that_ray_starts),
        locked(head) as folder,
    ):  # another task of this machine may be starting the node
        _secure(folder, token, head, loopback=loopback)
        if not runs(folder):
            _start(folder, head, mine)
        register(folder)
        _joined.append(_NodeMonitor(folder, head))
    ray = _imported()
    if not ray.is_initialized():
        ray.init(
            address=str(head),
            log_to_driver=False,
            logging_level=logging.ERROR,
            configure_logging=False,
        )
    return ray


def _say_that_ray_starts(seconds: float) -> None:
    logger.info(
        "%.0f s: waiting for Ray, through which the tasks of a job with parameter servers connect, to start on this machine; "
        "that takes 5 to 30 s.",
        seconds,
    )


def _check_no_other(head: Address) -> None:
    """Raises ClusterError if this process is connected to another Ray, whose tasks may have the same names."""
    ray = sys.modules.get("ray")
    if ray is None or not ray.is_initialized() or any(isinstance(joined, _NodeMonitor) for joined in _joined):
        return
    client = ray.util.client.ray.is_connected()
    if client or Address.parse(ray.get_runtime_context().gcs_address).key != head.key:
        raise ClusterError(
            f"This process is connected to a Ray already, and the tasks of TF_CONFIG meet in one of their own, at {head}. "
            "Leave ray.init() out: once the task has started, the program can use that one. Or use RayClusterResolver, which "
            "runs the job on the Ray that is there."
        )


def private_folder() -> Path:
    """Returns the folder of this machine's Ray node, only for this user, while a task of the job runs here."""
    return next(joined.folder for joined in _joined if isinstance(joined, _NodeMonitor))


def logs() -> Path:
    """Returns the folder of the log files of this machine's Ray node."""
    return private_folder() / "t" / "session_latest" / "logs"


def this_node(ray: Any) -> Any:
    """Returns what tells Ray to start an actor on this machine."""
    return ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
        ray.get_runtime_context().get_node_id(), soft=False
    )


def join_existing() -> Any:
    """Joins the Ray cluster that this process is connected to, else that of RAY_ADDRESS; returns the module `ray`.

    Raises ClusterError if there is neither, or the process is connected as a Ray Client.
    """
    if importlib.util.find_spec("ray") is None:
        raise ClusterError(f"RayClusterResolver needs Ray: {install_command('cluster')}.")
    ray = _imported()
    if not ray.is_initialized():
        if not os.environ.get(_ADDRESS):
            raise ClusterError(
                f"RayClusterResolver: this process is connected to no Ray cluster. Call ray.init(address=...) first, or set "
                f"{_ADDRESS}."
            )
        ray.init(logging_level=logging.ERROR)  # what servers and workers print is printed here, with their names
    if ray.util.client.ray.is_connected():
        raise ClusterError(
            "RayClusterResolver: this process is a Ray Client (ray://), outside of the cluster. Run the program in it, by "
            "`ray job submit` say."
        )
    _joined[:] = [_HeadMonitor(Address.parse(ray.get_runtime_context().gcs_address))]
    return ray


def _imported() -> Any:
    # Without this, a thread that calls Ray after the program and Ray have ended would start another Ray.
    os.environ["RAY_ENABLE_AUTO_CONNECT"] = "0"
    hook = sys.excepthook
    import ray  # reads its settings from the environment when it is imported

    sys.excepthook = hook  # Ray's hook would report to the head before it prints, and wait for it even if it has ended
    return ray


def check() -> None:
    """Raises UnavailableError if this machine's node has ended, the head does not answer, or this process has left Ray."""
    if not sys.modules["ray"].is_initialized():
        raise UnavailableError("This process has left Ray, and with it the job.")
    for joined in _joined:
        joined.check()


def answers() -> bool:
    """Returns whether the head can be reached now. Any other call to Ray would wait until Ray ends this process."""
    return all(joined.answers() for joined in _joined)


@final
class _NodeMonitor:
    """The node of this machine, started by a task of the job."""

    def __init__(self, folder: Path, head: Address) -> None:
        self.folder, self._head = folder, _HeadMonitor(head)

    def check(self) -> None:
        """Raises UnavailableError if the node has ended, or the head does not answer."""
        if not runs(self.folder):
            raise UnavailableError(
                "Ray's node of this machine has ended, and with it the job. Was one of its processes killed, by hand or "
                "because memory was short?"
            )
        self._head.check()

    def answers(self) -> bool:
        """Returns whether the head can be reached now."""
        return self._head.answers()


@final
class _HeadMonitor:
    """Ray's head process, on this machine or another. Thread-safe."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._last_answer = self._asked = time.monotonic()

    def check(self) -> None:
        """Raises UnavailableError if the head has not answered for _SILENT_SECONDS."""
        with self._lock:
            now = time.monotonic()
            if now - self._asked < _ASK_SECONDS:
                return
            self._asked = now
        if not self.answers() and now - self._last_answer > _SILENT_SECONDS:
            raise UnavailableError(
                f"Ray's first process, at {self._address}, has not answered for {_SILENT_SECONDS:.0f} s, and with it the job "
                "has ended. Was it killed, or is the network down?"
            )

    def answers(self) -> bool:
        """Returns whether the head can be reached now."""
        now, reached = time.monotonic(), _listens(self._address)
        if reached:
            self._last_answer = now
        return reached


def _secure(folder: Path, token: bytes, head: Address, *, loopback: bool) -> None:
    """Sets Ray's environment variables, also for child processes: the job's secret, and loopback ports where possible."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    os.environ[_RECONNECT] = str(_LOST_SECONDS)
    # By default Ray runs its tasks at a low priority, but ours are the job itself.
    os.environ.setdefault("RAY_worker_niceness", "0")
    if is_secret(token):
        path = folder / "token"
        if not path.exists():
            write_text(path, hmac.new(token, f"ray of {head}".encode(), hashlib.sha256).hexdigest(), mode=0o600)
        os.environ.update(RAY_AUTH_MODE="token", RAY_AUTH_TOKEN_PATH=str(path))
    else:
        logger.warning("WARNING: %s=1: whoever reaches the ports of this job can run code in it.", INSECURE)
        os.environ["RAY_AUTH_MODE"] = "disabled"
    if loopback:  # the name misleads: with 0, all of Ray's ports on this machine are on loopback only
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"


def _start(folder: Path, head: Address, mine: Address) -> None:
    here = {"127.0.0.1", "localhost"} if head.loopback else {mine.host}
    command = [sys.executable, "-c", _RAY, "start", "--block", "--num-cpus=0", f"--object-store-memory={_STORE}"]
    command += _ANY_PORTS
    host = "127.0.0.1" if mine.loopback else mine.host
    command += [f"--node-ip-address={host}", "--disable-usage-stats"]
    if head.host in here:
        command += ["--head", f"--port={head.port}", f"--temp-dir={folder}/t", "--include-dashboard=false"]
        command += ["--include-log-monitor=false", "--no-monitor", "--dashboard-port=0"]
    else:
        _wait_for(head)
        command += [f"--address={head}"]
    register(folder)  # otherwise the keeper would find no task and end the node
    end = time.monotonic() + _START_SECONDS
    while not _started(folder, command, end):
        words = last_words(folder)
        if _GAVE_UP not in words or time.monotonic() > end:
            raise UnavailableError(f"Ray's node for {head} did not start. Its last words: {words}")
        (folder / "log").unlink()


def _started(folder: Path, command: list[str], end: float) -> bool:
    """Starts the node. Returns False if it ended at once. Raises UnavailableError if it is not ready at the time `end`."""
    process = subprocess.Popen(
        program("_servers/remote/_ray_keeper.py", folder, *command), stdin=subprocess.DEVNULL, start_new_session=True
    )
    note_keeper(folder, process.pid)
    while process.poll() is None:
        if "Ray runtime started" in log_of(folder):
            (folder / "ready").touch()
            return True
        if time.monotonic() > end:
            words = last_words(folder)
            end_keeper(folder)
            process.wait()
            raise UnavailableError(f"Ray's node was not there after {_START_SECONDS:.0f} s. Its last words: {words}")
        time.sleep(_LOOK)
    return False


def join_seconds() -> float:
    """Returns for how many seconds tasks wait for each other."""
    return TimeLimits.from_environment(os.environ).join


def _wait_for(head: Address) -> None:
    """Waits until the head, on another machine, accepts connections."""
    limit = join_seconds()
    end = time.monotonic() + limit

    def say(seconds: float) -> None:
        logger.info("%.0f of at most %g s: waiting for the chief's machine to listen at %s.", seconds, limit, head)

    with while_slow(say):
        while not _listens(head):
            if time.monotonic() > end:
                raise UnavailableError(
                    f"Nobody listens at {head}, the chief's address, after {limit:g} s (STRATAGEM_JOIN_SECONDS)."
                )
            time.sleep(_LOOK)


def _listens(head: Address) -> bool:
    with contextlib.suppress(OSError):
        socket.create_connection((head.host, head.port), timeout=_CONNECT_SECONDS).close()
        return True
    return False
