"""Instances of a test that only `make thorough` runs: what quicker ones show, on more cases."""

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import Any

import pytest


def thorough_but(quick: Collection[Any], cases: Iterable[Any]) -> list[Any]:
    """Cases for `parametrize`, of which `make test` runs the quick ones. A tuple is a value for each of several arguments."""
    every = list(cases)
    assert all(case in every for case in quick), f"{quick} are not all among {every}"
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=thorough_if(case not in quick))
        for case in every
    ]


def thorough_if(more: bool) -> list[pytest.MarkDecorator]:
    """The marks of an instance of which that is known."""
    return [pytest.mark.thorough] if more else []


def mark_beyond_the_sample(items: Iterable[pytest.Item], seed: int) -> None:
    """Of each test that is marked `sampled`, leaves every third instance to `make test`: others with the next seed."""
    count: defaultdict[str, Iterator[int]] = defaultdict(itertools.count)
    for item in items:
        if item.get_closest_marker("sampled") is not None and item.get_closest_marker("thorough") is None:
            number = next(count[item.nodeid.partition("[")[0]])
            if (number + seed) % 3:
                item.add_marker(pytest.mark.thorough)
