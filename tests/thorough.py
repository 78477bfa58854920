"""Instances of a test that only `make thorough` runs: what quicker ones show, on more cases."""

from collections import defaultdict
from collections.abc import Collection, Iterable
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
    """Of each test that is marked `sampled`, leaves some instances to `make test`, others with the next seed.

    They are every third; of a table with 4 instances or more every fifth, with 12 every eighth, with 50 every twelfth. Of tests
    with one or two instances, those of a file together are taken for a table, of which every third is run.
    """
    tables: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled") is not None and item.get_closest_marker("thorough") is None:
            tables[item.nodeid.partition("[")[0]].append(item)
    of_files: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for name, instances in tables.items():
        if len(instances) < 3:
            of_files[name.partition("::")[0]] += instances
        else:
            days = next(days for least, days in ((50, 12), (12, 8), (4, 5), (3, 3)) if len(instances) >= least)
            leave_one_in(days, instances, seed)
    for instances in of_files.values():
        leave_one_in(3, instances, seed)


def leave_one_in(days: int, instances: list[pytest.Item], seed: int) -> None:
    """Leaves one instance in so many to `make test`."""
    for number, item in enumerate(instances):
        if (number + seed) % days:
            item.add_marker(pytest.mark.thorough)
