"""The example programs, whole, from equal weights: the losses, accuracies and weights of TensorFlow 2.15.1."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests import prepared
from tests.cli.launches import launcher
from tests.examples.programs import RECORDED, ROOT, Outcome, arguments, left_in
from tests.multi_worker.jobs import PATIENCE

# Relative, of every recorded loss (of scores: to the largest, since one near zero is what is left of larger terms), and
# absolute, of every weight: what float32 in another order of additions gives.
LOSS, WEIGHT = 5e-6, 1e-5
pytestmark = pytest.mark.sampled  # `make install-test` runs the demo, and tests of what they are made of run every day


def ended(name: str, folder: Path, *more: str) -> "subprocess.CompletedProcess[str]":
    """What becomes of a program of ours, in a process of its own, with the virtual devices that it asks for."""
    env = {name: value for name, value in os.environ.items() if name != "JAX_NUM_CPU_DEVICES"}
    env["PYTHONPATH"] = os.pathsep.join([str(ROOT / "src"), env.get("PYTHONPATH", "")])
    return prepared.run(ROOT / "examples" / f"{name}.py", *arguments(name, folder), *more, environment=env)


def outcome(name: str, folder: Path, *more: str) -> Outcome:
    """What such a program writes, which has to succeed."""
    done = ended(name, folder, *more)
    assert done.returncode == 0, done.stdout + done.stderr
    return left_in(folder, done.stdout + done.stderr)


def recorded(name: str) -> tuple[dict[str, list[float]], list[np.ndarray]]:
    """TensorFlow's curve and weights."""
    with np.load(RECORDED / f"{name}.npz") as arrays:
        return json.loads((RECORDED / f"{name}.json").read_text()), [arrays[key] for key in arrays.files]


def assert_as_tensorflow(found: Outcome, name: str, but: tuple[str, ...] = ()) -> None:
    """Compare everything that is recorded, but the rows of the curve that a test looks at itself."""
    curve, weights = recorded(name)
    assert found.curve.keys() == curve.keys()
    for key in curve.keys() - set(but):
        near_zero = LOSS * np.max(np.abs(curve[key])) if key == "score" else 0.0
        np.testing.assert_allclose(found.curve[key], curve[key], LOSS, near_zero, err_msg=key, strict=True)
    assert len(found.weights) == len(weights)
    for mine, theirs in zip(found.weights, weights, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=WEIGHT, strict=True)


@pytest.mark.thorough
def test_steps_per_execution_and_a_loop_of_many_steps(tmp_path: Path) -> None:
    name = "fashion_mnist_tpu"
    found = outcome(name, tmp_path / "out")
    assert_as_tensorflow(found, name)
    assert "replicas: 2" in found.output, "there was no TPU, and the program went on with two devices"


@pytest.mark.thorough
def test_flags_and_a_run_that_is_resumed(tmp_path: Path) -> None:
    name = "fashion_mnist_flags"
    first = outcome(name, tmp_path / "out", "--train_epochs=1")
    found = outcome(name, tmp_path / "out")
    assert re.search(r"Resumed from \S+ckpt-1 after epoch 1", found.output)
    both = {key: first.curve[key] + found.curve[key] for key in found.curve}
    assert_as_tensorflow(found._replace(curve=both), name)
    assert any(file.startswith("summaries/events.out.tfevents.") for file in found.files)
    assert {"ckpt/checkpoint", "ckpt/ckpt-1/manifest.json", "ckpt/ckpt-2/manifest.json"} <= {*found.files}


def test_devices_names_and_a_profile(tmp_path: Path) -> None:
    name = "fashion_mnist_devices"
    found = outcome(name, tmp_path / "out")
    assert_as_tensorflow(found, name)
    assert sum(file.endswith(".xplane.pb") for file in found.files) == 1
    assert re.search(r"replica:0/task:0/device:CPU:0", found.output), "the placement was not logged"


