"""The file in which the process that saves to a directory is written down."""

import json
import os
import platform
from pathlib import Path
from typing import Any

Owner = dict[str, Any]
NAME = ".owner.json"


def process(pid: int) -> Owner:
    """A process of this machine, as it writes itself down."""
    started = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19])
    boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    machine = f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    return {"host": platform.node(), "pid": pid, "started": started, "machine": machine}


def owner_of(directory: Path) -> Owner | None:
    """Who saves there, whatever it saves."""
    file = directory / NAME
    found: Owner | None = json.loads(file.read_text()) if file.exists() else None
    if found is not None:
        found.pop("saving", None)
    return found


def owned_by(directory: Path, owner: Owner) -> None:
    """From now on this one saves there."""
    (directory / NAME).write_text(json.dumps(owner))
