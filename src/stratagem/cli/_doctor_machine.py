"""`stratagem doctor` on this machine: Python and packages, cores and their limits, memory, the folder for checkpoints."""

import importlib.metadata
import os
import platform
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from packaging.requirements import Requirement

from stratagem._base.files import atomic_write
from stratagem.cli._doctor_finding import Finding, bad, doubtful, good
from stratagem.cli._tables import size

_OWN = "stratagem"
_LEAST_MEMORY = 1 << 30  # bytes: JAX, Keras and a small model take about half of it
_LEAST_DISK = 1 << 30
_WRITTEN = 4 << 20  # bytes that are written for a try
_SLOW_SECONDS = 2.0  # for these bytes to be safe on disk
_VOLATILE = {"tmpfs", "ramfs"}


def versions() -> Iterator[Finding]:
    """Compares Python and the packages that this library requires with what it was tested on."""
    try:
        required = importlib.metadata.requires(_OWN) or []
        own = importlib.metadata.metadata(_OWN)
    except importlib.metadata.PackageNotFoundError:
        yield doubtful("versions", f"{_OWN} is not installed: its files are only on the path.", "pip install stratagem")
        return
    yield _against("python", platform.python_version(), Requirement(f"python{own['Requires-Python'] or ''}"))
    outside = []
    named = []
    everybody = [r for r in map(Requirement, required) if r.marker is None or r.marker.evaluate({"extra": ""})]
    for requirement in everybody:
        finding = _installed(requirement)
        named += [finding.found] if requirement.name in ("jax", "jaxlib", "keras", "numpy") else []
        outside += [finding] if finding.cure else []
    yield from outside
    if not outside:
        yield good("packages", f"{', '.join(named)}; all {len(everybody)} requirements are met")


def _installed(requirement: Requirement) -> Finding:
    try:
        return _against(requirement.name, importlib.metadata.version(requirement.name), requirement)
    except importlib.metadata.PackageNotFoundError:
        return bad(requirement.name, "is not installed", f"pip install '{requirement.name}{requirement.specifier}'")


def _against(name: str, version: str, requirement: Requirement) -> Finding:
    """The finding about one version. One outside of the bounds may work, and nobody has tried."""
    if requirement.specifier.contains(version, prereleases=True):
        return good(name, f"{name} {version}")
    cure = "Use such a Python." if name == "python" else f"pip install '{name}{requirement.specifier}'"
    return bad(name, f"{name} {version}; tested are versions {requirement.specifier}", cure)


def cores(environ: Mapping[str, str] = os.environ, cgroup: Path = Path("/sys/fs/cgroup")) -> Iterator[Finding]:
    """The cores that this process may use, by its affinity and by the limit of its container."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = cpu_quota(cgroup)
    text = f"{allowed} of {os.cpu_count()} cores"
    if quota is not None:
        text += f", and the container's limit is the time of {quota:g}"
    threads = {name: environ[name] for name in ("PJRT_NPROC", "OMP_NUM_THREADS") if name in environ}
    if threads:
        text += f"; {', '.join(f'{name}={value}' for name, value in threads.items())}"
    if quota is not None and quota < allowed and "PJRT_NPROC" not in environ:
        cure = f"XLA starts a thread for each core and is stopped when the time is used up: PJRT_NPROC={max(1, int(quota))}"
        yield doubtful("cores", text, f"{cure}, or raise the container's limit.")
        return
    load = os.getloadavg()[0]
    if load > allowed + 1:
        cure = "Other programs compete with the job, and the slowest worker sets its pace. Find them with `top`."
        yield doubtful("cores", f"{text}; load {load:.1f}", cure)
        return
    yield good("cores", f"{text}; load {load:.1f}")


def cpu_quota(cgroup: Path) -> float | None:
    """The limit of this container in cores, of version 2 or 1 of control groups; None without one."""
    try:
        quota, period = (cgroup / "cpu.max").read_text().split()
    except (FileNotFoundError, NotADirectoryError):
        try:
            quota = (cgroup / "cpu/cpu.cfs_quota_us").read_text().strip()
            period = (cgroup / "cpu/cpu.cfs_period_us").read_text().strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
    return None if quota in ("max", "-1") else int(quota) / int(period)


def memory(meminfo: Path = Path("/proc/meminfo"), cgroup: Path = Path("/sys/fs/cgroup")) -> Iterator[Finding]:
    """The memory that is available, within the limit of the container."""
    numbers = {k: int(v) << 10 for k, v in re.findall(r"^(\w+): +(\d+) kB$", meminfo.read_text(), re.MULTILINE)}
    available, text = (
        numbers["MemAvailable"],
        f"{size(numbers['MemAvailable'])} of {size(numbers['MemTotal'])} available",
    )
    limit = memory_left(cgroup)
    if limit is not None and limit < available:
        available, text = limit, f"{text}, and {size(limit)} are left of the container's limit"
    if available < _LEAST_MEMORY:
        cure = "The system kills the process that needs more (SIGKILL). End other programs, or raise the limit."
        yield doubtful("memory", text, cure)
    else:
        yield good("memory", text)


def memory_left(cgroup: Path) -> int | None:
    """The bytes below the limit of this container; None without one."""
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


def folder(path: Path, mounts: Path = Path("/proc/self/mounts")) -> Iterator[Finding]:
    """Tries what saving a checkpoint needs of a local folder: write, fsync, rename, read, remove; and looks at its disk."""
    path = path.absolute()
    if not path.is_dir():
        yield bad("folder", f"{path} is not a directory", "Make it, or name another one with --folder.")
        return
    tried, data = path / f".stratagem-doctor-{os.getpid()}", os.urandom(_WRITTEN)
    began = time.monotonic()
    try:
        with atomic_write(tried) as written:
            written.write_bytes(data)
        seconds = time.monotonic() - began
        same = tried.read_bytes() == data
    except OSError as error:
        yield bad("folder", f"{path}: {error.strerror}", "Checkpoints cannot be saved here. Name another --folder.")
        return
    finally:
        tried.unlink(missing_ok=True)
    kind, free = file_system_of(path, mounts), shutil.disk_usage(path).free
    text = f"{path} ({kind}): {size(_WRITTEN)} written, synchronised and renamed in {seconds:.2f} s; {size(free)} free"
    if not same:
        yield bad("folder", f"{path} ({kind}) returned other bytes than were written", "Do not keep checkpoints there.")
    elif free < _LEAST_DISK:
        yield doubtful("folder", text, "A full disk is an error in the middle of a job. Make room first.")
    elif kind in _VOLATILE:
        yield doubtful("folder", text, "What is here is memory, and lost when the machine starts again.")
    elif seconds > _SLOW_SECONDS:
        yield doubtful(
            "folder", text, "Saving will be slow: use a faster disk, or CheckpointOptions(enable_async=True)."
        )
    else:
        yield good("folder", text)


def file_system_of(path: Path, mounts: Path) -> str:
    """The type of the file system that has a path, such as ext4 or nfs4; `unknown` where the system does not tell."""
    if not mounts.exists():
        return "unknown"
    places = [line.split()[1:3] for line in mounts.read_text().splitlines()]
    resolved = path.resolve()
    holding = [(Path(place), kind) for place, kind in places if resolved.is_relative_to(place.replace("\\040", " "))]
    return max(holding, key=lambda pair: len(str(pair[0])), default=(path, "unknown"))[1]
