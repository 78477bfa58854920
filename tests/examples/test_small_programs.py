"""Examples that begin where other libraries or other ways of training end: each does on a few rows what it says."""

import json
import os
import re
from pathlib import Path

import matplotlib.image
import pytest

from tests import prepared

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.sampled  # `make install-test` runs the demo, and tests of what they are made of run every day


def run(name: str, folder: Path, *options: str) -> str:
    """What a program prints, which has to succeed; with the virtual devices that it asks for."""
    env = {name: value for name, value in os.environ.items() if name != "JAX_NUM_CPU_DEVICES"}
    env |= {"PYTHONPATH": str(ROOT / "src")}
    done = prepared.run(ROOT / "examples" / f"{name}.py", *options, directory=folder, environment=env)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_two_networks_learn_from_each_other(tmp_path: Path) -> None:
    told = run("gan", tmp_path, "--limit=256", "--epochs=2", "--output=out")
    assert re.search(r"^epoch 2: loss of the generator \d\.\d{3}, of the discriminator \d\.\d{3}$", told, re.M)
    curve = json.loads((tmp_path / "out" / "curve.json").read_text())
    # A discriminator that only guesses has 2 ln 2, and knows better after some steps; the generator ln 2.
    assert curve["discriminator"][1] < curve["discriminator"][0] < 1.6
    assert all(0.3 < value < 1.5 for value in curve["generator"])
    picture = matplotlib.image.imread(tmp_path / "out" / "epoch_2.png")
    assert picture[..., :3].std() > 0.02, "the picture is empty"


def test_gradients_are_added_up_before_they_are_applied(tmp_path: Path) -> None:
    told = run("gradient_accumulation", tmp_path, "--limit=512", "--parts=4")
    found = dict(re.findall(r"^(.*): weights differ from those of whole batches by (\S+) at most$", told, re.M))
    assert found.keys() == {"gradient_accumulation_steps", "a loop"}
    assert all(float(difference) < 1e-6 for difference in found.values()), told


def test_a_scaled_loss_keeps_small_gradients(tmp_path: Path) -> None:
    told = run("mixed_precision", tmp_path, "--limit=2560", "--output=out")
    assert "layers compute in float16, and keep float32" in told
    curve = json.loads((tmp_path / "out" / "curve.json").read_text())
    scales, losses = curve["scale"], curve["loss"]
    halved = sum(after < before for before, after in zip([2.0**24, *scales], scales, strict=False))
    assert halved >= 2, "the first gradients were to overflow"
    assert scales[halved - 1] == 2.0**24 / 2**halved
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.thorough  # install-test runs it, too
def test_a_loader_of_torch_feeds_fit(tmp_path: Path) -> None:
    told = run("torch_loader", tmp_path, "--limit=1024", "--epochs=2")
    found = re.search(r"^accuracy on the test images: (\d\.\d{4})$", told, re.M)
    assert found is not None, told
    assert float(found[1]) > 0.5


@pytest.mark.thorough  # install-test runs it, too
def test_a_data_set_of_hugging_face_is_trained_on(tmp_path: Path) -> None:
    pytest.importorskip("datasets", reason="Hugging Face's library `datasets` is not installed: pip install datasets")
    told = run("hugging_face_data", tmp_path, "--limit=800", "--epochs=3")
    found = re.search(r"^800 texts about 4 subjects: accuracy (\d\.\d{4}) on those not trained on$", told, re.M)
    assert found is not None, told
    assert float(found[1]) > 0.45
