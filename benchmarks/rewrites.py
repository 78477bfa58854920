"""What do rewrites and compiler options bring? A step of six networks with them, without, and with other options."""

import time
from pathlib import Path
from typing import Any

import click
import jax
import numpy as np
from jax.extend.core import jaxpr_as_fun
from parts.networks import NETWORKS
from parts.paired import Timer
from parts.report import options, reported

from stratagem import keras
from stratagem._core.rewrites import compiler_options, rewrite
from stratagem._private import CODE_GENERATOR_OPTIONS

YNN = "xla_cpu_experimental_ynn_fusion_type"
KIND = "LIBRARY_FUSION_TYPE_"
SECONDS = 0.2  # of each contender in a round


def compiled(name: str, *, rewrites: bool, options: dict[str, Any] | None) -> tuple[Timer, float]:
    """The network's step with Adam on a batch that stays on the device; the CPU seconds that its compilation took."""
    model, shape = NETWORKS[name](keras)
    if not model.built:
        model.build(shape)
    optimizer, losses = keras.optimizers.Adam(), keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer.build(model.trainable_variables)

    def loss(weights: Any, others: Any, x: Any, y: Any) -> Any:
        scores, others = model.stateless_call(weights, others, x, training=True)
        return losses(y, scores), others

    def step(state: Any, x: Any, y: Any) -> Any:
        weights, others, slots = state
        closed, form = jax.make_jaxpr(loss, return_shape=True)(weights, others, x, y)
        program = jaxpr_as_fun(rewrite(closed, "cpu") if rewrites else closed)

        def flat(weights: Any) -> Any:
            return jax.tree.unflatten(jax.tree.structure(form), program(*jax.tree.leaves((weights, others, x, y))))

        (value, others), gradients = jax.value_and_grad(flat, has_aux=True)(weights)
        weights, slots = optimizer.stateless_apply(slots, gradients, weights)
        return value, (weights, others, slots)

    owners = model.trainable_variables, model.non_trainable_variables, optimizer.variables
    state = [jax.tree.map(lambda v: jax.numpy.array(v.value), tuple(map(list, owners)))]
    random = np.random.default_rng(0)
    batch = jax.device_put((random.normal(size=shape).astype(np.float32), random.integers(0, 10, shape[0])))
    start = time.process_time()
    program = jax.jit(step, donate_argnums=0).lower(state[0], *batch).compile(compiler_options=options)
    took = time.process_time() - start

    def run(steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            value, state[0] = program(state[0], *batch)
        float(value)
        return time.perf_counter() - start

    return run, took


@click.command()
@click.option(
    "--network", "names", multiple=True, type=click.Choice(list(NETWORKS)), help="Which; all if none is named."
)
@options(9)
def main(names: tuple[str, ...], rounds: int, folder: Path) -> None:
    """Print the ratio of a step's time to each of the others', and of its compilation's; below 1 the rewrites are faster."""
    ours = compiler_options("cpu") or {}
    contenders: dict[str, dict[str, Any]] = {
        "rewritten": {"rewrites": True, "options": ours},
        "options alone": {"rewrites": False, "options": ours},
        "and element-wise": {
            "rewrites": True,
            "options": ours | {YNN: f"{KIND}INDIVIDUAL_DOT,{KIND}REDUCE,{KIND}ELTWISE"},
        },
        "fused products": {"rewrites": True, "options": ours | {YNN: f"{KIND}DOT,{KIND}REDUCE"}},
        "sums alone": {"rewrites": True, "options": ours | {YNN: f"{KIND}REDUCE"}},
        "narrow loops": {"rewrites": True, "options": ours | {"xla_cpu_prefer_vector_width": 256}},
        "unrolled loops": {"rewrites": True, "options": {k: v for k, v in ours.items() if k != CODE_GENERATOR_OPTIONS}},
        "XLA as it is": {"rewrites": False, "options": None},
    }
    with reported("rewrites", folder) as report:
        for name in names or NETWORKS:
            made = {label: compiled(name, **how) for label, how in contenders.items()}
            timers = {label: timer for label, (timer, _) in made.items()}
            for timer in timers.values():
                timer(1)
            steps = max(1, round(SECONDS / timers["rewritten"](2) * 2))
            report.compare(name, timers, rounds=rounds, steps=steps, warm_up=1)
            compiling = made["rewritten"][1] / made["options alone"][1]
            report.say(f"{name}: compilation, rewritten / options alone = {compiling:.2f} (once)")


if __name__ == "__main__":
    main()
