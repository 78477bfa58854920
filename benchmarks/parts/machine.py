"""What a figure depends on besides the programs: the machine, how busy it is, versions, the commit."""

import os
import platform
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parents[2]
_CPU = Path("/proc/cpuinfo")
_INSTRUCTIONS = (("amx_tile", "AMX"), ("avx512f", "AVX-512"), ("avx2", "AVX2"))
_LIBRARIES = ("jax", "jaxlib", "keras", "numpy", "ray")


@dataclass(frozen=True)
class Machine:
    """A processor, by the name that it gives itself, and the widest instructions that it has."""

    model: str
    cores: int
    instructions: str  # AMX, AVX-512, AVX2 or unknown

    def __str__(self) -> str:
        return f"{self.model}, {self.cores} cores, {self.instructions}"


def machine() -> Machine:
    """This machine. Where there is no /proc/cpuinfo its instructions are unknown."""
    text = _CPU.read_text() if _CPU.exists() else ""
    named = re.search(r"^model name\s*: (.*)$", text, re.MULTILINE)
    instructions = next((name for flag, name in _INSTRUCTIONS if re.search(rf"\b{flag}\b", text)), "unknown")
    return Machine(named[1] if named else platform.machine(), os.cpu_count() or 1, instructions)


def limit(*, avx2: float, avx512: float) -> float:
    """The target of a ratio on a machine of this kind: peers use the wider instructions more than XLA does."""
    return avx512 if machine().instructions in ("AMX", "AVX-512") else avx2


def load() -> float:
    """Processes that want to run, the mean of a minute: above the number of cores it makes intervals wide."""
    return round(os.getloadavg()[0], 1)


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that a step goes through; those of peers are in `parts.peers`."""
    found = {"python": platform.python_version()}
    for name in _LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def version_in(python: str, distribution: str) -> str:
    """The version of a distribution that another Python has, or "" where it has none."""
    if python == sys.executable:
        return versions().get(distribution, "")
    code = f"from importlib import metadata; print(metadata.version({distribution!r}))"
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def commit() -> str:
    """The commit that is measured, with a plus if files differ from it; "" outside of a checkout."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return ""
