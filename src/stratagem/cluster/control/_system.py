"""What a supervisor asks of the operating system."""

import contextlib
import os
import resource
from pathlib import Path

from stratagem._errors import ClusterError

_MOST_HANDLES = 1 << 16
_LONGEST_PATH = 60  # of a folder for sockets, whose own paths may have 107 characters


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal, or by a debugger."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in "Tt"
    except OSError:
        return False


def signal_to(pid: int, number: int) -> None:
    """Send a signal to a process, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def folder_for_sockets() -> str:
    """Where to make a folder for sockets.

    Raises:
        ClusterError: nothing with a short path can be written.
    """
    tried = [os.environ.get("TMPDIR", "/tmp"), "/tmp", "/dev/shm", "/var/tmp"]
    for place in tried:
        if os.path.isabs(place) and len(place) <= _LONGEST_PATH and os.access(place, os.W_OK | os.X_OK):
            return place
    raise ClusterError(
        f"A folder for sockets can be made in none of {', '.join(tried)}. Set TMPDIR to one that this user can write, with a "
        f"path of {_LONGEST_PATH} characters at most."
    )


def let_go_of_outputs() -> None:
    """Close what this process has of its parent's outputs: whoever reads them must not wait for the end of this process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (1, 2):
        os.dup2(nothing, handle)
    os.close(nothing)


def allow_many_handles() -> None:
    """As many as the system allows: the supervisor of rank 0 has three for every task."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    most = _MOST_HANDLES if hard == resource.RLIM_INFINITY else min(hard, _MOST_HANDLES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
