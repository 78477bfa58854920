"""The loop of docs/checkpoints.md that resumes: interrupted and started again, it ends as if it had never been."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.docs.test_programs import BLOCK, DATA, ROOT

PAGE = (ROOT / "docs" / "checkpoints.md").read_text(encoding="utf-8")
(LOOP,) = [block for block in BLOCK.findall(PAGE) if "restore_or_initialize" in block]


class _InterruptError(Exception):
    pass


def trained(seed: int) -> dict[str, Any]:
    """What the program has at its end. seed: what it would draw by itself."""
    tf.keras.utils.set_random_seed(seed)
    names: dict[str, Any] = {}
    exec(DATA + LOOP, names)
    return names


@pytest.mark.parametrize("whole", [4, 2], ids=["saved within an epoch", "saved as one ended"])
def test_the_loop_resumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: int) -> None:
    monkeypatch.chdir(tmp_path)
    save, calls = tf.train.CheckpointManager.save, iter(range(100))

    def interrupted(manager: Any) -> Any:
        if next(calls) == whole:
            raise _InterruptError
        return save(manager)

    with monkeypatch.context() as patch:
        patch.setattr(tf.train.CheckpointManager, "save", interrupted)
        with pytest.raises(_InterruptError):
            trained(1)
    resumed = trained(2)
    monkeypatch.chdir(tmp_path.joinpath("progress"))
    straight = trained(1)
    assert (int(resumed["epoch"]), int(resumed["step"])) == (3, 24)
    for mine, theirs in zip(resumed["network"].get_weights(), straight["network"].get_weights(), strict=True):
        np.testing.assert_array_equal(mine, theirs)
