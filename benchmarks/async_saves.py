"""What do checkpoints cost: the stall of a save in the background, and saving and restoring against TensorFlow?"""

import time
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import numpy as np
from parts.child import child
from parts.paired import Timer
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported
from parts.saves_program import AGAIN, COLD, WARM

import stratagem as tf

WIDTH = 1024
EVERY = 10  # steps between two saves


@click.command()
@python_of(TENSORFLOW)
@options(5)
@click.option("--megabytes", default=1024, show_default=True, type=click.IntRange(64), help="How much is saved.")
@click.option("--files", type=click.Path(file_okay=False), help="Where checkpoints are written. [default: temporary]")
def main(tensorflow_python: str | None, rounds: int, folder: Path, megabytes: int, files: str | None) -> None:
    """Compare steps that save in the background with those that do not, then saves and restores with TensorFlow's."""
    with reported("async_saves", folder, {TENSORFLOW: tensorflow_python}) as report:
        with TemporaryDirectory(dir=files) as place:
            _stall(report, place, 3 * rounds)
        with ExitStack() as stack:
            for what in ("save", WARM, COLD, AGAIN):
                folders = [stack.enter_context(TemporaryDirectory(dir=files)) for _ in range(2)]
                timers = {"Stratagem": _timer(stack, "parts.stratagem_saves_child", folders[0], what, megabytes)}
                if tensorflow_python:
                    timers["TensorFlow"] = _timer(
                        stack, "parts.tensorflow_saves_child", folders[1], what, megabytes, python=tensorflow_python
                    )
                target = {} if what == AGAIN else {"TensorFlow": 1.0}
                report.compare(f"{what}: {megabytes} MB", timers, rounds=rounds, steps=1, warm_up=1, targets=target)


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
    features = rng.standard_normal((1 << 10, WIDTH), dtype=np.float32)

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

    step_seconds(64)
    rows = len(features)
    step_seconds(rows)
    if (seconds := min(step_seconds(rows) for _ in range(3))) > 0.1:
        rows = max(64, int(rows * 0.1 / seconds))
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
