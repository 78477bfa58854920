"""Convolutions and both their gradients by the library: those of XLA, in every derivative, batch, loop and mesh."""

import ctypes
import functools
import itertools
import os
import random
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec

# Private: a kernel is compared with the operations of XLA that stand for it elsewhere, and is asked as it is lowered.
from stratagem._kernels import (
    Geometry,
    _convolution,
    _library,
    convolve,
    convolve_of_filters,
    convolve_of_input,
    has_kernels,
)
from tests import prepared
from tests.kernels.drawn import Drawn, drawn

KINDS = ("forward", "of_input", "of_filters")
# Of the sum of the products' sizes: float32 sums of up to thousands of products.
CLOSE = 1e-6

needs_library = pytest.mark.skipif(not has_kernels(), reason="there is no library of kernels here")


def by_library(kind: str) -> tuple[Callable[..., jax.Array], Callable[..., jax.Array]]:
    """The primitive, and XLA's operations for it."""
    c = _convolution
    return {
        "forward": (convolve, c._by_xla),
        "of_input": (convolve_of_input, c._of_input_by_xla),
        "of_filters": (convolve_of_filters, c._of_filters_by_xla),
    }[kind]


def operands(kind: str, case: Drawn) -> tuple[np.ndarray, np.ndarray]:
    return {"forward": (case.x, case.w), "of_input": (case.y, case.w), "of_filters": (case.x, case.y)}[kind]


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(500))
def test_a_kernel_computes_what_xla_does_in_float64(seed: int) -> None:
    kind = KINDS[seed % 3]
    case = drawn(seed)
    kernel, xla = by_library(kind)
    first, second = operands(kind, case)
    got = kernel(jnp.asarray(first), jnp.asarray(second), case.geometry)
    with jax.enable_x64(True):

        def exact(first: np.ndarray, second: np.ndarray) -> np.ndarray:
            return np.asarray(
                xla(jnp.asarray(first, "float64"), jnp.asarray(second, "float64"), geometry=case.geometry)
            )

        expected, size = exact(first, second), exact(abs(first), abs(second))
    assert got.dtype == "float32"
    np.testing.assert_allclose(got, expected, rtol=0, atol=CLOSE * max(size.max(), 1e-30))


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(60))
def test_derivatives_of_any_order_are_those_of_xla(seed: int) -> None:
    """Of small integers, whose sums of products are exact in any order."""
    kind = KINDS[seed % 3]
    case = drawn(1000 + seed, integers=True)
    first, second = operands(kind, case)
    kernel, xla = by_library(kind)
    integers = np.random.default_rng(seed)
    cotangent = integers.integers(-2, 3, np.shape(kernel(first, second, case.geometry))).astype("float32")
    tangents = tuple(integers.integers(-2, 3, v.shape).astype("float32") for v in (first, second))

    def derivatives(function: Any, first: Any, second: Any) -> Any:
        def gradients(first: Any, second: Any) -> Any:
            return jax.vjp(function, first, second)[1](cotangent)

        _, of_gradients = jax.vjp(gradients, first, second)
        again = jax.checkpoint(lambda first, second: function(first, second) ** 2)
        return (
            gradients(first, second),
            of_gradients(tangents),
            jax.jvp(function, (first, second), tangents),
            jax.grad(lambda first, second: jnp.sum(again(first, second) * cotangent), (0, 1))(first, second),
        )

    run = jax.jit(derivatives, static_argnums=0)
    got = run(lambda a, b: kernel(a, b, case.geometry), first, second)
    expected = run(lambda a, b: xla(a, b, geometry=case.geometry), first, second)
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("seed", "axes"), [*itertools.product(range(8), [(0, None), (None, -1), (1, 1), (-1, 0)])], ids=str
)
def test_a_batch_of_calls_is_one_call(seed: int, axes: tuple[int | None, int | None]) -> None:
    for kind in KINDS:
        case = drawn(2000 + seed, integers=True)
        kernel, xla = by_library(kind)
        batched = [
            v if axis is None else np.moveaxis(np.stack([v, v + 1, 2 * v]), 0, axis)
            for v, axis in zip(operands(kind, case), axes, strict=True)
        ]
        got = jax.vmap(lambda a, b: kernel(a, b, case.geometry), axes)  # noqa: B023
        expected = jax.vmap(lambda a, b: xla(a, b, geometry=case.geometry), axes)  # noqa: B023
        np.testing.assert_array_equal(got(*batched), expected(*batched))
        assert jax.make_jaxpr(got)(*batched).jaxpr.pretty_print().count(" convolution") == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_of_calls_in_groups_keeps_them_apart(kind: str) -> None:
    geometry = Geometry((5, 4), (3, 2), (1, 1), ((1, 1), (0, 1)), (1, 1), 2)
    numbers = np.random.default_rng(0)
    x, w, y = (numbers.integers(-2, 3, s).astype("float32") for s in ((3, 5, 4, 6), (3, 2, 3, 4), (3, 5, 4, 4)))
    kernel, xla = by_library(kind)
    first, second = operands(kind, Drawn(geometry, x, w, y))
    for axes in ((0, None), (None, 0), (0, 0)):
        batched = [
            v if axis is None else np.stack([v, v + 1, -v]) for v, axis in zip((first, second), axes, strict=True)
        ]
        got = jax.vmap(lambda a, b: kernel(a, b, geometry), axes)(*batched)
        expected = jax.vmap(lambda a, b: xla(a, b, geometry=geometry), axes)(*batched)
        np.testing.assert_array_equal(got, expected)


