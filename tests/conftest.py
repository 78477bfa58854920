"""Eight virtual CPU devices for every test, and guards that fail a test which leaves something behind."""

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

os.environ["KERAS_BACKEND"] = "jax"  # before Keras is imported: it may be configured for another backend
os.environ["JAX_PLATFORMS"] = "cpu"  # also beside an accelerator, which is for tests/device (`make test-device`)
os.environ["PJRT_NPROC"] = "24"  # before JAX starts: eight replicas that wait for each other each hold a thread

# Most of a test's time goes into compilation: XLA is told to be quick about it, which takes a third of the time. Whoever sets
# XLA_FLAGS has what they say: empty, as in `make thorough`, programs are as users have them.
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false --xla_backend_optimization_level=0")

# A run of the suite has a folder, in which each process of xdist has one for its temporary files, and those of the processes
# that its tests start: what a test leaves there is noticed. `tmp_path` is elsewhere, as pytest keeps some for a look.
if "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", tempfile.gettempdir())
    os.environ["STRATAGEM_TESTS_FOLDER"] = tempfile.mkdtemp(prefix="stratagem-tests-")
    atexit.register(shutil.rmtree, os.environ["STRATAGEM_TESTS_FOLDER"])
RUN = os.environ["STRATAGEM_TESTS_FOLDER"]
tempfile.tempdir = os.environ["TMPDIR"] = tempfile.mkdtemp(dir=RUN, prefix="t")

# Many tests, and the processes that they start, run the same programs: each is compiled once in a run of the suite.
os.environ["JAX_COMPILATION_CACHE_DIR"] = os.path.join(RUN, "programs")
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"

# Keras imports matplotlib and pandas where it finds them, for a second in each of the processes that tests start.
LEAN = str(Path(__file__).with_name("lean"))
sys.path[:] = [path for path in sys.path if path != LEAN]  # a process of xdist is started as others are
os.environ["PYTHONPATH"] = os.pathsep.join(
    [LEAN, *(p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p not in ("", LEAN))]
)

# What is imported and collected stays, and collections that look at all of it take a third of a worker's start.
gc.disable()

import hypothesis
import jax
import psutil
import pytest

# Private: whether a profile is running is known there alone, and what JAX makes anew for every program.
from jax._src import profiler
from jax._src.interpreters import mlir

from stratagem._core.context import Context, change, current
from stratagem._hooks import HOOKS, install
from stratagem._private import attach
from tests.sample import day
from tests.thorough import mark_beyond_the_sample

jax.config.update("jax_num_cpu_devices", 8)  # before anything starts a backend

# MLIR's dialects, in which JAX writes programs, are loaded once for the tests of a module (in each thread), not for each
# program: this saves a twelfth of the CPU time of many small ones. Programs that tests start have them as users do.
new_ir_context, ir_contexts = mlir.make_ir_context, threading.local()


def ir_context() -> Any:
    """The one of this thread."""
    if not hasattr(ir_contexts, "kept"):
        ir_contexts.kept = new_ir_context()
    return ir_contexts.kept


mlir.make_ir_context = ir_context

# What the first use of a public name does in a program; tests may import private names only. Done here, because the conftest of
# a folder may import a public name before pytest is configured. STRATAGEM_WITHOUT_HOOK="shards of variables", as a row of
# `stratagem._hooks` says, leaves one out, to see which tests then fail.
WITHOUT_HOOK = os.environ.get("STRATAGEM_WITHOUT_HOOK")
if WITHOUT_HOOK not in (None, *(hook.what for hook in HOOKS)):
    raise ValueError(f"There is no hook {WITHOUT_HOOK!r}: see stratagem._hooks.HOOKS.")
attach([hook for hook in HOOKS if hook.what != WITHOUT_HOOK], by=install)

