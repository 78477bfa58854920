#!/usr/bin/env python3
"""Build the wheel, install it with each extra alone into an empty environment, and run there what the documents promise.

    install_test.py [--only base|cluster|examples|images|kernels|remote|text|cuda]

What a developer's environment has beside the extra hides what the extra lacks, so nothing of it is used here but pip (or uv,
where it is there). What the wheel needs without an extra is installed once, and an extra's environment begins with that. The
example needs its data: fetch_data.py fashion-mnist. No file of the repository is written.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import final

from pip_settings import uv_settings

ROOT = Path(__file__).parents[1]
PROGRAMS = ROOT / "tests" / "install" / "programs"
TORCH_INDEX = "https://download.pytorch.org/whl/cpu"
LONGEST = 600  # seconds that one command may take, on a loaded machine
AT_ONCE = 2  # environments
# Variables that would bring something of the developer's environment, or another job's, into the empty one.
NOT_PASSED_ON = re.compile(r"(PYTHON|VIRTUAL_ENV|CONDA|RAY_|JAX_|XLA_|KERAS_|TF_|STRATAGEM_(?!DATA))")


class BrokenPromiseError(Exception):
    """A command failed, or did not print what it has to."""


@final
@dataclass(frozen=True)
class Promise:
    """A command to run in the environment, and words that it has to print. code: with which it ends."""

    command: tuple[str, ...]
    words: str
    code: int = 0


@final
class Environment:
    """An environment that has the wheel with one extra, and a working directory. folder: new, of this environment alone."""

    def __init__(self, extra: str, folder: Path) -> None:
        self.extra, self._folder = extra, folder
        self._work = folder / "work"
        self._work.mkdir(parents=True)
        self.bin = folder / "venv" / "bin"

    def run(self, *command: str, code: int = 0) -> str:
        """What a command prints, in a directory of its own. Raises BrokenPromiseError if it ends with another code."""
        environment = {k: v for k, v in os.environ.items() if not NOT_PASSED_ON.match(k)}
        environment["PATH"] = f"{self.bin}{os.pathsep}{environment.get('PATH', os.defpath)}"
        environment["HOME"] = str(self._work)  # Ray keeps a token there
        environment.setdefault("STRATAGEM_DATA", data_folder())
        try:
            done = subprocess.run(
                command,
                cwd=self._work,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=LONGEST,
            )
        except subprocess.TimeoutExpired as error:
            told = error.stdout.decode(errors="replace") if isinstance(error.stdout, bytes) else error.stdout or ""
            raise BrokenPromiseError(f"`{' '.join(command)}` took longer than {LONGEST} s:\n{told}") from None
        if done.returncode != code:
            raise BrokenPromiseError(f"`{' '.join(command)}` ended with code {done.returncode}:\n{done.stdout}")
        return done.stdout

    def install(self, wheel: Path, beside: "Environment | None" = None) -> None:
        """Make it. beside: an environment of the wheel alone, of whose packages and compiled files this one has links."""
        installer().create(self.bin.parent)
        if beside is not None:
            packages = self._packages()
            shutil.rmtree(packages)
            # Not the package itself, whose command has the environment's path, nor files that Python is about to rename.
            not_these = shutil.ignore_patterns("stratagem*", "*.pyc.*")
            shutil.copytree(beside._packages(), packages, copy_function=os.link, ignore=not_these)
        installer().install(self.bin.parent, f"{wheel}[{self.extra}]" if self.extra else str(wheel))

    def _packages(self) -> Path:
        (found,) = (self.bin.parent / "lib").glob("python*/site-packages")
        return found

    def keep(self, promise: Promise) -> float:
        """Run the command; the seconds that it took."""
        began = time.monotonic()
        told = self.run(*promise.command, code=promise.code)
        if not re.search(promise.words, told):
            raise BrokenPromiseError(f"`{' '.join(promise.command)}` did not print {promise.words!r}:\n{told}")
        return time.monotonic() - began


class Pip:
    """venv and pip, those of the Python that runs this."""

    def build(self, folder: Path) -> None:
        """The wheel of this repository."""
        self._pip("wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT))

    def create(self, venv: Path) -> None:
        """An empty environment."""
        checked(sys.executable, "-m", "venv", "--without-pip", str(venv))

    def install(self, venv: Path, what: str) -> None:
        """What is not there yet."""
        self._pip("--python", str(venv / "bin" / "python"), "install", "--no-compile", what)

    def resolve(self, venv: Path, extra: str, plugins: list[str]) -> None:
        """The plugins alone: pip may download whatever else they need, gigabytes, only to look at it."""
        self._pip("--python", str(venv / "bin" / "python"), "install", "--dry-run", "--no-deps", *plugins)

    def _pip(self, *words: str) -> None:
        # PyTorch's build for CPUs, as scripts/setup.sh has it, unless a machine keeps wheels of its own.
        indexes = " ".join(filter(None, [os.environ.get("PIP_EXTRA_INDEX_URL"), TORCH_INDEX]))
        own = {} if os.environ.get("PIP_FIND_LINKS") else {"PIP_EXTRA_INDEX_URL": indexes}
        checked(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *words, **own)


class Uv:
    """uv, told what scripts/setup.sh tells it."""

    def __init__(self, command: str) -> None:
        self._command = command

    def build(self, folder: Path) -> None:
        """The wheel of this repository."""
        here = ("--no-build-isolation", "--python", sys.executable)
        self._uv("build", "--quiet", "--wheel", *here, "--out-dir", str(folder), str(ROOT))

    def create(self, venv: Path) -> None:
        """An empty environment."""
        self._uv("venv", "--quiet", "--python", sys.executable, str(venv))

    def install(self, venv: Path, what: str) -> None:
        """What is not there yet."""
        self._uv("pip", "install", "--quiet", "--python", str(venv / "bin" / "python"), what)

    def resolve(self, venv: Path, extra: str, plugins: list[str]) -> None:
        """All of the extra: uv reads what packages say about themselves, and downloads none."""
        self._uv("pip", "install", "--quiet", "--dry-run", "--python", str(venv / "bin" / "python"), extra)

    def _uv(self, *words: str) -> None:
        own = {"UV_SYSTEM_CERTS": "1", "UV_NATIVE_TLS": "1", **uv_settings()}
        if "UV_FIND_LINKS" not in own:
            links = os.environ.get("PIP_FIND_LINKS")
            own |= {"UV_FIND_LINKS": links} if links else {"UV_TORCH_BACKEND": "cpu"}
        checked(self._command, *words, **{name: os.environ.get(name, value) for name, value in own.items()})


def installer() -> Pip | Uv:
    """uv where it is there: a user's, or that of the environment."""
    uv = shutil.which("uv") or shutil.which("uv", path=Path(sys.executable).parent)
    return Uv(uv) if uv else Pip()


