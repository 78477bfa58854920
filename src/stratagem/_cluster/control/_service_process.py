"""ServiceProcess: the process of JAX's coordination service, which rank 0's supervisor starts."""

import asyncio
from pathlib import Path
from typing import final

from stratagem._base.errors import ClusterError
from stratagem._base.programs import command
from stratagem._cluster.control._tunnel import Streams

_STOP_SECONDS = 5.0


@final
class ServiceProcess:
    """A started service. folder: private to this user, with the service's socket."""

    def __init__(self, process: asyncio.subprocess.Process, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self._ready = asyncio.create_task(self._read_ready_line())

    @classmethod
    async def start(cls, folder: Path, tasks: int, path: list[str]) -> "ServiceProcess":
        """Starts the process. path: where it finds jaxlib."""
        with (folder / "log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *command("_cluster/control/_service.py", folder / "service", tasks, path=path),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        return cls(process, folder)

    async def connect(self) -> Streams:
        """Returns a connection to the service, as soon as it is ready.

        Raises:
            ClusterError: the service did not start.
        """
        await self.until_ready()
        return await asyncio.open_unix_connection(self._folder / "service")

    async def until_ready(self, limit: float | None = None) -> None:
        """Waits until tasks can connect.

        Raises:
            ClusterError: the service did not start, or not within the limit in seconds.
        """
        try:
            async with asyncio.timeout(limit):
                await asyncio.shield(self._ready)
        except TimeoutError:
            raise ClusterError(f"JAX's coordination service did not start within {limit:.0f} s.") from None

    async def until_ended(self) -> None:
        """Waits until the process has ended."""
        await self._process.wait()

    async def stop(self) -> None:
        """Ends the process."""
        self._ready.cancel()
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()

    async def _read_ready_line(self) -> None:
        assert self._process.stdout is not None
        if await self._process.stdout.readline() != b"ready\n":
            lines = (self._folder / "log").read_text(errors="replace").splitlines()
            raise ClusterError(f"JAX's coordination service did not start: {lines[-1] if lines else 'it said nothing'}")
