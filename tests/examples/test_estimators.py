"""The examples of Estimators, run small: they learn, and the exported model is asked."""

import re
import runpy
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf
from tests.examples.estimators import LATER, MODELS, OPTIONS, curve_in, variables_in
from tests.multi_worker.jobs import job
from tests.tf1.recordings import begin_with, below, recorded, variables

EXAMPLES = Path(__file__).parents[2] / "examples"
RECORDED = recorded(Path(__file__).parent / "recorded" / "estimators.npz")
pytestmark = pytest.mark.sampled  # `make install-test` runs the demo, and tests of what they are made of run every day


def assert_variables_of_tensorflow(name: str, output: Path) -> None:
    """Compares all variables, by 2e-4 of 1 or of the largest number: float32 in another order, after hundreds of steps."""
    found = variables_in(output, name, tf)
    for key, value in variables(RECORDED, name).items():
        mine = found[f"variables/{key}"]
        assert np.max(np.abs(mine - value)) <= 2e-4 * max(1.0, np.max(np.abs(value))), key


def assert_curve_of_tensorflow(name: str, output: Path, *, last: float = 1e-4) -> None:
    """Compares all evaluations, by 1e-4 of each number. last: the same for those of the last step."""
    found, wanted = curve_in(output, name), below(RECORDED, f"{name}/curve")
    assert wanted
    assert found.keys() == {f"curve/{tag}" for tag in wanted}
    for tag, rows in wanted.items():
        mine = found[f"curve/{tag}"]
        np.testing.assert_allclose(mine[:-1], rows[:-1], rtol=1e-4, atol=1e-6, err_msg=tag, strict=True)
        np.testing.assert_allclose(mine[-1], rows[-1], rtol=last, atol=1e-6, err_msg=tag, strict=True)


def printed(name: str, options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """What an example prints, run in this process."""
    monkeypatch.setattr("sys.argv", [name, *options])
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    return capsys.readouterr().out


def test_incomes_are_predicted_and_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From TensorFlow's first checkpoint, without dropout: its evaluations and weights, too."""
    begin_with(RECORDED, "census", tmp_path / MODELS["census"])
    options = ["--output", str(tmp_path), *OPTIONS["census"]]
    learned, *served = printed("census.py", options, monkeypatch, capsys).splitlines()
    assert_variables_of_tensorflow("census", tmp_path)
    assert_curve_of_tensorflow("census", tmp_path)
    found = re.fullmatch(r"accuracy (\d\.\d+) of always saying no (\d\.\d+)", learned)
    assert found is not None
    assert float(found[1]) > float(found[2]) + 0.1, learned
    assert len(served) == 3
    for line in served:
        asked = re.fullmatch(r"served: (<=50K|>50K) with probability (\d\.\d+)", line)
        assert asked is not None, line
        assert 0.5 <= float(asked[2]) <= 1.0


def test_people_of_the_census_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = "{}, Private, 77516, {}, 13, Never-married, {}, Not-in-family, White, Male, 0, 0, {}, United-States, {}"
    rows = [
        row.format(39, "Bachelors", "Adm-clerical", 40, "<=50K"),
        row.format(50, "Doctorate", "Exec-managerial", 60, ">50K"),
    ]
    (tmp_path / "adult.data").write_text("\n".join(rows * 64) + "\n\n")
    (tmp_path / "adult.test").write_text("|1x3 Cross validator\n" + "".join(f"{each}.\n" for each in rows * 2))
    options = ["--output", str(tmp_path / "out"), "--data", str(tmp_path), "--steps", "60"]
    learned, first, second, _ = printed("census.py", options, monkeypatch, capsys).splitlines()
    assert learned == "accuracy 1.0 of always saying no 0.5"
    assert (first.split()[1], second.split()[1]) == ("<=50K", ">50K")


def test_clothes_are_recognized_without_tpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begin_with(RECORDED, "tpu_estimator", tmp_path / "clothes")
    options = ["--output", str(tmp_path / "clothes"), *OPTIONS["tpu_estimator"]]
    printed("tpu_estimator.py", options, monkeypatch, capsys)
    assert_variables_of_tensorflow("tpu_estimator", tmp_path / "clothes")
    options.append(LATER["tpu_estimator"])
    accuracy, taken = printed("tpu_estimator.py", options, monkeypatch, capsys).splitlines()
    assert float(accuracy.removeprefix("accuracy ")) > 0.4
    assert_curve_of_tensorflow("tpu_estimator", tmp_path / "clothes", last=2e-2)
    kinds = re.findall(r"\d+", taken.removeprefix("taken for"))
    assert len(kinds) == 8
    assert set(map(int, kinds)) <= set(range(10))


@pytest.mark.thorough
def test_incomes_are_predicted_by_a_cluster(tmp_path: Path) -> None:
    options = ["--output", tmp_path, "--limit", "512", "--steps", "40"]
    with job(EXAMPLES / "census.py", 2, *options, ps=1, evaluator=True) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 5, ended
    assert "Saving dict for global step 40:" in ended[-1].output
    (exported,) = (tmp_path / "model" / "export" / "census").iterdir()
    assert sorted(tf.saved_model.load(str(exported)).signatures) == [
        "classification", "predict", "regression", "serving_default",
    ]  # fmt: skip
