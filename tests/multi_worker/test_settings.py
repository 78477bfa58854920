"""Workers whose optimizers or datasets differ: an error before the first step, or a warning where the chief's are used."""

import re

import pytest

from tests.multi_worker.jobs import Ended, job

ERRORS = {
    "momentum": "The workers' optimizers differ: momentum is 0.5 on worker:0 and 0.75 on worker:1.",
    "clipping": "The workers' optimizers differ: clipnorm is 1.0 on worker:0 and None on worker:1.",
    "schedule": "The workers' optimizers differ: learning_rate is ExponentialDecay(initial_learning_rate=0.5,",
    "optimizer": "The workers' optimizers differ: class is SGD on worker:0 and Adagrad on worker:1;",
    "communication": "The workers' communication options differ: gradient_dtype is bfloat16 on worker:0 and None on worker:1.",
    "shards": "The workers' strategies differ: shard_optimizer_state is False on worker:0 and True on worker:1.",
    "batch size": "The workers' datasets differ: worker:0 has BatchedRows(batch_size=8,",
    "buffer": "buffer_size=8",
    "vocabulary": "The layer words has other contents on worker:",
    "epochs": "The workers' arguments of fit differ: epochs is 1 on worker:0 and 2 on worker:1.",
    "no shuffle": "order=StraightOrder()",
}
WARNINGS = {
    "learning rate": "learning_rate differ: 0.5 on worker:0, 0.25 on worker:1. All use that of worker:0.",
    "seed": "worker:1 shuffles with the seeds [2], worker:0 with [1]. All use those of worker:0.",
}
UNCAUGHT = "no shuffle"  # of the last model: this error ends the program


@pytest.fixture(scope="module")
def ended() -> list[Ended]:
    """One job, which trains a model after the other."""
    others = (what for what in ERRORS if what != UNCAUGHT)
    with job("settings.py", 2, "nothing", "bfloat16", *WARNINGS, *others, UNCAUGHT) as running:
        return running.ended()


def told(task: Ended, what: str) -> str:
    """What a task printed about one of the models."""
    return re.split(r"^\[(.*)\]\n", task.output, flags=re.MULTILINE)[1:][2 * order(task).index(what) + 1]


def order(task: Ended) -> list[str]:
    """The models, as a task has trained them."""
    return re.findall(r"^\[(.*)\]$", task.output, re.MULTILINE)


@pytest.mark.parametrize("what", ERRORS)
def test_what_differs_is_named_before_the_first_step(what: str, ended: list[Ended]) -> None:
    for task in ended:
        output = told(task, what)
        assert "ClusterError: The " in output
        assert ERRORS[what] in output
        assert "steps 0\n" in output


def test_the_error_ends_the_program(ended: list[Ended]) -> None:
    for task in ended:
        assert order(task)[-1] == UNCAUGHT
        assert task.code == 1, task.output


@pytest.mark.parametrize("what", WARNINGS)
def test_what_is_the_chiefs_is_told_where_another_one_was_given(what: str, ended: list[Ended]) -> None:
    for task in ended:
        output = told(task, what)
        assert WARNINGS[what] in output
        assert "learning rate 0.5" in output


def test_nothing_is_told_where_nothing_differs(ended: list[Ended]) -> None:
    for task in ended:
        output = told(task, "nothing")
        assert "steps 2\n" in output
        assert "differ" not in output


def test_gradients_travel_rounded_where_all_workers_say_so(ended: list[Ended]) -> None:
    for task in ended:
        assert "variable [-3.]\n" in told(task, "bfloat16")  # exactly it would be -3.0058594
