"""Instances of a test that only `make thorough` runs: what quicker ones show, on more cases."""

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
