"""The memory of this machine. Sizes that a file or a message asks for are compared with it before anything is allocated."""

import os
import re
from pathlib import Path

from stratagem._base.errors import ResourceExhaustedError, StratagemError

_CGROUP = Path("/sys/fs/cgroup")


def machine_memory() -> int:
    """Returns the bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def available_memory() -> int:
    """Returns the bytes that this process can still take: of the machine's memory, and below its container's limit."""
    try:
        found = re.search(r"^MemAvailable: +(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except FileNotFoundError:  # not Linux
        found = None
    available = machine_memory() if found is None else int(found[1]) << 10
    limit = memory_left(_CGROUP)
    return available if limit is None else min(limit, available)


def memory_left(cgroup: Path) -> int | None:
    """Returns the bytes below the limit of this container; None without one."""
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            text, now = (cgroup / limit).read_text().strip(), (cgroup / used).read_text()
        except (FileNotFoundError, NotADirectoryError):
            continue
        return None if text == "max" or int(text) >= 1 << 60 else max(0, int(text) - int(now))
    return None


def refuse_more_than(memory: int, size: int, owner: str, kind: type[StratagemError] = ResourceExhaustedError) -> None:
    """Raises an error of this kind if `owner`, such as "The checkpoint 'x'", needs more bytes than these."""
    if size > memory:
        raise kind(
            f"{owner} needs {size:.3g} bytes, and this machine has {memory:.3g} bytes of memory for it. Nothing was allocated."
        )
