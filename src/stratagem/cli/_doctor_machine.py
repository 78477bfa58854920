"""`stratagem doctor` on this machine: Python and packages, cores, threads, limits, memory, the folder for checkpoints."""

import errno
import importlib.metadata
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import final

from packaging.requirements import Requirement

from stratagem._base.errors import AbortedError
from stratagem._base.files import atomic_write
from stratagem._base.installation import install_command
from stratagem._base.memory import memory_left
from stratagem._kernels import library_report
from stratagem.cli._doctor_finding import Finding, bad, doubtful, good
from stratagem.cli._tables import count, size

_OWN = "stratagem"
_LEAST_MEMORY = 1 << 30  # bytes: JAX, Keras and a small model take about half of it
_LEAST_DISK = 1 << 30
_WRITTEN = 4 << 20  # bytes that are written for a try
_SLOW_SECONDS = 2.0  # for these bytes to be safe on disk
_VOLATILE = {"tmpfs", "ramfs"}
_THREADS = ("PJRT_NPROC", "OMP_NUM_THREADS")
_MANY_THREADS = 16  # for each core; the library itself asks for some more than there are cores
_FLAGS, _READING_SECONDS = "XLA_FLAGS", 60.0


@final
@dataclass(frozen=True)
class ResourceLimit:
    """A limit of the system on a process. letter: of `ulimit`. least: what training needs, with room."""

    number: int
    letter: str
    what: str
    least: int
    meaning: str
    in_bytes: bool = False


_LIMITS = (
    ResourceLimit(
        resource.RLIMIT_AS, "v", "address space", 16 << 30, "JAX reserves more of it than it uses.", in_bytes=True
    ),
    ResourceLimit(
        resource.RLIMIT_FSIZE, "f", "size of files", 16 << 30, "A larger checkpoint cannot be saved.", in_bytes=True
    ),
    ResourceLimit(resource.RLIMIT_NOFILE, "n", "open files", 256, "Every file of data and every connection is one."),
    ResourceLimit(resource.RLIMIT_NPROC, "u", "processes and threads", 512, "Each device and each source has threads."),
    ResourceLimit(
        resource.RLIMIT_CPU, "t", "seconds of CPU time", 1 << 40, "The system kills the process after these."
    ),
)


def versions() -> Iterator[Finding]:
    """Compares Python and the packages that this library requires with what it was tested on."""
    try:
        required = importlib.metadata.requires(_OWN) or []
        own = importlib.metadata.metadata(_OWN)
    except importlib.metadata.PackageNotFoundError:
        yield doubtful("versions", f"{_OWN} is not installed: its files are only on the path.", install_command())
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
    allowed = allowed_cores()
    quota = cpu_quota(cgroup)
    text = f"{allowed} of {os.cpu_count()} cores"
    if quota is not None:
        text += f", and the container's limit is the time of {quota:g}"
    if quota is not None and quota < allowed and "PJRT_NPROC" not in environ:
        cure = f"XLA starts a thread for each core and is stopped when the time is used up: PJRT_NPROC={max(1, int(quota))}"
        yield doubtful("cores", text, f"{cure}, or raise the container's limit.")
        return
    if allowed == 1:
        cure = "XLA, the input and Python take turns on one. Allow more: `srun --cpus-per-task=4`, `taskset -c 0-3`."
        yield doubtful("cores", text, cure)
        return
    load = os.getloadavg()[0]
    if load > allowed + 1:
        cure = "Other programs compete with the job, and the slowest worker sets its pace. Find them with `top`."
        yield doubtful("cores", f"{text}; load {load:.1f}", cure)
        return
    yield good("cores", f"{text}; load {load:.1f}")


