"""A supervisor's calls to the operating system: processes, signals, handles and folders."""

import contextlib
import fcntl
import os
import resource
import signal
import struct

from stratagem._base.errors import ClusterError
from stratagem._base.processes import stat_fields

_MAX_HANDLES = 1 << 16
_LONGEST_PATH = 60  # of a folder for sockets, whose own paths may have 107 characters

_GET_INFO = 0xC040FF0B  # PIDFD_GET_INFO of Linux 6.15
_INFO = struct.Struct("=Q52xi")  # the structure that it fills in: the mask first, the exit status last
_INFO_EXIT = 1 << 3


def describe_exit(pid: int, handle: int | None) -> str:
    """Returns in words how a process that is no child of this one has ended, if the system tells.

    handle: a pidfd of it, if known.
    """
    status = _status_of_zombie(pid)
    if status is None and handle is not None:
        status = _status_of_reaped(handle)
    if status is None:
        return "Its process ended without a word: it was killed (SIGKILL, out of memory?), crashed or called os._exit."
    code = os.waitstatus_to_exitcode(status)
    if code >= 0:
        return f"Its process ended without a word and before the job, with exit code {code}: by os._exit, or in C code."
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    why = " (by hand, or out of memory?)" if -code == signal.SIGKILL else ""
    return f"Its process ended without a word: {name}{why}."


def _status_of_zombie(pid: int) -> int | None:
    """Returns the exit status of a process whose parent has not waited for it yet."""
    fields = stat_fields(pid)
    return int(fields[49]) if fields is not None and fields[0] == "Z" else None


def _status_of_reaped(handle: int) -> int | None:
    """Returns the exit status of a process whose parent has waited for it; None before Linux 6.15."""
    info = bytearray(_INFO.pack(_INFO_EXIT, 0))
    try:
        fcntl.ioctl(handle, _GET_INFO, info)
    except OSError:
        return None
    mask, status = _INFO.unpack(info)
    return status if mask & _INFO_EXIT else None


def is_stopped(pid: int) -> bool:
    """Returns whether a process is stopped by a signal or a debugger."""
    fields = stat_fields(pid)
    return fields is not None and fields[0] in "Tt"


def signal_to(pid: int, number: int) -> None:
    """Sends a signal to a process, unless it has ended."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, number)


def folder_for_sockets() -> str:
    """Returns a folder in which to make one for sockets.

    Raises:
        ClusterError: no folder with a short path is writable.
    """
    tried = [os.environ.get("TMPDIR", "/tmp"), "/tmp", "/dev/shm", "/var/tmp"]
    for folder in tried:
        if os.path.isabs(folder) and len(folder) <= _LONGEST_PATH and os.access(folder, os.W_OK | os.X_OK):
            return folder
    raise ClusterError(
        f"A folder for sockets can be made in none of {', '.join(tried)}. Set TMPDIR to one that this user can write, with a "
        f"path of {_LONGEST_PATH} characters at most."
    )


def close_outputs() -> None:
    """Closes the standard outputs inherited from the task: a reader of them must not wait for the end of this process."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (1, 2):
        os.dup2(nothing, handle)
    os.close(nothing)


def raise_handle_limit() -> None:
    """Raises the limit of open handles as far as the system allows: rank 0's supervisor has three for every task."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    limit = _MAX_HANDLES if hard == resource.RLIM_INFINITY else min(hard, _MAX_HANDLES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
