"""Two machines on this one: network namespaces with a cable between them, and a folder of each one's own for sockets."""

import os
import shutil
import subprocess
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

import pytest

CAN = os.geteuid() == 0 and all(map(shutil.which, ("ip", "unshare", "mount")))
needs_machines = pytest.mark.skipif(not CAN, reason="network namespaces need root and iproute2")
# What tasks of one machine share, beside its network.
_SHARED = Path(f"/tmp/stratagem-{os.geteuid()}")


@final
@dataclass(frozen=True)
class Machine:
    """One of the two. name: of its namespace, and of its end of the cable. folder: its own `/tmp/stratagem-<user>`."""

    name: str
    address: str
    folder: Path

    def command(self, command: Sequence[str]) -> list[str]:
        """The command, to be run on this machine."""
        mounted = f'mount --bind "{self.folder}" "{_SHARED}" && exec "$@"'
        return ["ip", "netns", "exec", self.name, "unshare", "--mount", "sh", "-c", mounted, "sh", *command]

    def plug(self) -> None:
        """Put the cable in."""
        _ip("-n", self.name, "link", "set", self.name, "up")

    def unplug(self) -> None:
        """Take the cable out: neither machine hears the other any more."""
        _ip("-n", self.name, "link", "set", self.name, "down")

    def unplug_for(self, seconds: float) -> None:
        """Take the cable out for so long."""
        self.unplug()
        time.sleep(seconds)
        self.plug()


@contextmanager
def two_machines(folder: Path) -> Iterator[tuple[Machine, Machine]]:
    """They keep their files in this folder; nothing of them is left."""
    mark = uuid.uuid4().hex[:8]
    both = tuple(Machine(f"st{mark}{i}", f"10.77.0.{i + 1}", folder / f"machine {i}") for i in range(2))
    first, second = both
    _SHARED.mkdir(mode=0o700, exist_ok=True)
    with ExitStack() as stack:
        for machine in both:
            machine.folder.mkdir(mode=0o700)
            _ip("netns", "add", machine.name)
            stack.callback(_ip, "netns", "del", machine.name)
            _ip("-n", machine.name, "link", "set", "lo", "up")
        cable = ("link", "add", first.name, "netns", first.name, "type", "veth", "peer")
        _ip(*cable, "name", second.name, "netns", second.name)
        for machine in both:
            _ip("-n", machine.name, "addr", "add", f"{machine.address}/24", "dev", machine.name)
            machine.plug()
        yield first, second
        for machine in both:
            assert not list(machine.folder.iterdir())


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)
