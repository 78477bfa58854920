"""Element-wise programs that the library interprets give XLA's numbers; wrong ones are errors, and no signal."""

import random
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

# Private: only the library's own call can be described wrongly.
from stratagem._kernels import (
    ElementwiseProgram,
    Instruction,
    Operand,
    OperandSource,
    Update,
    UpdateOperation,
    _library,
    has_kernels,
    update,
)
from tests import prepared

pytestmark = pytest.mark.skipif(not has_kernels(), reason="there is no library of kernels here")

OPERANDS = {
    UpdateOperation.NEGATE: 1,
    UpdateOperation.MAGNITUDE: 1,
    UpdateOperation.SIGN: 1,
    UpdateOperation.SQUARE_ROOT: 1,
}
OPERANDS |= {
    UpdateOperation.RECIPROCAL_SQUARE_ROOT: 1,
    UpdateOperation.MULTIPLY_ADD: 3,
    UpdateOperation.MULTIPLY_SUBTRACT: 3,
}
OPERANDS |= {UpdateOperation.SUBTRACT_MULTIPLIED: 3}
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2e-38, 3e38, 1e-30]

# In float64, so that a product and a sum are rounded once, as the library's.
EXACT: dict[UpdateOperation, Any] = {
    UpdateOperation.ADD: lambda a, b: a + b,
    UpdateOperation.SUBTRACT: lambda a, b: a - b,
    UpdateOperation.MULTIPLY: lambda a, b: a * b,
    UpdateOperation.DIVIDE: lambda a, b: a / b,
    UpdateOperation.MAXIMUM: np.maximum,
    UpdateOperation.MINIMUM: np.minimum,
    UpdateOperation.NEGATE: lambda a: -a,
    UpdateOperation.MAGNITUDE: np.abs,
    UpdateOperation.SIGN: np.sign,
    UpdateOperation.SQUARE_ROOT: np.sqrt,
    UpdateOperation.RECIPROCAL_SQUARE_ROOT: lambda a: 1 / np.sqrt(a),
    UpdateOperation.MULTIPLY_ADD: lambda a, b, c: a * b + c,
    UpdateOperation.MULTIPLY_SUBTRACT: lambda a, b, c: a * b - c,
    UpdateOperation.SUBTRACT_MULTIPLIED: lambda a, b, c: c - a * b,
}


def bits(*values: float) -> tuple[int, ...]:
    return tuple(int(np.float32(value).view(np.int32)) for value in values)


def single(operation: UpdateOperation, *sources: OperandSource) -> ElementwiseProgram:
    """A program of one instruction, whose operands are of these sources."""
    places = [Operand(source, sources[:i].count(source)) for i, source in enumerate(sources)]
    constants = bits(*[0.3, -2.0, 7.0][: sources.count(OperandSource.CONSTANT)])
    instruction = Instruction(operation, tuple(places))
    return ElementwiseProgram(
        sources.count(OperandSource.ARRAY), sources.count(OperandSource.SCALAR), constants, (instruction,), (0,)
    )


def operations_and_sources() -> list[Any]:
    found = []
    for operation in UpdateOperation:
        n = OPERANDS.get(operation, 2)
        for drawn in range(1 << n):  # of each operand, whether it is an array
            # The product of two scalars is computed once, and rounded by itself.
            if drawn & (3 if n == 3 else 7):
                sources = [
                    OperandSource.ARRAY if drawn >> i & 1 else [OperandSource.SCALAR, OperandSource.CONSTANT][i % 2]
                    for i in range(n)
                ]
                found.append(pytest.param(operation, sources, id=f"{operation.name} {drawn:b}"))
    return found


@pytest.mark.parametrize(("operation", "sources"), operations_and_sources())
def test_each_operation_of_arrays_scalars_and_constants_is_exact(
    operation: UpdateOperation, sources: list[OperandSource]
) -> None:
    numbers = np.random.default_rng(operation)
    arrays = [numbers.normal(size=1300).astype("float32") for source in sources if source is OperandSource.ARRAY]
    scalars = [np.float32(numbers.normal()) for source in sources if source is OperandSource.SCALAR]
    constants = iter([0.3, -2.0, 7.0])
    of = {
        OperandSource.ARRAY: iter(arrays),
        OperandSource.SCALAR: iter(scalars),
        OperandSource.CONSTANT: iter(map(np.float32, constants)),
    }
    if operation in (UpdateOperation.SQUARE_ROOT, UpdateOperation.RECIPROCAL_SQUARE_ROOT):
        arrays[0][:] = np.abs(arrays[0])
    expected = EXACT[operation](*(np.float64(next(of[source])) for source in sources))
    (result,) = update(scalars, arrays, [Update(single(operation, *sources), tuple(range(len(scalars))))])
    if operation is UpdateOperation.RECIPROCAL_SQUARE_ROOT:
        np.testing.assert_allclose(result, expected, rtol=2e-7)
    else:
        np.testing.assert_array_equal(result, np.broadcast_to(expected, 1300).astype("float32"))


