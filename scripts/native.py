"""Build the library of kernels, `native/`, from oneDNN and the headers of JAX's foreign function interface.

    python scripts/native.py                    with the oneDNN of this environment, the extra `kernels`
    python scripts/native.py --onednn FOLDER    with a static one that is installed there, for a wheel (docs/kernels.md)

Without a compiler or oneDNN it says so, and builds nothing: XLA's own kernels serve.
"""

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax.ffi

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "native").glob("*.cc"))
TARGET = ROOT / "src/stratagem/_kernels/libstratagem_kernels.so.1"
EXPORTS = ROOT / "native/exports.map"
FLAGS = ["-O3", "-std=c++17", "-Wall", "-Wextra", "-Wno-psabi", "-Werror", "-fPIC", "-fvisibility=hidden"]
# Neither changes a result: square roots need not set errno, and no exception of floating-point numbers is trapped.
FLAGS += ["-fno-math-errno", "-fno-trapping-math"]


def main() -> None:
    """Build it, or say why not."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--onednn", type=Path, help="where a static oneDNN was installed: it has include/ and lib/libdnnl.a"
    )
    onednn: Path | None = parser.parse_args().onednn
    compiler = os.environ.get("CXX") or shutil.which("g++") or shutil.which("clang++")
    prefix = onednn or Path(sysconfig.get_path("data"))
    headers = prefix / "include/oneapi/dnnl/dnnl.hpp"
    if compiler is None or not headers.exists():
        missing = "a C++ compiler (g++)" if compiler is None else f"oneDNN ({headers})"
        print(f"native: there is no {missing}: XLA's own kernels compute convolutions, several times as slowly")
        TARGET.unlink(missing_ok=True)
        return
    build(compiler, prefix, static=onednn is not None)


def build(compiler: str, prefix: Path, *, static: bool) -> None:
    """Compile all sources and link the library. prefix: of oneDNN."""
    flags = [*FLAGS, "-isystem", str(prefix / "include"), "-isystem", jax.ffi.include_dir()]
    # A static oneDNN has no threads of its own, and needs none switched off.
    flags += [] if static else ["-fopenmp"]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        objects = [Path(folder) / f"{source.stem}.o" for source in SOURCES]

        def compile_(source: Path, object_: Path) -> None:
            run([compiler, *flags, "-c", str(source), "-o", str(object_)])

        list(pool.map(compile_, SOURCES, objects))
        built = Path(folder) / TARGET.name
        # Not the path of the shared oneDNN: `_kernels/_library.py` loads it before this library, from wherever it is installed.
        linked = [str(prefix / "lib/libdnnl.a"), "-static-libstdc++", "-static-libgcc"] if static else []
        linked += [] if static else ["-fopenmp", str(prefix / "lib/libdnnl.so.3")]
        exports = [f"-Wl,--version-script={EXPORTS}", "-Wl,--no-undefined", "-Wl,-s"]
        run([compiler, "-shared", "-o", str(built), *map(str, objects), *linked, *exports, "-lpthread"])
        # Moved: a process that has the old one keeps it.
        shutil.copy(built, TARGET.with_suffix(".new"))
        TARGET.with_suffix(".new").replace(TARGET)


def run(command: list[str]) -> None:
    """Run a command; its output is shown if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"native: {' '.join(command)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
