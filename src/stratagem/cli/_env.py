"""`stratagem env`: prints the facts about a machine that a bug report needs, and no secrets."""

import importlib.metadata
import os
import platform
import re
import sys
from collections.abc import Iterator

import click
import jax

_PACKAGES = (
    *("stratagem", "jax", "jaxlib", "keras", "numpy", "grain", "ml-dtypes"),
    *("protobuf", "google-crc32c", "ray", "torch", "datasets", "tensorflow"),
)
_VARIABLES = re.compile(r"(JAX|XLA|KERAS|STRATAGEM|NCCL|CUDA|GLOO|SLURM|OMPI|OMP)_.*|PJRT_NPROC|TF_CONFIG|PYTHONPATH")
_HIDDEN = re.compile(r"TOKEN|SECRET|PASSWORD|CREDENTIAL|KEY|JWT|AUTH", re.IGNORECASE)


@click.command()
def command() -> None:
    """Print a report to paste into a bug report. Values of variables that may be secrets are left out."""
    for name, value in _facts():
        click.echo(f"{name:18} {value}")


def _facts() -> Iterator[tuple[str, str]]:
    yield "python", f"{sys.version.split()[0]} ({sys.executable})"
    yield "system", f"{platform.platform()} {platform.machine()}"
    yield "cores", str(len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count())
    yield "memory", f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 1e9:.1f} GB"
    for package in _PACKAGES:
        try:
            yield package, importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            yield package, "not installed"
    yield "devices", _devices()
    for name in sorted(filter(_VARIABLES.fullmatch, os.environ)):
        yield name, "(hidden)" if _HIDDEN.search(name) else os.environ[name]


def _devices() -> str:
    try:
        return ", ".join(f"{device.platform}:{device.id} {device.device_kind}" for device in jax.local_devices())
    except RuntimeError as error:
        return f"none: {error}"
