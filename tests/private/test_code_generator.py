"""Options of XLA's code generator reach it, for one program, and the others stay."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from jax._src import compiler

from stratagem._base.processor import has_avx512
from stratagem._private import CODE_GENERATOR_OPTIONS

# Private: what becomes of a program's options is no result, only time.
from stratagem._private._code_generator import with_code_generator_options
from tests import prepared

PROGRAM = """
import stratagem as tf

w, m, v = (tf.Variable(tf.ones((20_000, 16))) for _ in range(3))

@tf.function
def changed():
    w.assign_sub(m / (tf.sqrt(v) + 1e-7))

changed()
"""


def options_with(**overrides: Any) -> Any:
    return compiler.get_compile_options(1, 1, env_options_overrides=overrides)


def test_options_of_the_code_generator_leave_the_list_of_the_others() -> None:
    long = "x" * 200  # a length of two bytes
    given = options_with(xla_cpu_prefer_vector_width=512, **{CODE_GENERATOR_OPTIONS: f"first=true,{long}=3"})
    options = with_code_generator_options(given)
    assert options.env_option_overrides == [("xla_cpu_prefer_vector_width", 512)]
    assert (options.num_replicas, options.num_partitions) == (1, 1)
    written = options.SerializeAsString()
    assert all(text.encode() in written for text in ("first", "true", long))


def test_a_program_without_them_keeps_its_options() -> None:
    options = options_with(xla_cpu_prefer_vector_width=512)
    assert with_code_generator_options(options) is options


# Without AVX-512 LLVM finds a few vectors in the unrolled loop, too.
@pytest.mark.parametrize(
    "rewrites", ["on", pytest.param("off", marks=pytest.mark.skipif(not has_avx512(), reason="AVX2"))]
)
def test_short_loops_are_computed_in_vectors(rewrites: str, tmp_path: Path) -> None:
    """A row of 16 elements of a table that XLA updates: unrolled before LLVM looks for vectors, it has none."""
    flags = {"XLA_FLAGS": f"--xla_dump_to={tmp_path}", "STRATAGEM_REWRITES": rewrites, "JAX_PLATFORMS": "cpu"}
    done = prepared.run(PROGRAM, environment=os.environ | flags)
    assert done.returncode == 0, done.stderr[-3000:]
    code = "".join(file.read_text() for file in tmp_path.glob("*ir-with-opt.ll"))
    assert bool(re.search(r"fdiv .*<\d+ x float>", code)) == (rewrites == "on")
    assert "fdiv" in code
