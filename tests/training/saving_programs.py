"""Small programs that save and load as TensorFlow's do, which run in TensorFlow and here; each returns JSON."""

import glob
import os
from collections.abc import Callable
from typing import Any

import numpy as np

X = (np.arange(24).reshape(8, 3) % 7 / 8).astype("float32")
Y = X.sum(axis=1, keepdims=True)
WEIGHTS = [(np.arange(6).reshape(3, 2) / 8).astype("float32"), np.ones(2, "float32")]
WEIGHTS += [np.array([[0.5], [-0.25]], "float32"), np.zeros(1, "float32")]

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


def model(tf: Any, **compiled: Any) -> Any:
    layers = tf.keras.layers
    made = tf.keras.Sequential([layers.InputLayer((3,)), layers.Dense(2, activation="relu"), layers.Dense(1)])
    made.compile(**{"optimizer": tf.keras.optimizers.Adam(0.125), "loss": "mse", "metrics": ["mae"], **compiled})
    made.set_weights(WEIGHTS)
    return made


def losses(trained: Any, epochs: int = 2, callbacks: Any = ()) -> list[float]:
    options = {"batch_size": 2, "verbose": 0, "shuffle": False}
    found = trained.fit(X, Y, epochs=epochs, callbacks=list(callbacks), **options).history["loss"]
    return [float(loss) for loss in found]


@program
def curves(tf: Any) -> Any:
    """Training that goes on from what was saved goes on as if it had never stopped."""
    first = model(tf)
    numbers = [losses(first)]
    first.save("folder")
    first.save_weights("weights/p")
    numbers.append(losses(first))
    numbers.append(losses(tf.keras.models.load_model("folder")))
    second = model(tf)
    second.load_weights(tf.train.latest_checkpoint("weights"))
    numbers.append(losses(second))
    third = model(tf, optimizer=tf.keras.optimizers.SGD(0.125))
    third.load_weights("folder")
    numbers.append([float(n) for n in third.evaluate(X, Y, verbose=0)])
    return numbers


def _answer(value: Any) -> Any:
    return "a status" if hasattr(value, "expect_partial") else value


@program
def answers(tf: Any) -> Any:
    """What calls return and leave."""
    made = model(tf)
    losses(made, epochs=1)
    save, load = made.save, tf.keras.models.load_model
    found = {
        "save": save("folder"),
        "save_model": tf.keras.models.save_model(made, "other", save_format="tf"),
        "save without": save("bare", include_optimizer=False),
        "save h5": save("unnamed", save_format="h5"),
        "save hdf5": save("whole.hdf5"),
        "save_weights": made.save_weights("weights/p"),
        "save_weights h5": made.save_weights("weights.h5"),
        "save_weights unnamed": made.save_weights("unnamed_weights", save_format="h5"),
        "save_weights folder": made.save_weights("nameless/"),
        "load_weights": _answer(made.load_weights("weights/p")),
        "load_weights h5": _answer(made.load_weights("weights.h5")),
        "load_weights by name": _answer(made.load_weights("weights.h5", by_name=True)),
        "load_weights unnamed": _answer(made.load_weights("unnamed_weights")),
        "load_weights of a model": _answer(made.load_weights("folder")),
        "load_weights of a folder": _answer(made.load_weights("nameless/")),
        "restore": _answer(tf.train.Checkpoint(made).restore("weights/p")),
        "latest": os.path.basename(tf.train.latest_checkpoint("weights")),
        "latest in a folder": tf.train.latest_checkpoint("nameless") is not None,
        "programs look for": os.path.exists("weights/p.index"),
        "folders": [os.path.isdir(name) for name in ("folder", "other", "bare", "unnamed", "whole.hdf5")],
    }
    for name in ("folder", "other", "bare", "unnamed", "whole.hdf5"):
        loaded = load(name)
        optimizer = getattr(loaded, "optimizer", None)
        found[f"loaded {name}"] = None if optimizer is None else int(optimizer.iterations.numpy())
    return found


# --- Errors -----------------------------------------------------------------------------------------------------------


def _error(call: Callable[[], Any]) -> str:
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "none"


@program
def errors(tf: Any) -> Any:
    """The classes of errors."""
    made = model(tf)
    made.save_weights("weights/p")
    unbuilt = tf.keras.Sequential([tf.keras.layers.Dense(1)])
    checkpoint = tf.keras.callbacks.ModelCheckpoint
    return {
        "no model": _error(lambda: tf.keras.models.load_model("nothing")),
        "no weights": _error(lambda: made.load_weights("nothing")),
        "format": _error(lambda: made.save("x", save_format="zip")),
        "format of weights": _error(lambda: made.save_weights("x", save_format="zip")),
        "contradiction": _error(lambda: made.save_weights("x.h5", save_format="tf")),
        "ending": _error(lambda: made.save("x", save_format="keras")),
        "by name": _error(lambda: made.load_weights("weights/p", by_name=True)),
        "mismatch": _error(lambda: made.load_weights("weights/p", skip_mismatch=True)),
        "not built": _error(lambda: unbuilt.save_weights("unbuilt/p")),
        "frequency": _error(lambda: checkpoint("x", save_freq="batch")),
    }


# --- ModelCheckpoint --------------------------------------------------------------------------------------------------


@program
def checkpoints(tf: Any) -> Any:
    """Which checkpoints a callback leaves."""
    checkpoint = tf.keras.callbacks.ModelCheckpoint
    rates = tf.keras.callbacks.LearningRateScheduler(lambda epoch: (0.125, 0.0625, 2.0, 0.001)[epoch])
    callbacks = [
        checkpoint("epochs/ckpt_{epoch:02d}", save_weights_only=True),
        checkpoint("steps/ckpt_{epoch}_{batch}", save_weights_only=True, save_freq=3),
        checkpoint("best/{epoch}", monitor="mae", mode="min", save_weights_only=True, save_best_only=True),
        checkpoint("every/{epoch}", save_weights_only=True, period=2),
        checkpoint("folders/{epoch}", monitor="loss", save_best_only=True),
        checkpoint("last"),
    ]
    trained = model(tf, optimizer=tf.keras.optimizers.SGD(0.125))
    losses(trained, epochs=4, callbacks=[rates, *callbacks])
    found = {
        name: sorted(os.path.basename(path) for path in glob.glob(f"{name}/*.index"))
        for name in ("epochs", "steps", "best", "every")
    }
    found["folders"] = sorted(os.listdir("folders"))
    for name in ("epochs", "steps", "best"):
        found[f"latest of {name}"] = os.path.basename(tf.train.latest_checkpoint(name))
    last = tf.keras.models.load_model("last")
    found["last"] = bool(np.allclose(last.get_weights()[0], trained.get_weights()[0]))
    return found