def allowed_cores() -> int:
    """The number of cores that this process may use, by its affinity."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads(environ: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """The numbers of threads that environment variables ask for, beside the number of cores."""
    allowed, given = allowed_cores(), [name for name in _THREADS if name in environ]
    wrong = [name for name in given if not re.fullmatch(r"\s*\d*[1-9]\d*\s*(,\s*\d*[1-9]\d*\s*)*", environ[name])]
    many = [name for name in given if name not in wrong and int(environ[name].split(",")[0]) > _MANY_THREADS * allowed]
    for name in wrong:
        yield bad("threads", f"{name}={environ[name]!r} is no number of threads", f"Unset it, or set it to {allowed}.")
    for name in many:
        cure = f"They wait for each other. Unset it, or set it to {allowed}."
        yield doubtful("threads", f"{name}={environ[name]} for {count(allowed, 'core')}", cure)
    if not wrong and not many:
        named = ", ".join(f"{name}={environ[name]}" for name in given)
        yield good("threads", named or f"XLA chooses their number, by {count(allowed, 'core')}")


def kernels() -> Iterator[Finding]:
    """The library that computes convolutions on CPUs, and what is slower without it."""
    used, found = library_report()
    if used:
        yield good("kernels", found)
    else:
        yield doubtful("kernels", found, "Programs run without it; docs/kernels.md says how to get it.")


def limits(read: Callable[[int], tuple[int, int]] = resource.getrlimit) -> Iterator[Finding]:
    """The limits of this process (`ulimit`) that are low enough to be met by training."""
    found = [(limit, read(limit.number)[0]) for limit in _LIMITS]
    low = [(limit, value) for limit, value in found if value != resource.RLIM_INFINITY and value < limit.least]
    for limit, value in low:
        shown = size(value) if limit.in_bytes else f"{value:,}"
        raising = f"`ulimit -{limit.letter} unlimited` where the job is started, or the administrator"
        cure = f"{limit.meaning} What raises it: {raising}."
        yield doubtful("limits", f"{limit.what}: at most {shown}", cure)
    if not low:
        yield good("limits", f"{', '.join(limit.what for limit, _ in found)}: none that training would meet")


def xla_flags(environ: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Lets another process read XLA_FLAGS, which ends the process that has a flag unknown to XLA."""
    if not environ.get(_FLAGS):
        return
    started = [sys.executable, "-c", "import jax; jax.local_devices()"]
    told = subprocess.run(
        started, env={**environ, "JAX_PLATFORMS": "cpu"}, capture_output=True, text=True, timeout=_READING_SECONDS
    )
    if told.returncode:
        lines = [line for line in told.stderr.splitlines() if line.strip()]
        said = lines[-1].strip() if lines else f"exit status {told.returncode}"
        cure = "XLA ends every process that has this. Remove the flag, or unset XLA_FLAGS."
        yield bad(_FLAGS, f"{environ[_FLAGS]}: {said}", cure)
    else:
        yield good(_FLAGS, environ[_FLAGS])


def storage_cure(error: Exception) -> str:
    """Returns what to do about an error of a folder for checkpoints."""
    if isinstance(error, AbortedError):
        return "This task could have saved its part. See what the one that it names finds."
    match error.errno if isinstance(error, OSError) else None:
        case errno.ENOSPC:
            return (
                "The disk is full, perhaps of inodes (`df -h`, `df -i`): make room, or name another one with --folder."
            )
        case errno.EDQUOT:
            return "Your share of the disk is used up (`quota -s`): make room, or name another one with --folder."
        case errno.EFBIG:
            return "A limit on the size of files is met (`ulimit -f`): raise it where the job is started."
        case errno.EROFS:
            return "It is mounted for reading only (`findmnt -T FOLDER`): mount it for writing, or name another with --folder."
        case errno.EACCES | errno.EPERM:
            return "This user may not write there (`ls -ld FOLDER`): change its owner or mode, or name another with --folder."
        case _:
            return "Checkpoints cannot be saved here. Name another one with --folder."


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
        yield bad("folder", f"{path}: {error.strerror}", storage_cure(error))
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
