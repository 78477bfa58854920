"""The strategies that the contract tests run on."""

import pytest

from stratagem._strategies import AbstractStrategy, MirroredStrategy
from stratagem.testing import STRATEGIES


@pytest.fixture(params=STRATEGIES)
def strategy(request: pytest.FixtureRequest) -> AbstractStrategy:
    """Each of the strategies in turn."""
    return STRATEGIES[request.param]()


@pytest.fixture
def mirrored() -> MirroredStrategy:
    """Two replicas."""
    return MirroredStrategy(["CPU:0", "CPU:1"])
