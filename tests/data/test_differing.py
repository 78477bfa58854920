"""Workers whose datasets differ where they should be the same: all of them are told how, in the step where it happens."""

from typing import Any

import numpy as np
import pytest

from stratagem._base.errors import ClusterError
from stratagem._base.job import Job
from stratagem._core.values import TensorSpec
from stratagem._data import Dataset
from tests.data.workers import distributed, on_all_workers, pieces


def generated(rows: int, width: int = 1) -> Dataset:
    """A dataset of which nobody knows how long it is."""
    spec = TensorSpec((width,), np.int64)
    return Dataset.from_generator(lambda: (np.full(width, i) for i in range(rows)), output_signature=spec).batch(2)


def walked(*made: Dataset) -> list[tuple[int, str]]:
    """By worker: the steps until its error, and the error."""

    def work(job: Job) -> tuple[int, str]:
        steps: list[Any] = []
        try:
            for step in distributed(made[job.worker], job):
                steps.append(pieces(step))
        except ClusterError as error:
            return len(steps), str(error)
        return len(steps), ""

    return on_all_workers(len(made), work)


def test_who_ends_its_input_first_is_named_to_all_in_that_step() -> None:
    found = walked(generated(6), generated(4), generated(6))
    assert {steps for steps, _ in found} == {2}
    (error,) = {error for _, error in found}
    assert error.startswith(
        "The input of worker:1 has ended after 2 batches, that of worker:0, worker:2 goes on. Every worker"
    )


@pytest.mark.parametrize("other", [generated(5), generated(6, width=2)], ids=str)
def test_batches_that_differ_are_told_in_the_step_where_they_do(other: Dataset) -> None:
    found = walked(generated(6), other)
    (error,) = {error for _, error in found}
    assert " of the input differs between the workers: its pieces have the shapes " in error


def test_equal_data_sets_end_together() -> None:
    assert walked(generated(7), generated(7)) == [(4, ""), (4, "")]


def test_lengths_that_are_known_are_compared_before_the_first_step() -> None:
    found = walked(*(Dataset.range(rows).batch(4) for rows in (24, 23, 4)))
    assert {steps for steps, _ in found} == {0}
    (error,) = {error for _, error in found}
    assert (
        "different lengths: worker:0 has 6 batches (24 examples); worker:1 has 6 batches (23 examples); worker:2 has 1 batch "
        "(4 examples)."
    ) in error