def checked(*command: str, **variables: str) -> None:
    """Run a command of the installer."""
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, timeout=LONGEST)
    if done.returncode:
        raise BrokenPromiseError(f"`{' '.join(command)}` failed:\n{done.stdout}{done.stderr}")


def data_folder() -> str:
    """Where fetch_data.py puts datasets."""
    return str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "stratagem" / "datasets")


def base(environment: Environment) -> Iterator[Promise]:
    """Without extras: README's program, the command, and what no document says needs anything more."""
    code = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert code is not None, "README.md has no program"
    program = environment.bin.parent / "readme.py"
    program.write_text(code[1])
    yield Promise(("python", str(program)), r"epoch 5: loss 0\.")
    yield Promise(("stratagem", "env"), "tensorflow +not installed")
    yield Promise(("stratagem", "launch", "--workers", "2", str(program)), "2 tasks are done")
    yield Promise(("python", str(PROGRAMS / "without_extras.py")), "kept estimate")
    served = ("launch", "--chief", "--workers", "1", "--ps", "1", str(ROOT / "examples" / "mnist_parameter_servers.py"))
    yield Promise(("stratagem", *served), re.escape("need Ray: pip install 'stratagem[cluster] @ file://"), code=1)


def cluster(environment: Environment) -> Iterator[Promise]:
    """Parameter servers in several processes."""
    tutorial = ROOT / "tests" / "servers" / "processes" / "programs" / "tutorial.py"
    words = ("launch", "--chief", "--workers", "2", "--ps", "2", str(tutorial))
    yield Promise(("stratagem", *words), "5 tasks are done")


# Examples that need a library which no extra brings: tests/examples runs them.
WITH_OTHERS = ("hugging_face_data.py", "torch_loader.py")


def examples(environment: Environment) -> Iterator[Promise]:
    """The demo, with few images; the types of all that need no other library."""
    options = ("--limit", "256", "--epochs", "1", "--goal", "0")
    yield Promise(
        ("python", str(ROOT / "examples" / "fashion_mnist.py"), *options), r"drew runs/fashion_mnist/curves\.png"
    )
    # What a user's type checker finds, who has the wheel and not this repository: mypy is a developer's.
    settings = ("--strict", "--config-file=", "--python-executable", str(environment.bin / "python"))
    cache = ("--cache-dir", str(environment.bin.parent / "mypy"))
    checked = [str(file) for file in sorted((ROOT / "examples").glob("*.py")) if file.name not in WITH_OTHERS]
    yield Promise((sys.executable, "-m", "mypy", *settings, *cache, *checked), "Success: no issues found")


