"""Compiled programs on disk: JAX's cache of them, with a folder that several processes share and whose size is limited.

What a program's key is, and how it is written and read, are JAX's (`jax._src.compilation_cache`). Of its own folders the one
without a limit grows for ever. The one with a limit needs another package, and stores nothing more once a process was killed
between the two files that it writes for a program.
"""

import functools
import hashlib
import logging
import os
import platform
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import jax
from jax._src import compilation_cache, compiler, distributed
from jax._src.compilation_cache_interface import CacheInterface

from stratagem._base.locks import locked

_SUFFIX: Final = ".program"
_UNFINISHED: Final = ".unfinished"
_DIGEST_BYTES: Final = hashlib.sha256().digest_size
_DIRECTORY: Final = "jax_compilation_cache_dir"

logger = logging.getLogger("stratagem")

_before: dict[str, str | int | float | None] = {}  # JAX's settings without our folder, while it is used


class ProgramFolder(CacheInterface):
    """A folder of compiled programs, where those used last stay.

    A file is a checksum and what JAX wrote; its time is that of its last use. Files come by renaming, so that readers need no
    lock; writers have one, since each of them removes what is too much.
    """

    def __init__(self, folder: Path, max_bytes: int) -> None:
        self._path = folder
        self._max_bytes = max_bytes

    def get(self, key: str) -> bytes | None:
        """Returns what is stored under a key; None, after a warning, if it is damaged."""
        path = self._file(key)
        try:
            content = path.read_bytes()
            path.touch()
        except FileNotFoundError:  # never written, or removed by another process
            return None
        digest, value = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
        if hashlib.sha256(value).digest() != digest:
            logger.warning("%s is damaged: the program is compiled again, and replaces it.", path)
            return None
        return value

    def put(self, key: str, value: bytes) -> None:
        """Stores a value, and removes those that were not used for longest until all are within the limit."""
        content = hashlib.sha256(value).digest() + value
        if len(content) > self._max_bytes:
            logger.info("%s is not stored: it is larger than all programs may be together.", key)
            return
        path = self._file(key)
        with locked(self._path / ".lock"):
            for left in self._path.glob(f"*{_UNFINISHED}"):  # by a process that was killed: this one alone has the lock
                left.unlink()
            written = path.with_suffix(_UNFINISHED)
            written.write_bytes(content)
            written.replace(path)
            self._trim()

    @functools.cached_property
    def _machine(self) -> str:
        """A digest of the CPU's kind, whose instructions programs have, and of its cores, among which their loops are divided.

        JAX's keys do not tell them. Asked at the first program, when a worker has its share of the cores.
        """
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
        facts = {platform.machine(), platform.processor(), f"{cores} cores"}
        with suppress(FileNotFoundError):  # Linux alone has it
            lines = Path("/proc/cpuinfo").read_text().splitlines()
            facts.update(line for line in lines if line.startswith(("model name", "flags", "Features")))
        return hashlib.sha256("\n".join(sorted(facts)).encode()).hexdigest()[:12]

    def _file(self, key: str) -> Path:
        return self._path / f"{key}-{self._machine}{_SUFFIX}"

    def _trim(self) -> None:
        found = [(path.stat(), path) for path in self._path.glob(f"*{_SUFFIX}")]
        total = sum(facts.st_size for facts, _ in found)
        for facts, path in sorted(found, key=lambda pair: pair[0].st_mtime_ns):
            if total <= self._max_bytes:
                return
            path.unlink()
            total -= facts.st_size


def store_programs(folder: Path, max_bytes: int) -> None:
    """Stores the programs that are compiled from now on in a folder, and reads those that are there."""
    if not _before:
        _before.update({name: jax.config.values[name] for name in _settings(folder)})
    _configure(_settings(folder))
    # Set rather than made by JAX at first use: JAX would make one of its own.
    compilation_cache._cache = ProgramFolder(folder, max_bytes)
    compilation_cache._cache_initialized = True


def stores_programs() -> bool:
    """Returns whether programs are stored for later processes, by `store_programs` or by a setting of JAX."""
    return bool(jax.config.values[_DIRECTORY])


def forget_programs() -> None:
    """Ends `store_programs`: JAX has the settings that it had before."""
    if _before:
        _configure(_before)
        _before.clear()


def let_workers_store_programs() -> None:
    """Every worker stores its programs in a folder of ours. JAX lets the first alone write, but keys name the devices."""
    compiler._cache_write = functools.partial(_write, compiler._cache_write)


def _write(write: Any, key: str, seconds: float, name: str, backend: Any, executable: Any, callbacks: Any) -> None:
    ours = isinstance(compilation_cache._cache, ProgramFolder)
    if not ours or distributed.global_state.process_id == 0 or callbacks:
        write(key, seconds, name, backend, executable, callbacks)
        return
    try:
        compilation_cache.put_executable_and_time(key, name, executable, backend, int(seconds))
    except (OSError, jax.errors.JaxRuntimeError) as error:
        logger.warning("The program %s is not stored, and compiled again at the next start: %s", name, error)


def _configure(settings: dict[str, str | int | float | None]) -> None:
    for name, value in settings.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


def _settings(folder: Path) -> dict[str, str | int | float | None]:
    return {
        _DIRECTORY: str(folder),
        # A start compiles dozens of programs that take a few hundredths of a second each.
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
        # Those of XLA for GPUs would be outside of the limit, and put the folder's name into every key.
        "jax_persistent_cache_enable_xla_caches": "none",
    }
