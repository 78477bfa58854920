"""tf.compat.v1.app and flags, as programs of TensorFlow 1 use them; and tf.estimator.export."""

import subprocess
import sys
from pathlib import Path

import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from tests import prepared

PROGRAM = Path(__file__).with_name("program_with_flags.py")


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return prepared.run(PROGRAM, *arguments)


def test_a_program_with_flags_trains_and_its_checkpoints_are_no_news(tmp_path: Path) -> None:
    ended = run(f"--folder={tmp_path}", "--steps=2", "--unknown=3", "rest")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == ["2 0.5 True ['--unknown=3', 'rest']"]
    assert "Saving checkpoints for 2" in ended.stderr
    assert "orbax" not in ended.stderr
    assert "serialize" not in ended.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--steps=x"], 1, "flag --steps=x: invalid literal for int() with base 10: 'x'. --helpshort lists"),
        (["--helpshort"], 1, "--steps: How many steps."),
    ],
)
def test_what_is_wrong_with_flags_is_one_line(arguments: list[str], code: int, told: str) -> None:
    ended = run(*arguments)
    assert ended.returncode == code
    assert told in ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr


def test_flags_are_parsed_when_one_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["program", "--width=7"])
    tf1.flags.DEFINE_integer("width", 5, "Some number.")
    tf1.flags.FLAGS.unparse_flags()
    assert tf1.flags.FLAGS.width == 7
    tf1.flags.FLAGS.width = 8
    assert tf1.app.flags.FLAGS.width == 8
    delattr(tf1.flags.FLAGS, "width")


def test_what_a_served_model_would_answer_is_in_export() -> None:
    assert tf1.estimator.export.PredictOutput is tf.estimator.export.PredictOutput
    with pytest.raises(ValueError, match="empty arguments"):
        tf.estimator.export.ClassificationOutput()
    with pytest.raises(AttributeError, match="EvalOutput is not provided; use eval_metric_ops"):
        _ = tf.estimator.export.EvalOutput
    with pytest.raises(AttributeError, match=r"'tf\.estimator' has no attribute 'PredictOutput'"):
        _ = tf.estimator.PredictOutput