def images(environment: Environment) -> Iterator[Promise]:
    """Files of images are written and read."""
    program = "import stratagem as tf; print(tf.io.decode_jpeg(tf.io.encode_jpeg([[[1, 2, 3]]])).shape)"
    yield Promise(("python", "-c", program), r"\(1, 1, 3\)")


def text(environment: Environment) -> Iterator[Promise]:
    """Parts of strings are replaced."""
    program = "import stratagem as tf; print(tf.strings.regex_replace(['a1', 'b'], '[0-9]', '-').numpy())"
    yield Promise(("python", "-c", program), r"\[b'a-' b'b'\]")


def remote(environment: Environment) -> Iterator[Promise]:
    """Checkpoints are saved to another file system, and a scheme without its package is refused."""
    yield Promise(("python", str(PROGRAMS / "remote_paths.py")), r"restored 3\.0, and gs:// needs gcsfs")


def kernels(environment: Environment) -> Iterator[Promise]:
    """Convolutions are computed by oneDNN, with the library that the wheel has if it was built where a compiler was."""
    yield Promise(("stratagem", "doctor"), r"computed by oneDNN \d")
    yield Promise(("python", str(PROGRAMS / "kernels.py")), r"as without them")


KEPT: dict[str, Callable[[Environment], Iterator[Promise]]] = {
    "base": base,
    "cluster": cluster,
    "examples": examples,
    "images": images,
    "kernels": kernels,
    "remote": remote,
    "text": text,
}
PLUGINS = """
from importlib.metadata import requires
from packaging.requirements import Requirement
(needed,) = [r for r in map(Requirement, requires("stratagem")) if r.marker and r.marker.evaluate({"extra": "cuda"})]
for extra in needed.extras:
    for r in map(Requirement, requires(needed.name)):
        if r.marker and r.marker.evaluate({"extra": extra}) and not r.marker.evaluate({"extra": ""}):
            print(f"{r.name}[{','.join(r.extras)}]{r.specifier}" if r.extras else f"{r.name}{r.specifier}")
"""


def look_up_cuda(alone: Environment, wheel: Path) -> None:
    """What the extra `cuda` adds to a base environment is there to be had. It is not installed: it has gigabytes."""
    plugins = alone.run("python", "-c", PLUGINS).split()
    if not any("cuda" in plugin for plugin in plugins):
        raise BrokenPromiseError(f"The extra cuda needs {plugins}: no plugin for GPUs.")
    installer().resolve(alone.bin.parent, f"{wheel}[cuda]", plugins)


def check(name: str, wheel: Path, folder: Path, alone: Environment) -> list[str]:
    """One extra: what is wrong with it. alone: the environment of no extra."""
    began = time.monotonic()
    try:
        if name == "cuda":
            look_up_cuda(alone, wheel)
            print(f"install: cuda: can be had ({time.monotonic() - began:.0f} s)", flush=True)
            return []
        environment = alone
        if name != "base":
            environment = Environment(name, folder / name)
            environment.install(wheel, beside=alone)
            print(f"install: {name}: installed ({time.monotonic() - began:.0f} s)", flush=True)
        for promise in KEPT[name](environment):
            keep(name, environment, promise)
    except BrokenPromiseError as error:
        return [f"install: {name}: {error}"]
    return []


def keep(name: str, environment: Environment, promise: Promise) -> None:
    """One promise, with a line about it."""
    seconds = environment.keep(promise)
    print(f"install: {name}: `{' '.join(map(shortened, promise.command))}` ({seconds:.0f} s)", flush=True)


def installed_alone(wheel: Path, folder: Path) -> Environment:
    """The environment of no extra. Every module has been imported there: its links in others are of compiled files, too."""
    began = time.monotonic()
    environment = Environment("", folder / "base")
    environment.install(wheel)
    print(f"install: base: installed ({time.monotonic() - began:.0f} s)", flush=True)
    keep("base", environment, Promise(("python", str(PROGRAMS / "every_module.py")), r"modules \d+"))
    return environment


def shortened(word: str) -> str:
    """A file of the repository by its path there."""
    return word.removeprefix(f"{ROOT}/")


def main() -> int:
    """0 if every promise is kept."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[*KEPT, "cuda"], action="append")
    names = parser.parse_args().only or ["cluster", "base", "examples", "remote", "cuda"]  # longest first
    with tempfile.TemporaryDirectory(prefix="stratagem-install-") as path, ThreadPoolExecutor(AT_ONCE) as threads:
        folder = Path(path)
        installer().build(folder)
        (wheel,) = folder.glob("*.whl")
        try:
            alone = installed_alone(wheel, folder)
        except BrokenPromiseError as error:
            broken = [f"install: base: {error}"]
        else:
            checks = threads.map(lambda name: check(name, wheel, folder, alone), names)
            broken = [line for lines in checks for line in lines]
    print("\n".join(broken) or "install: every promise is kept", file=sys.stderr if broken else sys.stdout)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
