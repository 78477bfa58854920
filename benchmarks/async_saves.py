"""What do checkpoints cost: the stall of a save in the background, and saving and restoring against TensorFlow and Orbax?"""

import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from parts.child import child
from parts.paired import Timer
from parts.peers import ORBAX, TENSORFLOW, python_of
from parts.report import options, reported
from parts.saves_program import AGAIN, COLD, WARM

import stratagem as tf

WIDTH = 1024
FEW = 1 << 10  # rows, from whose time follow those of a step of 100 ms
EVERY = 10  # steps between two saves


@click.command()
@python_of(TENSORFLOW)
@python_of(ORBAX)
@options(5)
@click.option("--megabytes", default=1024, show_default=True, type=click.IntRange(64), help="How much is saved.")
@click.option("--files", type=click.Path(file_okay=False), help="Where checkpoints are written. [default: temporary]")
def main(
    tensorflow_python: str | None,
    orbax_python: str | None,
    rounds: int,
    folder: Path,
    megabytes: int,
    files: str | None,
) -> None:
    """Compare steps that save in the background with those that do not, then saves and restores with the others'."""
    others = {TENSORFLOW: tensorflow_python, ORBAX: orbax_python}
    with reported("async_saves", folder, others) as report:
        with TemporaryDirectory(dir=files) as place:
            _stall(report, place, 3 * rounds)
        with ExitStack() as stack:
            for what in ("save", WARM, COLD, AGAIN):
                timers, targets = {}, {}
                for label, module, python in (
                    ("Stratagem", "parts.stratagem_saves_child", {}),
                    ("TensorFlow", "parts.tensorflow_saves_child", {"python": tensorflow_python}),
                    ("Orbax", "parts.orbax_saves_child", {"python": orbax_python}),
                ):
                    if None not in python.values():
                        place = stack.enter_context(TemporaryDirectory(dir=files))
                        timers[label] = _timer(stack, module, place, what, megabytes, **python)
                        targets[label] = 1.0
                compared = {} if what == AGAIN else targets
                report.compare(f"{what}: {megabytes} MB", timers, rounds=rounds, steps=1, warm_up=1, targets=compared)


def _timer(stack: ExitStack, module: str, folder: str, what: str, megabytes: int, **python: str) -> Timer:
    """A program that saves again and again; one that restores begins anew for each restore, as a program that goes on does."""
    arguments = (module, folder, what, str(megabytes))
    if what in ("save", AGAIN):
        return stack.enter_context(child(*arguments, **python))

    def timed(count: int) -> float:
        seconds = 0.0
        for _ in range(count):
            with child(*arguments, **python) as once:
                seconds += once(1)
        return seconds

    return timed


def _stall(report: Any, place: str, rounds: int) -> None:
    """The time that a call of `save` takes, as a share of a step of about 100 ms, and what it does to the steps after it."""
    strategy = tf.distribute.OneDeviceStrategy("CPU:0")
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(WIDTH, activation="relu") for _ in range(4)])
        optimizer = tf.keras.optimizers.SGD(0.001, momentum=0.5)
    rng = np.random.default_rng(0)
    features = rng.standard_normal((1 << 13, WIDTH), dtype=np.float32)

    @tf.function  # type: ignore[untyped-decorator]
    def step(images: Any) -> Any:
        def replica(images: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(tf.square(model(images)))
            variables = model.trainable_variables
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
            return loss

        return strategy.run(replica, (images,))

    def step_seconds(rows: int) -> float:
        began = time.perf_counter()
        np.asarray(step(features[:rows]))
        return time.perf_counter() - began

    step_seconds(FEW)
    rows = min(len(features), max(64, int(FEW * 0.1 / min(step_seconds(FEW) for _ in range(3)))))
    step_seconds(rows)
    checkpoint = tf.train.Checkpoint(model=model, optimizer=optimizer)
    manager = tf.train.CheckpointManager(checkpoint, place, 2)
    in_background = tf.train.CheckpointOptions(enable_async=True)
    manager.save(options=in_background)
    manager.sync()
    size = sum(np.asarray(v).nbytes for v in [*model.variables, *optimizer.variables]) / 1e6
    plain, stalls, beside = [], [], []
    for _ in range(rounds):
        plain.append(sum(step_seconds(rows) for _ in range(EVERY)))
        began = time.perf_counter()
        manager.save(options=in_background)
        stalls.append(time.perf_counter() - began)
        beside.append(stalls[-1] + sum(step_seconds(rows) for _ in range(EVERY)))
        manager.sync()
    report.say(f"a step of {np.median(plain) / EVERY * 1000:.0f} ms, {size:.0f} MB a save, a save in {EVERY} steps")
    one_step = [seconds / EVERY for seconds in plain]
    report.keep("a save in the background", {"the call": stalls, "a step": one_step}, {"a step": 0.05})
    report.keep("steps while it is written", {"with a save": beside, "without": plain})


if __name__ == "__main__":
    main()