@pytest.mark.parametrize(
    "operation", [operation for operation in UpdateOperation if operation < UpdateOperation.MULTIPLY_ADD]
)
def test_special_numbers_are_those_of_xla(operation: UpdateOperation) -> None:
    n = OPERANDS.get(operation, 2)
    arrays = [np.asarray(x, "float32").reshape(-1) for x in np.meshgrid(*[SPECIAL] * n)]
    by_xla = {
        UpdateOperation.MAXIMUM: jnp.maximum,
        UpdateOperation.MINIMUM: jnp.minimum,
        UpdateOperation.MAGNITUDE: jnp.abs,
        UpdateOperation.SIGN: jnp.sign,
        UpdateOperation.SQUARE_ROOT: jnp.sqrt,
        UpdateOperation.RECIPROCAL_SQUARE_ROOT: jax.lax.rsqrt,
    }.get(operation, EXACT[operation])
    (ours,) = update([], arrays, [Update(single(operation, *[OperandSource.ARRAY] * n), ())])
    np.testing.assert_allclose(ours, jax.jit(by_xla)(*arrays), rtol=2e-7)


@pytest.mark.parametrize(
    "operation", [operation for operation in UpdateOperation if operation >= UpdateOperation.MULTIPLY_ADD]
)
def test_a_product_and_a_sum_are_rounded_once(operation: UpdateOperation) -> None:
    arrays = [np.asarray(x, "float32").reshape(-1) for x in np.meshgrid(*[SPECIAL] * 3)]
    with np.errstate(all="ignore"):
        expected = EXACT[operation](*(array.astype("float64") for array in arrays)).astype("float32")
    (ours,) = update([], arrays, [Update(single(operation, *[OperandSource.ARRAY] * 3), ())])
    np.testing.assert_allclose(ours, expected, rtol=1e-7, atol=1e-37)


def drawn_program(numbers: random.Random) -> ElementwiseProgram:
    arrays, scalars, constants = numbers.randint(1, 5), numbers.randint(0, 3), numbers.randint(0, 3)
    instructions: list[Instruction] = []
    for i in range(numbers.randint(1, 12)):
        operation = numbers.choice(list(UpdateOperation))
        operands = []
        for _ in range(OPERANDS.get(operation, 2)):
            counts = {
                OperandSource.ARRAY: arrays,
                OperandSource.SCALAR: scalars,
                OperandSource.CONSTANT: constants,
                OperandSource.RESULT: i,
            }
            source = numbers.choice([source for source, count in counts.items() if count])
            operands.append(Operand(source, numbers.randrange(counts[source])))
        instructions.append(Instruction(operation, tuple(operands)))
    results = numbers.sample(range(len(instructions)), numbers.randint(1, min(4, len(instructions))))
    values = bits(*(numbers.uniform(0.5, 2) for _ in range(constants)))
    return ElementwiseProgram(arrays, scalars, values, tuple(instructions), tuple(results))


@pytest.mark.parametrize("seed", range(40))
def test_drawn_programs_give_the_numbers_of_xla(seed: int) -> None:
    """Also where results are written over the arrays, whichever instructions read these."""
    numbers = random.Random(seed)
    updates: list[Update] = []
    arrays: list[np.ndarray] = []
    in_place: list[tuple[int, int]] = []
    results = 0
    scalars = [np.float32(numbers.uniform(0.5, 2)) for _ in range(4)]
    for _ in range(numbers.randint(1, 5)):
        program = drawn_program(numbers)
        shape = numbers.choice([(3,), (512,), (700,), (40, 33), (1,), (3, 1, 700)])
        places = list(range(program.arrays))
        numbers.shuffle(places)
        for result, array in zip(range(len(program.results)), places, strict=False):
            if numbers.random() < 0.7:
                in_place.append((len(arrays) + array, results + result))
        arrays += [np.asarray(np.random.default_rng(seed).uniform(0.5, 2, shape), "float32") for _ in places]
        results += len(program.results)
        updates.append(Update(program, tuple(numbers.randrange(4) for _ in range(program.scalars))))

    def together(*arrays: jax.Array) -> Any:
        return update(scalars, arrays, updates, in_place)

    given = [jnp.asarray(array) for array in arrays]
    ours = jax.jit(together, donate_argnums=tuple(array for array, _ in in_place))(*given)
    exported = jax.export.export(jax.jit(together))(*arrays)  # has operations of XLA's alone
    assert "stratagem.update" not in exported.mlir_module()
    for a, b in zip(ours, exported.call(*arrays), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-5, atol=1e-5)