def test_models_that_are_saved_loaded_and_trained_on(tmp_path: Path) -> None:
    """As if nothing had happened: TensorFlow loses Adam's moments with a SavedModel and keeps them in a file of Keras'."""
    name = "fashion_mnist_saving"
    found = outcome(name, tmp_path / "out")
    from_folders = ("continued", "continued, validation", "continued on one device")
    # Each replica of TensorFlow evaluates with moving statistics of its own, here with their mean.
    validation = ("uninterrupted, validation", "accuracy")
    assert_as_tensorflow(found, name, (*from_folders, *validation))
    curve, _ = recorded(name)
    assert found.curve["uninterrupted, validation"] == pytest.approx(curve["uninterrupted, validation"], rel=2e-3)
    assert found.curve["continued"] == found.curve["continued from a file"] == found.curve["uninterrupted"][1:]
    assert found.curve["continued, validation"] == found.curve["uninterrupted, validation"][1:]
    with np.load(tmp_path / "out" / "continued.npz") as continued:
        for key, weight in zip(continued.files, found.weights, strict=True):
            np.testing.assert_array_equal(continued[key], weight)
    assert {"best/stratagem_model.keras", "saved/stratagem_model.keras", "ckpt_1.index", "ckpt_2.index"} <= {
        *found.files
    }


def test_strings_go_into_fit_and_their_words_into_the_file(tmp_path: Path) -> None:
    name = "text_classification"
    found = outcome(name, tmp_path / "out")
    assert_as_tensorflow(found, name)
    assert "model.keras" in found.files


@pytest.mark.thorough
def test_images_from_folders_are_changed_at_random_as_there(tmp_path: Path) -> None:
    name = "fashion_mnist_jpegs"
    assert_as_tensorflow(outcome(name, tmp_path / "out"), name)


@pytest.mark.thorough
def test_a_session_that_goes_on_where_its_saver_has_stopped(tmp_path: Path) -> None:
    name = "fashion_mnist_session"
    first = outcome(name, tmp_path / "out", "--epochs=1")
    found = outcome(name, tmp_path / "out")
    assert re.search(r"went on from \S+model-8 after step 8", found.output)
    assert_as_tensorflow(found._replace(curve={key: first.curve[key] + found.curve[key] for key in found.curve}), name)
    assert {"model-8.index", "model-16.index"} <= {*found.files}
    assert sum(file.startswith("events.out.tfevents.") for file in found.files) == 2


def test_a_monitored_session_that_is_killed_and_started_again(tmp_path: Path) -> None:
    """It is killed after a step that no checkpoint has: the losses of steps that it takes again are the same, to the bit."""
    name, folder = "fashion_mnist_monitored", tmp_path / "out"
    killed = ended(name, folder, "--die_after=20")
    assert killed.returncode == -signal.SIGKILL, killed.stdout + killed.stderr
    before = [json.loads(line) for line in (folder / "losses.jsonl").read_text().splitlines()]
    assert len(before) == 20
    found = outcome(name, folder)
    assert "begins after step 16" in found.output
    after = [json.loads(line) for line in (folder / "losses.jsonl").read_text().splitlines()][20:]
    assert [each["step"] for each in after] == [*range(16, 24)]
    assert after[:4] == before[16:]
    assert_as_tensorflow(found, name)


@pytest.mark.thorough
def test_clicks_by_one_worker_and_two_servers(tmp_path: Path) -> None:
    name = "click_model"
    assert_as_tensorflow(outcome(name, tmp_path / "out"), name)


@pytest.mark.thorough
@pytest.mark.parametrize("more", [(), ("--in_step",)], ids=["in data sets", "in steps"])
def test_clicks_by_a_worker_that_looks_words_up_and_servers_in_processes_of_their_own(
    more: tuple[str, ...], tmp_path: Path
) -> None:
    """TensorFlow's curve and weights are the same, to the bit, wherever words are looked up."""
    name, folder = "click_model", tmp_path / "out"
    program = ROOT / "examples" / f"{name}.py"
    with launcher("--chief", "--workers", 1, "--ps", 2, program, *arguments(name, folder), *more) as started:
        done = started.done(PATIENCE)
    assert done.code == 0, done.whole
    assert_as_tensorflow(left_in(folder, done.out), name)