IMAGES = Geometry((12, 12), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1)


def images(batch: int = 16) -> tuple[jax.Array, jax.Array]:
    numbers = np.random.default_rng(0)
    x = jnp.asarray(numbers.normal(size=(batch, 12, 12, 8)), "float32")
    return x, jnp.asarray(numbers.normal(size=(3, 3, 8, 16)), "float32")


def called(function: Callable[..., Any], *given: Any) -> int:
    """How often a program calls the library."""
    return jax.jit(function).lower(*given).as_text().count("@stratagem.")


@needs_library
def test_loops_and_rematerialised_blocks_call_the_library() -> None:
    x, w = images()
    same = jnp.asarray(np.random.default_rng(1).normal(size=(3, 3, 8, 8)) / 9, "float32")

    def loop(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda x, _: (jnp.tanh(convolve(x, w, IMAGES)), None), x, None, length=4)[0]

    def by_hand(x: jax.Array, w: jax.Array) -> jax.Array:
        for _ in range(4):
            x = jnp.tanh(_convolution._by_xla(x, w, geometry=IMAGES))
        return x

    def summed(function: Any) -> Any:
        return jax.grad(lambda x, w: jnp.sum(function(x, w) ** 2), (0, 1))

    assert called(loop, x, same) == 1
    assert called(summed(loop), x, same) == 3
    assert called(summed(jax.checkpoint(lambda x, w: jnp.sin(convolve(x, w, IMAGES)))), x, w) >= 3
    for got, expected in zip(jax.jit(summed(loop))(x, same), jax.jit(summed(by_hand))(x, same), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-4, atol=1e-4)


@needs_library
def test_each_device_of_a_mesh_computes_its_part() -> None:
    mesh = Mesh(np.array(jax.devices()[:4]), ("batch",))
    x, w = images()

    @functools.partial(
        jax.shard_map, mesh=mesh, in_specs=(PartitionSpec("batch"), PartitionSpec()), out_specs=PartitionSpec()
    )
    def gradient(x: jax.Array, w: jax.Array) -> jax.Array:
        of_w = jax.grad(lambda w: jnp.sum(jnp.sin(convolve(x, w, IMAGES))))(jax.lax.pcast(w, "batch", to="varying"))
        return jax.lax.psum(of_w, "batch")

    expected = jax.grad(lambda w: jnp.sum(jnp.sin(_convolution._by_xla(x, w, geometry=IMAGES))))(w)
    np.testing.assert_allclose(jax.jit(gradient)(x, w), expected, rtol=0, atol=1e-4 * float(jnp.max(abs(expected))))
    assert called(gradient, x, w) == 2