THREADS = """
import hashlib
import jax
import numpy as np
import stratagem as tf

variables = [tf.Variable(np.random.default_rng(n).normal(size=n).astype("float32") * 1e-20) for n in (1 << 18, 70_001, 1 << 17)]
optimizer = tf.keras.optimizers.Adam(1e-20)

@tf.function
def step():
    optimizer.apply_gradients([(v * 1e-19, v) for v in variables])

for _ in range(3):
    step()
tensors = [*variables, *optimizer.variables]
print(hashlib.sha256(b"".join(v.numpy().tobytes() for v in tensors)).hexdigest())
"""


def test_the_bits_do_not_depend_on_the_number_of_threads(tmp_path: Path) -> None:
    """Nor do numbers so small that some threads might take them for zero."""
    program = tmp_path / "program.py"
    program.write_text(THREADS)
    digests = {
        threads: prepared.run(program, environment={"PJRT_NPROC": str(threads)}).stdout.strip() for threads in (1, 2, 4)
    }
    assert len(set(digests.values())) == 1, digests
    assert len(digests[1]) == 64, digests


# --- Wrong calls -----------------------------------------------------------------------------------------------------------

# Two arrays of five elements and a scalar: a * s + b.
RIGHT: dict[str, list[int]] = {
    "programs": [
        2,
        1,
        1,
        UpdateOperation.MULTIPLY_ADD,
        OperandSource.ARRAY,
        0,
        OperandSource.SCALAR,
        0,
        OperandSource.ARRAY,
        1,
        1,
        0,
    ],
    "updates": [0, 5, 0],
}


def called(attributes: dict[str, list[int]], scalars: int = 1, dtype: str = "float32", results: int = 1) -> jax.Array:
    operands = [np.asarray(2, dtype), np.arange(5).astype(dtype), np.ones(5, dtype)]
    call = jax.ffi.ffi_call(_library.UPDATE, [jax.ShapeDtypeStruct((5,), dtype)] * results)
    attributes = {name: np.asarray(words, np.int64) for name, words in attributes.items()}
    return jax.block_until_ready(
        call(*operands, **attributes, constants=np.zeros(1, np.float32), scalars=np.int64(scalars))
    )[0]


def test_the_right_call_is_the_update() -> None:
    np.testing.assert_array_equal(called(RIGHT), np.arange(5) * 2 + 1)


@pytest.mark.parametrize(
    ("name", "place", "word", "message"),
    [
        ("programs", 0, 3, "too few operands"),
        ("programs", 0, 0, "instructions and arrays"),
        ("programs", 1, -1, "instructions and arrays"),
        ("programs", 2, 0, "instructions and arrays|too short"),
        ("programs", 2, 1 << 60, "too short"),
        ("programs", 2, -1, "too short"),
        ("programs", 3, 99, "no such operation"),
        ("programs", 3, -1, "no such operation"),
        ("programs", 4, 4, "no such source"),
        ("programs", 4, OperandSource.RESULT, "operand is not there"),
        ("programs", 5, 2, "operand is not there"),
        ("programs", 5, -1, "operand is not there"),
        ("programs", 7, 1, "operand is not there"),
        ("programs", 10, 2, "too short"),
        ("programs", 11, 1, "result is not there"),
        ("updates", 0, 1, "no such program"),
        ("updates", 0, -1, "no such program"),
        ("updates", 1, 6, "different length"),
        ("updates", 1, 1 << 62, "different length"),
        ("updates", 1, -5, "different length"),
        ("updates", 2, 1, "no such scalar"),
        ("updates", 2, -1, "no such scalar"),
    ],
)
def test_a_wrong_call_is_an_error_of_that_call(name: str, place: int, word: int, message: str) -> None:
    words = [*RIGHT[name][:place], word, *RIGHT[name][place + 1 :]]
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        called(RIGHT | {name: words})


def test_missing_words_operands_and_results_are_errors() -> None:
    for name in RIGHT:
        for length in range(1, len(RIGHT[name])):
            with pytest.raises(jax.errors.JaxRuntimeError, match="update: "):
                called(RIGHT | {name: RIGHT[name][:length]})
    with pytest.raises(jax.errors.JaxRuntimeError, match="too few results"):
        called(RIGHT | {"programs": [*RIGHT["programs"][:-2], 2, 0, 0]})
    for scalars in (0, 2, -1, 1 << 60):
        with pytest.raises(jax.errors.JaxRuntimeError, match="update: "):
            called(RIGHT, scalars=scalars)
    with pytest.raises(jax.errors.JaxRuntimeError, match="must be float32"):
        called(RIGHT, dtype="float16")
