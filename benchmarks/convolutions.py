"""Which convolutions are faster by oneDNN, as matrix products or at a pool? Gradients too, rewritten / as XLA has them."""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import jaxpr_as_fun
from parts.paired import Timer
from parts.report import options, reported

from stratagem._core.rewrites import compiler_options, rewrite
from stratagem._private import intercept_compilation

SECONDS = 0.05  # of each contender in a round


@dataclass(frozen=True)
class Convolution:
    """Of `batch` images of `size` by `size`, from some channels to others, in a window, with strides, in groups.

    pool: the window of a pool behind it and a rectifier, if it is not 1.
    """

    batch: int
    size: int
    before: int
    after: int
    window: int = 3
    strides: int = 1
    groups: int = 1
    pool: int = 1

    def __str__(self) -> str:
        marks = (f"/{self.strides}" if self.strides > 1 else "") + (f" in {self.groups}" if self.groups > 1 else "")
        marks += f", pool {self.pool}x{self.pool}" if self.pool > 1 else ""
        return f"{self.batch}x{self.size}x{self.size} {self.before}->{self.after} {self.window}x{self.window}{marks}"

    def __call__(self, x: jax.Array, w: jax.Array) -> jax.Array:
        strides, order = (self.strides, self.strides), ("NHWC", "HWIO", "NHWC")
        y = jax.lax.conv_general_dilated(
            x, w, strides, "SAME", dimension_numbers=order, feature_group_count=self.groups
        )
        if self.pool == 1:
            return y
        window = (1, self.pool, self.pool, 1)
        return jax.lax.reduce_window(jax.nn.relu(y), -jnp.inf, jax.lax.max, window, window, "VALID")


SHAPES = (
    Convolution(1, 16, 16, 16),
    Convolution(8, 28, 1, 8),
    Convolution(64, 28, 1, 32),
    Convolution(64, 13, 32, 64),
    Convolution(32, 32, 3, 64),
    Convolution(16, 64, 3, 64, 7, 2),
    Convolution(16, 56, 64, 64),
    Convolution(16, 56, 64, 128, 3, 2),
    Convolution(32, 4, 256, 512, 3, 2),
    Convolution(32, 2, 512, 512),
    Convolution(8, 4, 256, 512),
    Convolution(1, 7, 512, 512),
    Convolution(16, 32, 64, 128, 5, 2),
    Convolution(16, 14, 256, 256),
    Convolution(16, 28, 64, 256, 1),
    Convolution(16, 28, 256, 64, 1),
    Convolution(16, 28, 128, 128, 3, 1, 4),
    Convolution(16, 28, 64, 64, 3, 1, 64),
    Convolution(16, 28, 64, 64, 3, 2, 64),
    Convolution(32, 16, 16, 16),
    Convolution(32, 32, 32, 32),
    Convolution(32, 8, 256, 256),
    Convolution(64, 28, 1, 32, pool=2),
    Convolution(64, 28, 1, 16, pool=2),
    Convolution(64, 28, 1, 32, pool=3),
    Convolution(16, 64, 1, 32, pool=2),
    Convolution(64, 13, 32, 64, pool=2),
)


def forward(function: Any, x: Any, w: Any) -> Any:
    """The convolution's result."""
    return function(x, w)


def of_input(function: Any, x: Any, w: Any) -> Any:
    """The gradient of the images."""
    return jax.grad(lambda x: jnp.sum(jnp.sin(function(x, w))))(x)


def of_filters(function: Any, x: Any, w: Any) -> Any:
    """The gradient of the filters."""
    return jax.grad(lambda w: jnp.sum(jnp.sin(function(x, w))))(w)


def timer(what: Any, convolution: Convolution, *, rewrites: bool) -> Timer:
    """The compiled function, with Stratagem's compiler options in both cases."""
    random = np.random.default_rng(0)
    window = (convolution.window, convolution.window, convolution.before // convolution.groups, convolution.after)
    x = jnp.asarray(
        random.normal(size=(convolution.batch, convolution.size, convolution.size, convolution.before)), "float32"
    )
    w = jnp.asarray(random.normal(size=window) / 8, "float32")
    closed = jax.make_jaxpr(convolution)(x, w)
    program = jaxpr_as_fun(rewrite(closed, "cpu") if rewrites else closed)

    def function(x: Any, w: Any) -> Any:
        return program(x, w)[0]

    compiled = jax.jit(lambda x, w: what(function, x, w)).lower(x, w).compile(compiler_options=compiler_options("cpu"))

    def run(calls: int) -> float:
        start = time.perf_counter()
        for _ in range(calls):
            result = compiled(x, w)
        result.block_until_ready()
        return time.perf_counter() - start

    return run


@click.command()
@options(9)
def main(rounds: int, folder: Path) -> None:
    """Print, for every shape, the ratios of the times; below 1 the rewrite is faster, 1 means that it leaves it to XLA."""
    intercept_compilation()  # as the first step does: all options reach XLA
    with reported("convolutions", folder) as report:
        for convolution in SHAPES:
            for what in (forward, of_input, of_filters):
                timers = {
                    "rewritten": timer(what, convolution, rewrites=True),
                    "XLA": timer(what, convolution, rewrites=False),
                }
                timers["XLA"](1)
                calls = max(1, round(SECONDS / timers["XLA"](3) * 3))
                title = f"{convolution}, {what.__name__.replace('_', ' ')}"
                report.compare(title, timers, rounds=rounds, steps=calls, warm_up=2)


if __name__ == "__main__":
    main()