@needs_library
def test_a_program_that_xla_partitions_does_not_gather_the_batch() -> None:
    """XLA knows nothing about a call, and would compute all of it on every device."""
    mesh = Mesh(np.array(jax.devices()[:4]), ("batch",))
    x, w = images()
    cut = jax.device_put(x, NamedSharding(mesh, PartitionSpec("batch")))
    whole = jax.device_put(w, NamedSharding(mesh, PartitionSpec()))

    def function(x: jax.Array, w: jax.Array) -> jax.Array:
        return convolve(x, w, IMAGES)

    assert called(function, x, w) == 1
    assert called(function, cut, whole) == 0
    assert "all-gather" not in jax.jit(function).lower(cut, whole).compile().as_text()
    np.testing.assert_allclose(jax.jit(function)(cut, whole), function(x, w), rtol=0, atol=1e-4)


THREADS = """
import hashlib, jax, jax.numpy as jnp, numpy as np
from stratagem._kernels import Geometry, convolve, convolve_of_filters, convolve_of_input
numbers = np.random.default_rng(0)
g = Geometry((28, 28), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1)
x, w, y = (jnp.asarray(numbers.normal(size=s), "float32") for s in ((33, 28, 28, 16), (3, 3, 16, 32), (33, 28, 28, 32)))
run = jax.jit(lambda x, w, y: (convolve(x, w, g), convolve_of_input(y, w, g), convolve_of_filters(x, y, g)))
for _ in range(3):
    print(hashlib.sha256(b"".join(np.asarray(v).tobytes() for v in run(x, w, y))).hexdigest())
"""


def test_the_bits_do_not_depend_on_the_number_of_threads() -> None:
    told = set()
    for threads in (1, 2, 4):
        done = prepared.run(THREADS, environment=os.environ | {"PJRT_NPROC": str(threads), "NPROC": str(threads)})
        assert done.returncode == 0, done.stderr[-2000:]
        told |= set(done.stdout.split())
    assert len(told) == 1


