"""Event files of an Estimator: what TensorBoard finds in them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._events import read_scalars
from stratagem.estimator import Estimator, RunConfig, SummarySaverHook
from tests.tf1.estimator.models import by_hand, data, linear, rows


@pytest.fixture
def read() -> Callable[[Path], EventAccumulator]:
    def load(folder: Path) -> EventAccumulator:
        found = EventAccumulator(str(folder))
        found.Reload()
        return found

    return load


def scalars(found: Any, tag: str) -> list[tuple[int, float]]:
    """(step, value), of either form in which TensorBoard keeps numbers."""
    if tag in found.Tags()["scalars"]:
        return [(event.step, event.value) for event in found.Scalars(tag)]
    return [(event.step, event.tensor_proto.float_val[0]) for event in found.Tensors(tag)]


def test_the_loss_and_the_speed_are_written(tmp_path: Any, read: Any) -> None:
    config = RunConfig(save_summary_steps=2, log_step_count_steps=2)
    Estimator(linear(), tmp_path, config).train(data())
    found = read(tmp_path)
    losses = by_hand(rows())[1]
    assert scalars(found, "loss") == [(1, pytest.approx(losses[0])), (3, pytest.approx(losses[2]))]
    ((step, speed),) = scalars(found, "global_step/sec")
    assert step == 3
    assert speed > 0


def test_summaries_of_the_model_are_written(tmp_path: Any, read: Any) -> None:
    def summaries(y: Any, loss: Any, **_: Any) -> dict[str, Any]:
        tf1.summary.scalar("loss", 2 * loss)
        tf1.summary.scalar("mine/sum", tf.reduce_sum(y))
        tf1.summary.histogram("values", y)
        tf1.summary.image("picture", tf.zeros((1, 2, 2, 3)))
        return {}

    Estimator(linear(summaries), tmp_path).train(data())
    found = read(tmp_path)
    assert scalars(found, "loss") == [(1, pytest.approx(0.5))]
    assert scalars(found, "mine/sum") == [(1, 1.0)]
    assert {"values", "picture"} <= set(found.Tags()["tensors"])


def test_without_an_interval_no_summaries_are_written(tmp_path: Any) -> None:
    Estimator(linear(), tmp_path, RunConfig(save_summary_steps=None, log_step_count_steps=None)).train(data())
    assert not list(tmp_path.glob("*tfevents*"))


def test_a_hook_of_the_caller_writes_elsewhere(tmp_path: Any, read: Any) -> None:
    hook = SummarySaverHook(save_steps=1, output_dir=str(tmp_path / "own"), summary_op=[])
    Estimator(linear(), tmp_path / "model", RunConfig(save_summary_steps=None)).train(data(), [hook])
    assert [step for step, _ in scalars(read(tmp_path / "own"), "loss")] == [1, 2, 3, 4]


def test_metrics_of_evaluations_are_written_below_their_names(tmp_path: Any, read: Any) -> None:
    estimator = Estimator(linear(), tmp_path).train(data())
    first = estimator.evaluate(data(batch=4))
    estimator.train(data(), steps=1)
    second = estimator.evaluate(data(batch=4))
    named = estimator.evaluate(data(batch=4), steps=1, name="other")
    assert scalars(read(tmp_path / "eval"), "loss") == [
        (4, pytest.approx(first["loss"])),
        (5, pytest.approx(second["loss"])),
    ]
    assert scalars(read(tmp_path / "eval_other"), "loss") == [(5, pytest.approx(named["loss"]))]
    assert estimator.eval_dir() == str(tmp_path / "eval")
    assert estimator.eval_dir("other") == str(tmp_path / "eval_other")
    (tensor,) = [e for e in read(tmp_path / "eval").Tensors("checkpoint_path") if e.step == 5]
    assert tensor.tensor_proto.string_val[0] == str(tmp_path / "model.ckpt-5").encode()


def test_numbers_are_read_again_up_to_where_a_file_is_damaged(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path).train(data())
    loss = estimator.evaluate(data())["loss"]
    assert read_scalars(estimator.eval_dir()) == {4: {"loss": pytest.approx(float(loss))}}
    (file,) = (tmp_path / "eval").glob("*tfevents*")
    estimator.evaluate(data())
    whole = file.read_bytes()
    file.write_bytes(whole[:-3])
    assert 4 in read_scalars(estimator.eval_dir())
    file.write_bytes(whole[:20] + b"x" + whole[21:])
    assert read_scalars(estimator.eval_dir()) == {}
    assert read_scalars(str(tmp_path / "nothing")) == {}
