"""Workers of one machine divide its cores; who is alone, or has its own cores already, keeps them."""

import os
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from stratagem._base.job import ALONE

# A pure function over many machines; a real job of two has its own test (tests/training/test_two_processes.py).
from stratagem._strategies._cores import share_of, take_share_of_cores

MACHINES = st.one_of(
    st.none(),
    st.tuples(st.sampled_from(["a", "b"]), st.sampled_from([[0], [0, 1], [2, 0, 3, 1], [*range(9)]])).map(list),
)


@given(st.lists(MACHINES, min_size=1, max_size=10))
def test_shares_of_the_same_cores_are_disjoint_whole_and_even(offered: list[Any]) -> None:
    shares = [share_of(offered, worker) for worker in range(len(offered))]
    for offer in offered:
        same = [shares[i] for i, other in enumerate(offered) if other == offer]
        if offer is None or len(same) == 1 or len(same) > len(offer[1]):
            assert same == [None] * len(same)
        else:
            assert [core for share in same for core in share] == offer[1]  # neighbours stay together
            sizes = {len(share) for share in same}
            assert max(sizes) - min(sizes) <= 1


def test_a_worker_alone_keeps_its_cores() -> None:
    before = os.sched_getaffinity(0)
    take_share_of_cores(ALONE)
    assert os.sched_getaffinity(0) == before


def test_sharing_is_switched_off_by_one_word_and_by_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_SHARE_CORES", "no")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"STRATAGEM_SHARE_CORES=no is set; use .*=off to let"):
        take_share_of_cores(ALONE)
    monkeypatch.setenv("STRATAGEM_SHARE_CORES", "off")
    take_share_of_cores(ALONE)
