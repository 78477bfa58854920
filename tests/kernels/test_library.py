"""The library of kernels: found or not, switched off, beside others, in programs that are kept."""

import os
from pathlib import Path

import jax
import pytest

from stratagem._base.errors import InvalidArgumentError

# Private: which library a process has is asked once, when the first program is lowered.
from stratagem._kernels import _library, has_kernels, library_report
from tests import prepared

needs_library = pytest.mark.skipif(not has_kernels(), reason="there is no library of kernels here")


@pytest.fixture
def asked_again(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Has this test's process look for the library again."""
    monkeypatch.setattr(_library, "_loaded", _library._loaded.__wrapped__)
    return monkeypatch


@needs_library
def test_a_report_names_the_version_of_onednn() -> None:
    used, report = library_report()
    assert used
    assert "oneDNN 3." in report


def test_a_variable_switches_it_off(asked_again: pytest.MonkeyPatch) -> None:
    asked_again.setenv("STRATAGEM_KERNELS", "off")
    assert library_report() == (False, "STRATAGEM_KERNELS=off is set: XLA's own kernels compute convolutions")
    asked_again.setenv("STRATAGEM_KERNELS", "none")
    with pytest.raises(InvalidArgumentError, match="STRATAGEM_KERNELS=none is set"):
        library_report()


@pytest.mark.parametrize(("system", "machine"), [("darwin", "arm64"), ("linux", "aarch64"), ("win32", "AMD64")])
def test_other_machines_have_none(system: str, machine: str, asked_again: pytest.MonkeyPatch) -> None:
    asked_again.setenv("STRATAGEM_KERNELS", "on")
    asked_again.setattr("sys.platform", system)
    asked_again.setattr("platform.machine", lambda: machine)
    used, report = library_report()
    assert not used
    assert f"there are no kernels for {system} on {machine}" in report


def test_a_missing_and_a_broken_library_are_reported(tmp_path: Path, asked_again: pytest.MonkeyPatch) -> None:
    asked_again.setenv("STRATAGEM_KERNELS", "on")
    asked_again.setattr("sys.platform", "linux")
    asked_again.setattr("platform.machine", lambda: "x86_64")
    file = tmp_path / "libstratagem_kernels.so.1"
    asked_again.setattr(_library, "_FILE", file)
    assert "is not there" in library_report()[1]
    file.write_bytes(b"not a library")
    assert "cannot be loaded" in library_report()[1]
    older = Path(jax.__file__).parents[1] / "jaxlib" / "libjax_common.so"  # a library without the symbols
    asked_again.setattr(_library, "_FILE", older)
    assert "cannot be loaded" in library_report()[1]


BESIDE_TORCH = """
import os, torch
before = torch.get_num_threads()
import jax, jax.numpy as jnp, numpy as np
from stratagem._kernels import Geometry, convolve
g = Geometry((28, 28), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1)
x, w = np.ones((16, 28, 28, 8), "float32"), np.ones((3, 3, 8, 16), "float32")
ours = np.asarray(convolve(x, w, g))
theirs = torch.nn.functional.conv2d(torch.tensor(x).permute(0, 3, 1, 2), torch.tensor(w).permute(3, 2, 0, 1), padding=1)
np.testing.assert_array_equal(ours, theirs.permute(0, 2, 3, 1).numpy())
assert torch.get_num_threads() == before
child = os.fork()
if not child:  # which may not use torch, whose threads it does not have
    os._exit(0 if np.ones((100, 100)).dot(np.ones((100, 100))).sum() == 1e6 else 1)
assert os.waitpid(child, 0)[1] == 0
np.testing.assert_array_equal(np.asarray(convolve(x, w, g)), ours)
print("both")
"""


@needs_library
def test_torch_in_the_same_process_and_a_fork_change_nothing() -> None:
    done = prepared.run(BESIDE_TORCH, environment=os.environ | {"PYTHONWARNINGS": "ignore"})
    assert done.stdout.split() == ["both"], done.stderr[-3000:]


KEPT = """
import jax, numpy as np, stratagem as tf
tf.config.experimental.set_compilation_cache({folder!r})
layer = tf.keras.layers.Conv2D(16, 3)
x = tf.constant(np.ones((8, 12, 12, 4), "float32"))
layer(x)
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event))

@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(layer(x) ** 2)
    return tape.gradient(loss, layer.trainable_variables)

step(x)
print(hits.count("/jax/compilation_cache/cache_hits") > 0)
"""


@needs_library
def test_the_next_process_takes_a_program_with_calls_from_the_compilation_cache(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    told = [prepared.run(KEPT.format(folder=str(folder)), environment=dict(os.environ)) for _ in range(2)]
    assert [done.stdout.split() for done in told] == [["False"], ["True"]], told[-1].stderr[-3000:]


GUARDED = """
import ctypes, mmap, jax, numpy as np
from stratagem._kernels import convolve, convolve_of_filters, convolve_of_input
from tests.kernels.drawn import drawn
PAGE, protect, kept = mmap.PAGESIZE, ctypes.CDLL(None, use_errno=True).mprotect, []

def guarded(values, at_end):
    # An array of the same values between two pages that nobody may touch, at the end of its own pages or at their beginning.
    size = -(-values.nbytes // PAGE) * PAGE
    memory = mmap.mmap(-1, size + 2 * PAGE)
    kept.append(memory)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for page in (begin, begin + PAGE + size):
        assert protect(ctypes.c_void_p(page), PAGE, 0) == 0
    offset = PAGE + (size - values.nbytes if at_end else 0)
    array = np.frombuffer(memory, values.dtype, values.size, offset).reshape(values.shape)
    array[...] = values
    found = jax.device_put(array)
    return found, found.unsafe_buffer_pointer() == array.ctypes.data

aliased = 0
for seed in range(SEEDS, SEEDS + 40):
    case = drawn(seed)
    kernel, operands = [
        (convolve, (case.x, case.w)), (convolve_of_input, (case.y, case.w)), (convolve_of_filters, (case.x, case.y))
    ][seed % 3]
    expected = kernel(*operands, case.geometry)
    for at_end in (False, True):
        given = [guarded(v, at_end) for v in operands]
        aliased += sum(same for _, same in given)
        np.testing.assert_array_equal(kernel(*(array for array, _ in given), case.geometry), expected)
print("touched nothing", aliased > 40)
"""


@needs_library
def test_operands_between_pages_that_nobody_may_touch() -> None:
    """JAX takes NumPy's memory as it is where its address is a multiple of 64 bytes."""
    done = prepared.run(GUARDED.replace("SEEDS", "3000"), environment=dict(os.environ))
    assert done.stdout.split() == ["touched", "nothing", "True"], (done.returncode, done.stderr[-3000:])
