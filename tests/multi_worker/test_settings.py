"""Workers whose optimizers or data sets differ: an error before the first step, or a warning where the chief's are used."""

import pytest

from tests.multi_worker.jobs import Ended, job


def ended(what: str) -> list[Ended]:
    with job("settings.py", 2, what) as running:
        return running.ended()


@pytest.mark.parametrize(
    ("what", "error"),
    [
        ("momentum", "The workers' optimizers differ: momentum is 0.5 on worker 0 and 0.75 on worker 1."),
        ("clipping", "The workers' optimizers differ: clipnorm is 1.0 on worker 0 and None on worker 1."),
        ("schedule", "The workers' optimizers differ: learning_rate is ExponentialDecay(initial_learning_rate=0.5,"),
        ("optimizer", "The workers' optimizers differ: class is SGD on worker 0 and Adagrad on worker 1;"),
        ("batch size", "The workers' data sets differ: worker 0 has BatchedRows(batch_size=8,"),
        ("buffer", "buffer_size=8"),
        ("no shuffle", "order=Straight()"),
    ],
)
def test_what_differs_is_named_before_the_first_step(what: str, error: str) -> None:
    for task in ended(what):
        assert task.code == 1, task.output
        assert "ClusterError: The workers' " in task.output
        assert error in task.output


@pytest.mark.parametrize(
    ("what", "warning"),
    [
        ("learning rate", "learning_rate differ: 0.5 on worker 0, 0.25 on worker 1. All use that of worker 0."),
        ("seed", "worker 1 shuffles with the seeds [2], worker 0 with [1]. All use those of worker 0."),
    ],
)
def test_what_is_the_chiefs_is_told_where_another_one_was_given(what: str, warning: str) -> None:
    for task in ended(what):
        assert task.code == 0, task.output
        assert warning in task.output
        assert "learning rate 0.5" in task.output


def test_nothing_is_told_where_nothing_differs() -> None:
    for task in ended("nothing"):
        assert task.code == 0, task.output
        assert "differ" not in task.output