@needs_library
@pytest.mark.parametrize("kind", KINDS)
def test_everything_is_the_same_without_the_library(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whole programs `STRATAGEM_KERNELS=off make test` asks it, by hand."""
    kernel, _ = by_library(kind)
    for seed in range(4000, 4003):
        case = drawn(seed, integers=True)
        given = operands(kind, case)

        def compute(first: Any, second: Any, case: Drawn = case) -> jax.Array:
            return kernel(first, second, case.geometry)

        expected = jax.jit(lambda a, b: compute(a, b))(*given)
        with monkeypatch.context() as patch:
            patch.setattr(_convolution, "has_kernels", lambda: False)
            assert called(compute, *given) == 0
            np.testing.assert_array_equal(jax.jit(lambda a, b: compute(a, b))(*given), expected)


PLANNED = """
from stratagem._kernels import Geometry, _convolution
g = Geometry((32, 32), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1)
print(*(_convolution._workspace(k, [(16, 32, 32, 32), (3, 3, 32, 32), (16, 32, 32, 32)], "float32", g) for k in range(3)))
"""


@needs_library
def test_kernels_are_chosen_for_the_one_thread_that_runs_a_slice() -> None:
    """A gradient of filters that oneDNN had planned for two threads took six times as long on one, and other memory."""
    told = {prepared.run(PLANNED, environment=os.environ | {"OMP_NUM_THREADS": n}).stdout for n in ("1", "4")}
    assert len(told) == 1
    assert len(told.pop().split()) == 3


# --- What is not a convolution -----------------------------------------------------------------------------------------------


def workspace(kind: int, rows: list[list[int]], groups: int) -> str:
    """What the library says to a question: an empty string if it can compute it."""
    library = _library.library()
    assert library is not None
    needed = ctypes.c_int64()
    numbers = [(ctypes.c_int64 * 5)(*row[:5]) for row in rows]
    rank = ctypes.c_int64(len(rows[0]))
    why = library.stratagem_workspace(
        ctypes.c_int64(kind), ctypes.c_int(0), rank, *numbers, ctypes.c_int64(groups), ctypes.byref(needed)
    )
    return why.decode()


@needs_library
def test_ten_thousand_wrong_descriptions_are_errors() -> None:
    numbers = random.Random(0)
    wrong = [0, -1, -7, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63), 3, 17]
    refused = 0
    for _ in range(10_000):
        case = [[4, 9, 8, 6], [3, 2, 3, 8], [4, 9, 8, 8], [1, 1], [1, 0], [1, 1], [1, 1]]
        groups = 2
        for _ in range(numbers.randint(1, 3)):
            if numbers.random() < 0.2:
                groups = numbers.choice(wrong)
            else:
                row = numbers.choice(case)
                row[numbers.randrange(len(row))] = numbers.choice(wrong)
        why = workspace(numbers.randint(-1, 3), case, groups)
        refused += bool(why)
        assert not why or why.startswith("workspace: "), why
    assert refused > 9_000


@needs_library
@pytest.mark.parametrize(
    ("x", "w", "result", "attributes", "message"),
    [
        ((4, 9, 6), (3, 6, 8), (4, 9, 9), {}, "results must have the filters' channels"),
        ((4, 9, 6), (3, 6, 8), (4, 9, 8, 1), {}, "the same rank"),
        ((4, 9, 6), (3, 5, 8), (4, 9, 8), {}, "the images' channels"),
        ((4, 9, 6), (3, 6, 8), (5, 9, 8), {}, "the same batch"),
        ((4, 9, 6), (3, 6, 8), (4, 8, 8), {}, "a place for each window"),
        ((4, 9, 6), (3, 6, 8), (4, 9, 8), {"strides": [0]}, "must be positive"),
        ((4, 9, 6), (3, 6, 8), (4, 9, 8), {"strides": [1, 1]}, "for each dimension of places"),
        ((4, 9, 6), (3, 6, 8), (4, 9, 8), {"low": [-1]}, "must not be negative"),
        ((4, 9, 6), (3, 6, 8), (4, 9, 8), {"dilation": [1 << 40]}, "must be positive"),
        ((4, 9, 6), (3, 6, 8), (4, 9, 8), {"groups": 0}, "groups must be positive"),
        ((4, 9), (3, 6, 8), (4, 9, 8), {}, "one to three dimensions"),
        ((0, 9, 6), (3, 6, 8), (0, 9, 8), {}, "must be positive"),
    ],
)
def test_a_wrong_call_is_an_error_of_that_call(x: Any, w: Any, result: Any, attributes: Any, message: str) -> None:
    given = {"strides": [1], "low": [1], "high": [1], "dilation": [1], "groups": 1} | attributes
    given = {k: np.int64(v) if k == "groups" else np.asarray(v, np.int64) for k, v in given.items()}
    results = jax.ShapeDtypeStruct(result, jnp.float32), jax.ShapeDtypeStruct((8,), jnp.uint8)
    call = jax.ffi.ffi_call(_library.CONVOLUTION, results)
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        jax.block_until_ready(call(jnp.zeros(x), jnp.zeros(w), **given))


@needs_library
@pytest.mark.parametrize("dtypes", [("float16", "float16"), ("float32", "bfloat16"), ("int32", "int32")])
def test_other_dtypes_are_errors(dtypes: tuple[str, str]) -> None:
    results = jax.ShapeDtypeStruct((4, 9, 8), dtypes[0]), jax.ShapeDtypeStruct((1 << 16,), jnp.uint8)
    call = jax.ffi.ffi_call(_library.CONVOLUTION, results)
    one = np.ones(1, np.int64)
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"dtype|float32 or bfloat16"):
        jax.block_until_ready(
            call(
                jnp.zeros((4, 9, 6), dtypes[0]),
                jnp.zeros((3, 6, 8), dtypes[1]),
                strides=one,
                low=one,
                high=one,
                dilation=one,
                groups=np.int64(1),
            )
        )


@needs_library
def test_a_call_without_the_memory_that_it_needs_takes_its_own() -> None:
    """As a program of JAX's compilation cache that was compiled where oneDNN has other kernels."""
    x, w = images()
    results = jax.ShapeDtypeStruct((16, 12, 12, 16), jnp.float32), jax.ShapeDtypeStruct((1,), jnp.uint8)
    one = np.ones(2, np.int64)
    given = {"strides": one, "low": one, "high": one, "dilation": one, "groups": np.int64(1)}
    got, _ = jax.ffi.ffi_call(_library.CONVOLUTION, results)(x, w, **given)
    np.testing.assert_array_equal(got, convolve(x, w, IMAGES))


@needs_library
def test_plans_are_bounded() -> None:
    library = _library.library()
    assert library is not None
    for n in range(600):
        row = [1, 8 + n, 1]
        assert workspace(0, [row, [1, 1, 1], row, [1], [0], [0], [1]], 1) == ""
    assert 1 << 20 < library.stratagem_bytes_of_plans() <= 64 << 20
