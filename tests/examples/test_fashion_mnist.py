"""The demo trains, saves, restores and draws, and leaves nothing else behind."""

import os
import re
import subprocess
from pathlib import Path

import matplotlib.image
import pytest

from tests import prepared

ROOT = Path(__file__).parents[2]
TERMINAL = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "NO_COLOR", "COLUMNS")  # what rich looks at


def demo(folder: Path, *options: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the example in `folder`, with a temporary folder of its own and the virtual devices that it asks for."""
    (folder / "tmp").mkdir()
    env = {name: value for name, value in os.environ.items() if name not in (*TERMINAL, "JAX_NUM_CPU_DEVICES")}
    env |= {"PYTHONPATH": str(ROOT / "src"), "TMPDIR": str(folder / "tmp"), **more}
    program = ROOT / "examples" / "fashion_mnist.py"
    return prepared.run(program, *options, directory=folder, environment=env)


def test_the_demo_trains_on_two_replicas_and_restores_what_it_saved_on_one(tmp_path: Path) -> None:
    run = demo(tmp_path, "--limit", "256", "--batch-size", "32", "--epochs", "2", "--goal", "0.2")
    assert run.returncode == 0, run.stderr
    first, *epochs, restored, drew = run.stdout.splitlines()
    assert first == "training on 256 images, replicas in sync: 2"
    number = r"\d+\.\d+"
    line = rf"epoch (\d)/2  loss ({number})  train accuracy ({number})  test accuracy ({number})  {number} s"
    found = [re.fullmatch(line, epoch) for epoch in epochs]
    assert [match and match[1] for match in found] == ["1", "2"]
    losses = [float(match[2]) for match in found if match]
    assert 0 < losses[1] < losses[0] < 3
    saved = found[-1][4] if found[-1] else None
    assert restored == f"restored runs/fashion_mnist/checkpoints/ckpt-2 without a strategy: test accuracy {saved}"
    assert drew == "drew runs/fashion_mnist/curves.png"


@pytest.mark.thorough
def test_the_demo_writes_curves_and_checkpoints_and_leaves_nothing_else(tmp_path: Path) -> None:
    run = demo(tmp_path, "--limit", "64", "--epochs", "1", "--goal", "0", "--output", "here")
    assert run.returncode == 0, run.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["here", "tmp"]
    assert not list((tmp_path / "tmp").iterdir())
    assert sorted(path.name for path in (tmp_path / "here").iterdir()) == ["checkpoints", "curves.png"]
    assert sorted(path.name for path in (tmp_path / "here" / "checkpoints").iterdir()) == ["checkpoint", "ckpt-1"]
    picture = matplotlib.image.imread(tmp_path / "here" / "curves.png")
    assert picture.ndim == 3
    assert min(picture.shape[:2]) > 300
    assert picture.std() > 0.05, "the picture is empty"


@pytest.mark.thorough
def test_the_demo_fails_when_the_goal_is_not_reached(tmp_path: Path) -> None:
    run = demo(tmp_path, "--limit", "64", "--epochs", "1", "--goal", "1", "--replicas", "1")
    assert run.returncode == 1
    assert re.search(r"^Error: test accuracy 0\.\d{4} is below the goal of 1\.0; try more --epochs$", run.stderr, re.M)
    assert run.stdout.startswith("training on 64 images, replicas in sync: 1\n")


@pytest.mark.thorough
def test_the_demo_shows_a_progress_bar_in_a_terminal(tmp_path: Path) -> None:
    options = ("--limit", "512", "--epochs", "1", "--batch-size", "4", "--goal", "0")
    terminal = demo(tmp_path, *options, FORCE_COLOR="1", TERM="xterm", COLUMNS="120")
    assert terminal.returncode == 0, terminal.stderr
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", terminal.stdout)
    assert re.search(r"epoch 1/1 [━╸╺ ]+480/512 loss \d\.\d{3} [\d,]+ images/s \d:\d\d:\d\d", shown), shown
