"""Cutting a batch among replicas loses no row and repeats none."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem._core.values import TensorSpec
from stratagem._data import AutoShardPolicy, Dataset, PerReplicaSpec
from tests.data.workers import distributed, on_all_workers, steps_by_worker, with_policy

REPLICAS = st.integers(1, 9)


@given(rows=st.integers(1, 100), replicas=REPLICAS)
def test_pieces_cover_the_batch_and_only_the_last_are_shorter_than_the_first(rows: int, replicas: int) -> None:
    ((step,),) = steps_by_worker(lambda: Dataset.range(rows).batch(rows), 1, replicas)
    assert [row for piece in step for row in piece] == list(range(rows))
    sizes = [len(piece) for piece in step]
    assert len(sizes) == replicas
    assert sizes[0] == -(-rows // replicas)
    assert sizes == sorted(sizes, reverse=True)


@given(batch=st.integers(1, 100), workers=st.integers(1, 4), local=st.integers(1, 4))
def test_pieces_that_go_round_cover_a_global_batch_in_every_step(batch: int, workers: int, local: int) -> None:
    def make() -> Dataset:
        return with_policy(Dataset.range(batch).batch(batch), AutoShardPolicy.OFF)

    by_worker = [[[len(piece) for piece in step] for step in steps] for steps in steps_by_worker(make, workers, local)]
    for steps in by_worker:
        sizes = [size for step in steps for size in step]
        assert sum(sizes) == batch
        assert max(sizes) - min(sizes) <= 1
    for step in zip(*by_worker, strict=True):
        assert sum(size for pieces in step for size in pieces) == batch


@pytest.mark.parametrize(
    ("rows", "drop", "rows_of_a_piece"), [(8, True, 4), (7, True, None), (8, False, None)], ids=str
)
def test_a_spec_has_rows_only_when_all_pieces_have_equally_many(
    rows: int, drop: bool, rows_of_a_piece: int | None
) -> None:
    dataset = Dataset.from_tensor_slices(np.zeros((30, 3), np.float32)).batch(rows, drop_remainder=drop)
    (spec,) = on_all_workers(1, lambda job: distributed(dataset, job, 2).element_spec)
    assert spec == PerReplicaSpec(*[TensorSpec((rows_of_a_piece, 3), np.float32)] * 2)


def test_a_scalar_cannot_be_cut() -> None:
    with pytest.raises(ValueError, match=r"scalar of dtype float32.*\.batch\("):
        on_all_workers(1, lambda job: distributed(Dataset.from_tensor_slices(np.zeros(3, np.float32)), job, 2))
