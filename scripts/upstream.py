#!/usr/bin/env python3
"""Run Keras' and JAX's own tests twice, alone and with this library imported, and say which fail only with it.

    upstream.py [--jax FOLDER] [--processes N] [NAME ...]

Keras' tests of its layers come from its source distribution on PyPI, of the installed version. JAX's distribution has no
tests: FOLDER is the folder `tests` of a checkout of JAX at the tag of the installed version; without it they are left out.
NAME: of a file of tests, say `dense_test`, to run only those that have it in their names. Nothing of the repository is written.
"""

import argparse
import os
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
LONGEST = 7200  # seconds that the tests of one library may take
JAX = ("api_test", "array_test", "custom_api_test", "jax_jit_test", "tree_util_test", "lax_autodiff_test", "pjit_test")
# What this library changes on purpose, and which tests tell it by, by name.
EXEMPT: dict[str, str] = {}


class UpstreamError(Exception):
    """The tests could not be had or run; the text says why."""


def keras_tests(folder: Path) -> list[Path]:
    """The files of tests of Keras' layers, each with the folders it lies in as part of its name."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-binary", ":all:", "--no-deps"]
    done = subprocess.run([*command, f"keras=={version('keras')}", "--dest", str(folder)], check=False)
    if done.returncode:
        raise UpstreamError("pip could not download Keras' source distribution")
    (archive,) = folder.glob("keras-*.tar.gz")
    made = []
    with tarfile.open(archive) as files:
        for member in files:
            _, found, path = member.name.partition("/keras/src/layers/")
            content = files.extractfile(member) if found and path.endswith("_test.py") else None
            if content is not None:
                # Side by side: in folders `keras/src` pytest would take them for the package.
                made.append(folder / path.replace("/", "_"))
                made[-1].write_bytes(content.read())
    return made


def jax_tests(folder: Path) -> list[Path]:
    """The files of tests of `grad`, `jit` and arrays."""
    found = [folder / f"{name}.py" for name in JAX]
    if missing := [str(path) for path in found if not path.exists()]:
        raise UpstreamError(f"there is no {', '.join(missing)}: is this the folder of JAX {version('jax')}'s tests?")
    return found


def outcomes(paths: Sequence[Path], processes: int, folder: Path, *, imported: bool) -> dict[str, str]:
    """What became of every test. imported: with this library, whose hooks are then in JAX and Keras."""
    report = folder / "report.xml"
    report.unlink(missing_ok=True)
    plugin = ["-p", "stratagem.keras"] if imported else []  # importing a public namespace attaches the hooks
    options = [
        "-q",
        "--continue-on-collection-errors",
        "-p",
        "no:cacheprovider",
        "-c",
        os.devnull,
        f"--rootdir={folder}",
    ]
    command = [sys.executable, "-m", "pytest", *options, "-n", str(processes), *plugin, f"--junitxml={report}"]
    environment = {**os.environ, "KERAS_BACKEND": "jax", "JAX_PLATFORMS": "cpu", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run([*command, *map(str, paths)], env=environment, cwd=folder, timeout=LONGEST, check=False)
    if done.returncode not in (0, 1) or not report.exists():
        raise UpstreamError(f"pytest ended with code {done.returncode}")
    return {
        f"{case.get('classname')}.{case.get('name')}": case[0].tag if len(case) else "passed"
        for case in ElementTree.parse(report).iter("testcase")
    }


def compared(paths: Sequence[Path], processes: int, folder: Path) -> list[str]:
    """The tests that pass alone and do not with this library, without those that are exempt."""
    alone = outcomes(paths, processes, folder, imported=False)
    beside = outcomes(paths, processes, folder, imported=True)
    failed = [name for name, outcome in alone.items() if outcome == "passed" and beside.get(name) != "passed"]
    exempt = [name for name in failed if name.rpartition(".")[2] in EXEMPT]
    print(
        f"alone {dict(Counter(alone.values()))}, with stratagem {dict(Counter(beside.values()))}, exempt {len(exempt)}"
    )
    return [name for name in failed if name not in exempt]


def main() -> int:
    """Run them, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jax", type=Path)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        libraries = {"Keras": keras_tests(folder)} | ({"JAX": jax_tests(given.jax.resolve())} if given.jax else {})
        failed = []
        for library, paths in libraries.items():
            paths = [path for path in paths if not given.names or any(name in path.name for name in given.names)]
            if paths:
                print(f"{library} {version(library.lower())}: {len(paths)} files", flush=True)
                failed += compared(paths, given.processes, folder)
    print(*(f"fails only with stratagem: {name}" for name in failed), sep="\n")
    return bool(failed)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except UpstreamError as error:
        sys.exit(f"upstream: {error}")
