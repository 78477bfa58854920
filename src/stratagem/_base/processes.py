"""The identity of a process: the system reuses process ids, but not together with the start time."""

import os
from pathlib import Path
from typing import NamedTuple

_STATE, _START = 0, 19  # in `stat_fields`


class ProcessId(NamedTuple):
    """One process of this machine, told from a later one with the same number.

    started: in clock ticks since the machine started; 0 where the system does not say, so that the number alone has to do.
    """

    pid: int
    started: int

    @classmethod
    def of(cls, pid: int) -> "ProcessId | None":
        """The process that has this number now; None if there is none, or it has ended and only its parent has to notice."""
        fields = stat_fields(pid)
        if fields is not None:
            return None if fields[_STATE] in "ZX" else cls(pid, int(fields[_START]))
        return cls(pid, 0) if _exists(pid) else None

    @classmethod
    def own(cls) -> "ProcessId":
        """This process."""
        return cls.of(os.getpid()) or cls(os.getpid(), 0)

    def is_running(self) -> bool:
        """True while this very process runs."""
        now = ProcessId.of(self.pid)
        return now is not None and (now.started == self.started or 0 in (now.started, self.started))


def stat_fields(pid: int) -> list[str] | None:
    """Returns the fields of /proc/<pid>/stat from the state on; None if there are none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    return text.rpartition(")")[2].split()  # the name before it is the program's to choose


def machine() -> str:
    """Equal in two processes that see the same process numbers; empty where the system does not say."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return True