# The same examples on every run, slow first ones (compilation) allowed, and no database in the working directory.
hypothesis.settings.register_profile("stratagem", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("stratagem")

ALLOWED_VARIABLES = {
    "PYTEST_CURRENT_TEST",  # pytest itself
    "TF_FORCE_GPU_ALLOW_GROWTH",  # Keras, when it is imported
}
ALLOWED_FILES = {".pytest_cache", ".mypy_cache", ".ruff_cache", ".coverage", "__pycache__"}
# Folders that PyTorch, absl, and TensorFlow Datasets keep.
ALLOWED_TEMPORARY = ("torchinductor_*", "absl_testing", "tmp*tfds")
ALLOWED_THREADS = ("asyncio_",)  # the idle executor of Orbax's event loop, which outlives its checkpointers
ALLOWED_PROCESSES = ("multiprocessing.resource_tracker",)  # one a process, until it exits
PATIENCE = 120.0  # seconds in which threads and processes that were told to stop may still do so, on a busy machine


# Files of these folders are begun first: they take longest (up to minutes), and would leave a core idle at the end. Those whose
# jobs wait, for a lost heartbeat say, stand apart: while one worker of xdist waits, the others should have work. Jobs of many
# processes come later: `.ci/run` installs wheels beside the first tests, and tries them on clusters of its own.
LONG = (
    *("training", "multi_worker", "modes", "examples", "differential", "remote", "control", "values", "keras"),
    *("processes", "parity", "checkpoints", "cli", "step", "ops", "drawn", "autograph"),
    *("eager", "core", "compositions", "addons", "canned", "estimator"),
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Long files first; the order within a file stays. Of long tables of instances, those of the day."""
    mark_beyond_the_sample(items, day())
    ranks = {name: rank for rank, name in enumerate(LONG)}
    items.sort(key=lambda item: ranks.get(item.path.parent.name, len(LONG)))


def pytest_make_parametrize_id(val: object) -> str | None:
    """Short tuples, lists and dicts of plain values are called by what is in them; else pytest counts them: `expected0`."""
    return text if isinstance(val, tuple | list | dict) and is_plain(val) and len(text := repr(val)) <= 60 else None


def is_plain(value: object) -> bool:
    """Whether its text is the same in every process."""
    match value:
        case tuple() | list():
            return all(map(is_plain, value))
        case dict():
            return all(is_plain(part) for item in value.items() for part in item)
    return isinstance(value, str | bytes | int | float | complex | None)


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    """From here on there is garbage: what is there by now stays, and no collection looks at it.

    Full collections are rarer than usual. Each looks at all that the tests of a module hold on to; those that wait for the end
    of an object collect by themselves.
    """
    gc.freeze()
    gc.set_threshold(*gc.get_threshold()[:2], 50)
    gc.enable()


def threads() -> set[str]:
    """Every Python thread but those allowed."""
    return {f"{t.name} ({t.ident})" for t in threading.enumerate() if not t.name.startswith(ALLOWED_THREADS)}


def processes() -> set[str]:
    """Every child process, direct or not, but those allowed."""
    if childless():
        return set()
    found = set()
    for process in psutil.Process().children(recursive=True):
        try:
            command = " ".join(process.cmdline())
        except psutil.NoSuchProcess:
            continue  # it ended between the two calls
        if not any(name in command for name in ALLOWED_PROCESSES):
            found.add(f"{process.pid}: {command or 'not waited for'}")
    return found


def childless() -> bool:
    """Whether there is certainly no child process: known in microseconds, where a look at all processes takes a millisecond."""
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return True
    return False


def variables() -> set[str]:
    """Every environment variable with its value, but those allowed."""
    return {f"{name}={value}" for name, value in os.environ.items() if name not in ALLOWED_VARIABLES}


def files() -> set[str]:
    """The working directory and what lies in it, but the caches of tools."""
    here = Path.cwd()
    return {str(here), *(str(path) for path in here.iterdir() if path.name not in ALLOWED_FILES)}


def temporary_files() -> set[str]:
    """What lies in the folder of temporary files, but what other libraries keep there."""
    names = os.listdir(tempfile.gettempdir())
    return {name for name in names if not any(fnmatch(name, allowed) for allowed in ALLOWED_TEMPORARY)}


def added(probe: Callable[[], set[str]], before: set[str]) -> set[str]:
    """What `probe` sees and did not see before, once it had time to go away by itself."""
    new = probe() - before
    begun = time.monotonic()
    while new and time.monotonic() < begun + PATIENCE:
        if (
            time.monotonic() > begun + 0.15
        ):  # an idle thread ends sooner by itself, and a collection takes up to a second
            gc.collect()  # an iterator that nobody holds any more stops its thread
        time.sleep(0.03)
        new = probe() - before
    return new


@pytest.fixture(autouse=True, scope="module")
def starts_with_a_small_heap() -> None:
    """Without what other modules left in JAX's caches, and collections do not look at the modules that are imported.

    A process of xdist would grow to a million objects and 4 GiB otherwise, where one `gc.collect()` takes 2 seconds.
    """
    ir_contexts.__dict__.clear()
    jax.clear_caches()
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True, scope="session")
def children_take_ctrl_c_and_hangups() -> Iterator[None]:
    """A shell lets what it runs in the background ignore SIGINT, nohup SIGHUP, and so would the processes that tests start."""
    before = {
        signal.SIGINT: signal.signal(signal.SIGINT, signal.default_int_handler),
        signal.SIGHUP: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    }
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture(autouse=True)
def leaves_no_threads_or_processes(leaves_the_environment: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail a test whose threads or child processes outlive it.

    They are waited for while what the test has patched is still in place: whatever it started ends with the code that it
    began with. (So `monkeypatch` comes before this fixture, and goes after it.)
    """
    before = threads(), processes()
    yield
    assert not added(threads, before[0]), "the test left threads running"
    assert not added(processes, before[1]), "the test left child processes"


@pytest.fixture(autouse=True)
def leaves_the_environment() -> Iterator[None]:
    """Fail a test that changes environment variables, the working directory or the files in it, or leaves temporary ones."""
    before = variables(), files(), temporary_files()
    yield
    assert variables() == before[0], "the test changed environment variables"
    assert not files() - before[1], "the test left files in the working directory, or another working directory"
    assert not added(temporary_files, before[2]), "the test left temporary files"


@pytest.fixture(autouse=True)
def leaves_no_profile() -> Iterator[None]:
    """Fail a test that leaves a profile running, which would record all others."""
    yield
    running = profiler._profile_state.profile_session is not None
    if running:
        jax.profiler.stop_trace()
    assert not running, "the test left a profile running"


@pytest.fixture(autouse=True)
def leaves_no_context() -> Iterator[None]:
    """Fail a test that ends inside a strategy's scope, a replica or a trace."""
    yield
    left = current()
    change(**vars(Context()))  # the next test starts outside
    assert left == Context(), "the test left the strategy context non-empty"
